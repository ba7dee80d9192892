package fakeprovider

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplitAgreesWithEncodingJSON(t *testing.T) {
	tests := []string{
		`{}`, ` { } `, `{"a":1}`, "{\n \"a\" : [1, 2, {\"b\":\"]}\"}] ,\t\"c\":null}", `{"a":"x\"y\\","b":"\\\\"}`,
		`{"a":1,"a":2}`, `{"\u0061":true}`, `[]`, `[ ]`, `[1]`, `["a,b",[],{},{"x":[1]} ]`, `[null,-1.5e3 ,true]`,
		`{`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{"a":1}}`, `{"a":1} x`, `{a:1}`, `[1,]`, `[,1]`, `[1 2]`, `[`, `]`, ``, `"a"`, `7`,
		`{"a":"open}`, `["\"]`,
	}
	for _, raw := range tests {
		var f fields
		wantObject := json.Unmarshal([]byte(raw), &f) == nil
		if got, ok := splitObject([]byte(raw)); ok != wantObject || ok && !cmp.Equal(f, got) {
			t.Errorf("object %q: %v %v, want %v %v", raw, got, ok, f, wantObject)
		}
		var l []json.RawMessage
		wantList := json.Unmarshal([]byte(raw), &l) == nil
		if got, ok := splitList([]byte(raw)); ok != wantList || ok && len(l) != len(got) {
			t.Errorf("list %q: %q %v, want %q %v", raw, got, ok, l, wantList)
		}
	}
}

func TestBrokenJSONWithinAMessage(t *testing.T) {
	for _, d := range dialects {
		good := string(history(d, false, "hello"))
		for _, bad := range []string{
			strings.Replace(good, `"role":"user"`, `"role":user`, 1),
			strings.Replace(good, `"content":"hello"`, `"content":["hello"}`, 1),
			strings.Replace(good, `}]`, `}`, 1),
		} {
			if got := post(t, New(Options{}), d, []byte(bad)); got.status != 400 || !strings.Contains(got.body, "JSON") {
				t.Errorf("%s: status %d for %s: %s", d, got.status, bad, got.body)
			}
		}
	}
}
