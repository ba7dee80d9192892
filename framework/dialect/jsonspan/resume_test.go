package jsonspan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
)

// walk reads {"k":[...],...} and tells what it finds, from the given offset
// behind element next-1 on, or from the start for 0.
func walk(body string, at, next int) string {
	var found []string
	s := jsonspan.NewScanner([]byte(body))
	element := func(i int) error {
		v, err := s.Value()
		if err == nil {
			found = append(found, fmt.Sprintf("%d:%s", i, v.Raw()))
		}
		return err
	}
	member := func(key string) error {
		if s.Peek() == jsonspan.Array {
			_, err := s.Elements(element)
			return err
		}
		v, err := s.Value()
		if err == nil {
			found = append(found, key+"="+string(v.Raw()))
		}
		return err
	}
	var err error
	if at == 0 {
		err = s.Members(member)
	} else {
		s.Resume([]byte(body), at, 2)
		if err = s.RestOfElements(next, element); err == nil {
			err = s.RestOfMembers(member)
		}
	}
	if err == nil {
		err = s.End()
	}
	return fmt.Sprint(strings.Join(found, " "), " ", err)
}

// TestResume goes on behind the second element, and finds what a scanner that
// began at the start finds from there on, mistakes too.
func TestResume(t *testing.T) {
	const begin = `{"k":[ 10 , 11`
	deep := strings.Repeat("[", jsonspan.MaxDepth) + strings.Repeat("]", jsonspan.MaxDepth)
	for _, rest := range []string{
		`]}`, ` ] } `, `,12]}`, ` , {"a":[]} , 13 ] , "x" : 1 , "y" : [ ] }`, ``, `]`, `,]}`, `,12`, ` 12]}`, `],}`, `]]`, `]} x`,
		`],"x"}`, `],7:1}`, `,` + deep + `]}`, `,` + deep[2:2*jsonspan.MaxDepth-2] + `]}`, `],"x":` + deep + `}`,
	} {
		whole := strings.TrimPrefix(strings.TrimPrefix(walk(begin+rest, 0, 0), "0:10 1:11"), " ")
		if got := strings.TrimPrefix(walk(begin+rest, len(begin), 2), " "); got != whole {
			t.Errorf("%q: got %s, want %s", rest, got, whole)
		}
	}
}
