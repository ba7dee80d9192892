package engine

import (
	"errors"
	"testing"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/all"
)

// A body that would break a rule which the received one does not is refused.
func TestVerify(t *testing.T) {
	good := []byte(`{"model":"m","messages":[{"role":"user","content":"hi"}]}`)
	bad := []byte(`{"model":"m","messages":[{"role":"tool","tool_call_id":"a","content":"x"},{"role":"user","content":"hi"}]}`)
	var broken *BrokenRuleError
	if err := verify(dialect.OpenAIChat, good, bad); !errors.As(err, &broken) {
		t.Errorf("got %v", err)
	}
	if err := verify(dialect.OpenAIChat, bad, bad); err != nil {
		t.Errorf("what the received body has, too: %v", err)
	}
	if err := verify(dialect.OpenAIChat, bad, good); err != nil {
		t.Error(err)
	}
}

// A body that is made is read again: other messages than the view's are refused.
func TestGuard(t *testing.T) {
	f, _ := all.ByName(dialect.OpenAIChat)
	conv, err := f.Parse([]byte(`{"model":"m","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	v, err := conv.View(nil)
	if err != nil {
		t.Fatal(err)
	}
	for body, fine := range map[string]bool{
		string(conv.Body): true,
		`{"model":"m","messages":[{"role":"user","content":"other"},{"role":"assistant","content":"b"}]}`: true,
		`{"model":"m","messages":[{"role":"user","content":"a"}]}`:                                        false,
		`{"model":"m","messages":[{"role":"user","content":"a"},{"role":"user","content":"b"}]}`:          false,
		`{"model":"m","messages":[{"role":"user","content":"a"}`:                                          false,
	} {
		if err := guard(v, []byte(body)); (err == nil) != fine {
			t.Errorf("%s: %v", body, err)
		}
	}
}
