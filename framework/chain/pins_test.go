package chain

import (
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/sdk"
)

// dropAll drops and stubs whatever is not protected, pins aside.
func dropAll(r *sdk.Request) (*sdk.Result, error) {
	d := r.View.Edit()
	for i, m := range r.View {
		if m.Flags&(sdk.FlagFixed|sdk.FlagRequest|sdk.FlagOpenRound) == 0 {
			d.Drop(i)
		}
	}
	return d.Result(), nil
}

// stubAll puts a stub in place of every result.
func stubAll(r *sdk.Request) (*sdk.Result, error) {
	d := r.View.Edit()
	for i, m := range r.View {
		for p := range m.Parts {
			if m.Parts[p].Kind == sdk.PartResult && !m.Flags.Has(sdk.FlagOpenRound) {
				d.Stub(i, p, "cleared")
			}
		}
	}
	return d.Result(), nil
}

func bind(t *testing.T, in *Input, pins ...config.Pin) {
	t.Helper()
	p, err := NewPins(pins)
	if err != nil {
		t.Fatal(err)
	}
	in.Pinned = p.Bind(in.Conversation)
}

func configPin(pattern string, role sdk.Role) config.Pin {
	return config.Pin{Roles: []sdk.Role{role}, Pattern: pattern}
}

// The conversation is system, then three times: "request N", call, result,
// "done"; all but the last request would go.
func TestPins(t *testing.T) {
	tests := []struct {
		name string
		pins []config.Pin
		want string
	}{
		{"none", nil, "system request 2"},
		{"a role", []config.Pin{{Roles: []sdk.Role{sdk.RoleUser}}}, "system request 0 request 1 request 2"},
		{"a pattern", []config.Pin{{Pattern: "(?i)REQUEST 1"}}, "system request 1 request 2"},
		{"a tool: the whole unit stays", []config.Pin{{Tool: "read", Position: "first"}}, "system call result request 2"},
		{"a role and a pattern", []config.Pin{{Roles: []sdk.Role{sdk.RoleAssistant}, Pattern: "request"}}, "system request 2"},
		{"the first of a role", []config.Pin{{Roles: []sdk.Role{sdk.RoleUser}, Position: "first"}}, "system request 0 request 2"},
		{"the second of a role", []config.Pin{{Roles: []sdk.Role{sdk.RoleUser}, Position: "2"}}, "system request 1 request 2"},
		{"a number that is not reached", []config.Pin{{Roles: []sdk.Role{sdk.RoleUser}, Position: "9"}}, "system request 2"},
		{"the last message", []config.Pin{{Position: "last"}}, "system request 2 done"},
		{"blocks add up", []config.Pin{{Pattern: "request 0"}, {Pattern: "request 1"}}, "system request 0 request 1 request 2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := input(agent(t, 3, false))
			bind(t, &in, tt.pins...)
			res := run1(t, in, strategy("all", dropAll))
			var left []string
			for i, m := range res.View.Messages {
				switch {
				case m.Role == sdk.RoleSystem:
					left = append(left, "system")
				case len(m.Calls) > 0:
					left = append(left, "call")
				case m.Role == sdk.RoleTool:
					left = append(left, "result")
				default:
					left = append(left, res.View.Text(i, 0))
				}
			}
			if got := strings.Join(left, " "); got != tt.want {
				t.Errorf("left: %s; want %s", got, tt.want)
			}
		})
	}
}

// A pinned part is not rewritten either, and the report says how often a pin
// was needed.
func TestPinnedPart(t *testing.T) {
	in := input(agent(t, 3, false))
	bind(t, &in, config.Pin{Tool: "read", Position: "2"}) // the first unit's result
	res := run1(t, in, strategy("stub", stubAll))
	if a := res.Attempts[0]; a.Outcome != Changed || a.Pinned != 1 {
		t.Errorf("outcome %s, %d taken back; want a change and 1", a.Outcome, a.Pinned)
	}
	if got := res.View.Text(3, 0); !strings.HasPrefix(got, "xxx") {
		t.Errorf("the pinned result reads %q", got)
	}
	if got := res.View.Text(7, 0); got != "cleared" {
		t.Errorf("the other result reads %q", got)
	}
}

func TestPinsThatCannotBe(t *testing.T) {
	for _, p := range []config.Pin{{Pattern: "("}, {Position: "0"}, {Position: "middle"}} {
		if _, err := NewPins([]config.Pin{p}); err == nil {
			t.Errorf("%+v was taken", p)
		}
	}
}
