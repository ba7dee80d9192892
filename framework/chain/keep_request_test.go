package chain

import (
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/anthropic"
	"github.com/compactor-host/compactor/sdk"
)

// In a message of results the words beside them are the user's: for pins and
// as a request.
func TestWordsBesideResults(t *testing.T) {
	body := `{"model":"m","max_tokens":9,"messages":[
		{"role":"user","content":"go"},
		{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"t","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"never mind"},{"type":"text","text":"NEVER touch prod"}]},
		{"role":"assistant","content":"done"},
		{"role":"user","content":"next"}]}`
	c := conversationOf(t, body)
	for role, want := range map[sdk.Role]int{sdk.RoleTool: 0, sdk.RoleUser: 1} {
		in := input(c)
		bind(t, &in, configPin("(?i)never", role))
		if parts := in.Pinned.Parts(2); len(parts) != 1 || parts[0] != want {
			t.Errorf("role %s: parts %v are pinned, want part %d alone", role, parts, want)
		}
	}
	if q := requestsOf(c); len(q) != 1 || q[0].source != 4 {
		t.Errorf("requests %+v, want the newest message", q)
	}
	open := conversationOf(t, strings.Replace(body, `,
		{"role":"assistant","content":"done"},
		{"role":"user","content":"next"}`, "", 1))
	if q := requestsOf(open); len(q) != 2 || q[1].Words[0] != "NEVER touch prod" {
		t.Errorf("requests %+v, want the first message and the words beside the result", q)
	}
}

func conversationOf(t *testing.T, body string) *dialect.Conversation {
	t.Helper()
	c, err := anthropic.Format{}.Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return c
}
