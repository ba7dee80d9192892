package chain

import (
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/anthropic"
	"github.com/compactor-host/compactor/sdk"
)

// What an inserted message has to hold so that it stands for a request.
func TestStandsIn(t *testing.T) {
	long := strings.Repeat("begin ", 200) + strings.Repeat("middle ", 400) + strings.Repeat("end ", 200)
	edges := long[:600] + "\n[… 4,000 characters …]\n" + long[len(long)-600:]
	image := []mention{{"image", "plan.png"}}
	tests := []struct {
		name   string
		words  []string
		media  []mention
		role   sdk.Role
		text   string
		target sdk.Tokens
		want   bool
	}{
		{"the same words", []string{"delete the file"}, nil, sdk.RoleUser, "delete the file", 1e6, true},
		{"on a line of their own", []string{"delete the file"}, nil, sdk.RoleUser, "before\ndelete the file\nafter", 1e6, true},
		{"behind a label", []string{"delete the file"}, nil, sdk.RoleUser, "[User]: delete the file", 1e6, true},
		{"in quotes", []string{"delete the file"}, nil, sdk.RoleUser, "The user said: \"delete the file\".", 1e6, true},
		{"several lines", []string{"one\ntwo"}, nil, sdk.RoleUser, "> one\ntwo\nthree", 1e6, true},
		{"in the middle of other words", []string{"delete the file"}, nil, sdk.RoleUser, "I will not delete the file", 1e6, false},
		{"a letter in a word", []string{"a"}, nil, sdk.RoleUser, "earlier talk left out", 1e6, false},
		{"other words", []string{"delete the file"}, nil, sdk.RoleUser, "remove the file", 1e6, false},
		{"the assistant's words", []string{"delete the file"}, nil, sdk.RoleAssistant, "delete the file", 1e6, false},
		{"one of two texts", []string{"one", "two"}, nil, sdk.RoleUser, "one", 1e6, false},
		{"both texts", []string{"one", "two"}, nil, sdk.RoleUser, "one\ntwo", 1e6, true},
		{"an image that is not named", []string{"look"}, image, sdk.RoleUser, "look", 1e6, false},
		{"an image by its kind", []string{"look"}, image, sdk.RoleUser, "look\n[Image left out]", 1e6, true},
		{"an image by its name", []string{"look"}, image, sdk.RoleUser, "look\n(plan.png)", 1e6, true},
		{"no words", nil, image, sdk.RoleUser, "an image", 1e6, false},
		{"the edges of a giant", []string{long}, nil, sdk.RoleUser, edges, 100, true},
		{"the edges of one that is no giant", []string{long}, nil, sdk.RoleUser, edges, 1e6, false},
		{"the edges without a mark", []string{long}, nil, sdk.RoleUser, long[:600] + long[len(long)-600:], 100, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q := request{words: tt.words, media: tt.media, chars: len(strings.Join(tt.words, ""))}
			if got := q.standsIn(&sdk.Insert{Role: tt.role, Text: []string{tt.text}}, tt.target); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

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
	if q := requestsOf(open); len(q) != 2 || q[1].words[0] != "NEVER touch prod" {
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
