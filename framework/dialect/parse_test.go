package dialect_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/all"
	"github.com/compactor-host/compactor/framework/dialect/internal/dialecttest"
	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
)

func TestTruncatedBodyIsAnError(t *testing.T) {
	for _, body := range seeds() {
		for _, format := range all.All() {
			if _, err := format.Parse([]byte(body)); err != nil {
				continue
			}
			body := strings.TrimSpace(body)
			for n := range len(body) {
				if _, err := format.Parse([]byte(body[:n])); err == nil {
					t.Errorf("%s: parsed %s", format.Name(), body[:n])
				}
			}
		}
	}
}

func TestBodyThatIsNotOneJSONValueIsAnError(t *testing.T) {
	const good = `{"messages":[],"input":[]}`
	for _, format := range all.All() {
		dialecttest.Parse(t, format, good)
		for _, body := range []string{"", " ", "\xef\xbb\xbf" + good, good + "x", good + good, good + ",", "data: " + good} {
			var syntax *jsonspan.Error
			if _, err := format.Parse([]byte(body)); !errors.As(err, &syntax) {
				t.Errorf("%s: %q: %v", format.Name(), body, err)
			}
		}
	}
}

// TestConversationsReadAtOnceDoNotMix reads many bodies side by side, and looks
// at each conversation only after others were read: what a reader leaves for
// the next one to work with must be no part of it.
func TestConversationsReadAtOnceDoNotMix(t *testing.T) {
	var wg sync.WaitGroup
	for _, body := range seeds() {
		for _, format := range all.All() {
			first, err := format.Parse([]byte(body))
			if err != nil {
				continue
			}
			want := dialecttest.Content(dialecttest.Edit(t, first, nil))
			wg.Go(func() {
				var read []*dialect.Conversation
				for range 20 {
					c, err := format.Parse([]byte(body))
					if err != nil {
						t.Error(err)
						return
					}
					read = append(read, c)
				}
				for _, c := range append(read, first) {
					v, err := c.View(nil)
					if err != nil {
						t.Error(err)
						return
					}
					if diff := cmp.Diff(want, dialecttest.Content(v)); diff != "" {
						t.Errorf("%s: %s", format.Name(), diff)
						return
					}
				}
			})
		}
	}
	wg.Wait()
}

func TestDeepNestingIsAnErrorAndNotACrash(t *testing.T) {
	for _, depth := range []int{jsonspan.MaxDepth, 1_000_000} {
		deep := strings.Repeat("[", depth) + strings.Repeat("]", depth)
		for _, format := range all.All() {
			for _, body := range []string{
				`{"messages":[],"input":[],"x":` + deep + `}`,
				`{"messages":[{"role":"user","content":"a","x":` + deep + `}],"input":[{"role":"user","content":"a","x":` + deep + `}]}`,
			} {
				if _, err := format.Parse([]byte(body)); err == nil || !strings.Contains(err.Error(), "nested deeper") {
					t.Errorf("%s, depth %d: %v", format.Name(), depth, err)
				}
			}
		}
	}
}

func TestTheErrorOfASyntaxErrorIsItsOffset(t *testing.T) {
	_, err := all.Parse([]byte(`{"messages":[{"role":"user","content":"a" "b"}]}`))
	if got, want := err.Error(), `not valid JSON at byte 42: expected ',' or '}'`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
