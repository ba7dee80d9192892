package fakeprovider

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// bodies are the recorded requests of a dialect; without any the test is skipped.
func bodies(t *testing.T, d Dialect) []string {
	t.Helper()
	root := os.Getenv("COMPACTOR_TRANSCRIPTS")
	if root == "" {
		t.Skip("COMPACTOR_TRANSCRIPTS is not set")
	}
	files, err := filepath.Glob(filepath.Join(root, "requests", string(d), "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded bodies of %s: %v", d, err)
	}
	return files
}

func TestRecordedBodiesAreAccepted(t *testing.T) {
	for _, d := range dialects {
		for _, file := range bodies(t, d) {
			t.Run(string(d)+"/"+strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
				body, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				p := New(Options{})
				if got := post(t, p, d, body); got.status != 200 || got.err != nil {
					t.Errorf("status %d, %v: %.500s\nfindings %q", got.status, got.err, got.body, last(p).Findings)
				}
				t.Logf("%d tokens", last(p).PromptTokens)
			})
		}
	}
}
