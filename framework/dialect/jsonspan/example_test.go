package jsonspan_test

import (
	"fmt"

	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
)

// A list is walked element by element; each is read as a whole.
func ExampleScanner() {
	s := jsonspan.NewScanner([]byte(`{"n": 1, "list": [ {"text":"caf\u00e9"}, [ ] ]}`))
	err := s.Members(func(key string) error {
		if key != "list" {
			v, err := s.Value()
			fmt.Println(key, v.Kind())
			return err
		}
		_, err := s.Elements(func(i int) error {
			v, err := s.Value()
			text := v.Get("text") // absent where there is none
			fmt.Printf("%s %d %v %v %q\n", key, i, v.Kind(), v.Span(), text.Text())
			return err
		})
		return err
	})
	fmt.Println(err)
	// Output:
	// n a number
	// list 0 an object {19 39} "café"
	// list 1 an array {41 44} ""
	// <nil>
}
