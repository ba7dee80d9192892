package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	files  = 20
	answer = "There are 20 files."
)

// provider is a Chat server that reads all files and then answers. Prompts of
// more than room bytes do not fit its model.
type provider struct {
	room            int
	calls, refusals int
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if len(body) > p.room {
		p.refusals++
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":{"message":"the prompt is too long","type":"invalid_request_error","code":"context_length_exceeded"}}`)
		return
	}
	p.calls++
	message := map[string]any{"role": "assistant", "content": answer}
	if p.calls <= files {
		arguments := fmt.Sprintf(`{"path":"%d.txt"}`, p.calls)
		message = map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{map[string]any{
			"id": fmt.Sprintf("call_%d", p.calls), "type": "function", "function": map[string]any{"name": "read_file", "arguments": arguments},
		}}}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{ // fails only when the client has gone
		"id": "c", "object": "chat.completion", "model": "m", "choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": "stop"}},
	})
}

// folder holds files of 4,000 bytes, 1,000 tokens.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for i := 1; i <= files; i++ {
		text := strings.Repeat(fmt.Sprintf("file %03d\n", i), 444)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.txt", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestAnAgentThatOutgrowsItsModel(t *testing.T) {
	tests := []struct {
		name     string
		flags    []string
		reason   string
		refusals bool
	}{
		{"a limit of its own", []string{"-max-tokens", "8000"}, "compacted (threshold)", false},
		{"the provider's refusal", nil, "compacted (overflow)", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := &provider{room: 40_000}
			s := httptest.NewServer(p)
			defer s.Close()
			t.Setenv("OPENAI_BASE_URL", s.URL+"/v1")
			t.Setenv("OPENAI_API_KEY", "sk-test")
			var out bytes.Buffer
			args := append(test.flags, "-model", "m", folder(t), "How many files are there?")
			if err := run(t.Context(), args, &out); err != nil {
				t.Fatalf("%v\n%s", err, &out)
			}
			if !strings.Contains(out.String(), test.reason) || !strings.HasSuffix(out.String(), answer+"\n") {
				t.Errorf("printed\n%s", &out)
			}
			if p.calls != files+1 || (p.refusals > 0) != test.refusals {
				t.Errorf("%d calls and %d refusals", p.calls, p.refusals)
			}
		})
	}
}

func TestWhatTheModelMayRead(t *testing.T) {
	root, err := os.OpenRoot(folder(t))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	a := &agent{folder: root}
	for arguments, want := range map[string]string{
		`{"path":"1.txt"}`: "file 001\n", `{"path":"."}`: ".txt\n", `{"path":"../x"}`: "error: ", `{"path":"none"}`: "error: ", `no JSON`: "error: ",
	} {
		if got := a.read(arguments); !strings.Contains(got, want) {
			t.Errorf("%s: %q", arguments, got)
		}
	}
}
