package all_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/all"
	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
)

func TestByNameFindsEveryFormatAndNoOther(t *testing.T) {
	for _, f := range all.All() {
		if got, ok := all.ByName(f.Name()); !ok || got.Name() != f.Name() {
			t.Errorf("%s: got %v, %v", f.Name(), got, ok)
		}
	}
	if f, ok := all.ByName("smoke-signals"); ok {
		t.Errorf("found %v", f)
	}
}

func TestDetectTellsFormatsByTheirShape(t *testing.T) {
	for _, c := range []struct {
		body string
		want dialect.Name
	}{
		{`{"model":"m","messages":[{"role":"user","content":"hi"}]}`, dialect.OpenAIChat},
		{`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`, dialect.OpenAIChat},
		{`{"model":"m","messages":[{"role":"system","content":"s"},{"role":"tool","tool_call_id":"1","content":"x"}]}`, dialect.OpenAIChat},
		{`{"model":"claude-x","messages":[{"role":"assistant","content":null,"tool_calls":[]}]}`, dialect.OpenAIChat},
		{`{"messages":[],"tools":[{"type":"function","function":{"name":"f"}}]}`, dialect.OpenAIChat},
		{`{"model":"claude-x","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`, dialect.Anthropic},
		{`{"model":"m","system":"s","messages":[{"role":"user","content":"hi"}]}`, dialect.Anthropic},
		{`{"model":"m","messages":[],"tools":[{"name":"f","input_schema":{}}]}`, dialect.Anthropic},
		{`{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"}]}]}`, dialect.Anthropic},
		{`{"model":"m","input":"hi"}`, dialect.OpenAIResponses},
		{`{"model":"m","input":[{"type":"function_call"}]}`, dialect.OpenAIResponses},
		{`{"model":"m","previous_response_id":"r"}`, dialect.OpenAIResponses},
		{`{"messages":[{"role":"user","content":"a"}],"tools":[{"name":"f","input_schema":{}}]}`, dialect.Anthropic},
		{`{"messages":[{"role":"user","content":"a"}],"model":"claude-x"}`, dialect.Anthropic},
		{`{"messages":[{"role":"user","content":"a"},{"role":"system","content":"b"}],"system":"c"}`, dialect.Anthropic},
		{`{"messages":[],"input":"x"}`, dialect.OpenAIChat},
		{`{"model":"m","input":3}`, ""},
		{`{"model":"m","messages":"hi"}`, ""},
		{`{"hello":"world"}`, ""},
		{`[{"role":"user"}]`, ""},
		{`{"messages":`, ""},
		{`{"model":"m" "messages":[]}`, ""},
		{``, ""},
	} {
		f, ok := all.Detect([]byte(c.body))
		switch {
		case ok != (c.want != ""):
			t.Errorf("%s: found %v", c.body, f)
		case ok && f.Name() != c.want:
			t.Errorf("%s: %s, want %s", c.body, f.Name(), c.want)
		}
	}
}

func TestParseSaysWhatIsWrongWithABodyOfNoFormat(t *testing.T) {
	if _, err := all.Parse([]byte(`{"hello":"world"}`)); !errors.Is(err, all.ErrUnknown) {
		t.Errorf("no format: %v", err)
	}
	var syntax *jsonspan.Error
	if _, err := all.Parse([]byte(`{"messages":[`)); !errors.As(err, &syntax) || syntax.Offset != 13 {
		t.Errorf("truncated: %v", err)
	}
	var place *dialect.ParseError
	if _, err := all.Parse([]byte(`{"messages":[3]}`)); !errors.As(err, &place) || place.Place != "messages[0]" {
		t.Errorf("not understood: %v", err)
	}
	if c, err := all.Parse([]byte(`{"messages":[]}`)); err != nil || c.Format.Name() != dialect.OpenAIChat {
		t.Errorf("fine: %v, %v", c, err)
	}
}

func TestDetectTellsRecordedBodies(t *testing.T) {
	dir := os.Getenv("COMPACTOR_TRANSCRIPTS")
	if dir == "" {
		t.Skip("COMPACTOR_TRANSCRIPTS names no folder of recorded bodies")
	}
	seen := 0
	for _, f := range all.All() {
		paths, err := filepath.Glob(filepath.Join(dir, "requests", string(f.Name()), "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			body, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			seen++
			if got, ok := all.Detect(body); !ok || got.Name() != f.Name() {
				t.Errorf("%s: %v", path, got)
			}
		}
	}
	if seen == 0 {
		t.Errorf("no body in %s", dir)
	}
}
