package dialect_test

import (
	"fmt"

	"github.com/compactor-host/compactor/framework/dialect/openaichat"
)

// An agent sends its conversation again with two messages more. Only these are
// read, and what stands for the older ones is put in their place.
func ExampleSketch() {
	first := []byte(`{"model":"m","messages":[{"role":"user","content":"one"}]}`)
	next := []byte(`{"model":"m","messages":[{"role":"user","content":"one"},` +
		`{"role":"assistant","content":"two"},{"role":"user","content":"three"}],"stream":true}`)
	before, err := openaichat.Format{}.Sketch(first, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := openaichat.Format{}.Sketch(next, before.Known(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Len(), "messages,", len(s.Fresh), "of them new; the user says", s.LastUserText())

	p := s.Patch()
	if err := p.Splice(1, []byte(`{"role":"user","content":"so far: 1"}`)); err != nil {
		fmt.Println(err)
		return
	}
	if err := p.IncludeUsage(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", p.Bytes())
	// Output:
	// 3 messages, 2 of them new; the user says three
	// {"model":"m","messages":[{"role":"user","content":"so far: 1"},{"role":"assistant","content":"two"},{"role":"user","content":"three"}],"stream":true,"stream_options":{"include_usage":true}}
}
