package meter

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/all"
	"github.com/compactor-host/compactor/sdk"
)

// A message of a recorded body has the same size by itself and in its list.
func TestElementsOfRecordedBodies(t *testing.T) {
	dir := os.Getenv("COMPACTOR_TRANSCRIPTS")
	if dir == "" {
		t.Skip("COMPACTOR_TRANSCRIPTS names no folder of recorded bodies")
	}
	paths, err := filepath.Glob(filepath.Join(dir, "requests", "*", "*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no body in %s: %v", dir, err)
	}
	bytes := Texts("bytes", func(text string) sdk.Tokens { return sdk.Tokens(len(text)) })
	for _, path := range paths {
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		v := viewOf(t, path, body)
		if v.Conversation.Body[v.Conversation.List.From] == '"' {
			continue // the input is a text and no list
		}
		for _, e := range []Estimator{Chars, JSON, bytes} {
			for i, want := range New(e, "").View(v).Messages {
				sp := v.Messages[i].Span
				m, err := v.Conversation.Format.Element(body[sp.From:sp.To])
				if err != nil {
					t.Fatalf("%s: message %d: %v", path, i, err)
				}
				if got := New(e, "").Element(&dialect.Conversation{Format: v.Conversation.Format}, &m); got != want {
					t.Errorf("%s: %s gives message %d %d tokens by itself, %d in its list", path, e.Name(), i, got, want)
				}
			}
		}
	}
	t.Logf("%d bodies", len(paths))
}

func viewOf(t *testing.T, path string, body []byte) *dialect.View {
	t.Helper()
	c, err := all.Parse(body)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	v, err := c.View(nil)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return v
}
