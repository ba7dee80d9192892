package evict

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/compactor-host/compactor/sdk"
)

// markerText words the marker for all that is gone and what goes now.
type markerText func(gone tally, now *plan) string

// defaultText is the marker's text when none is configured.
func defaultText(gone tally, _ *plan) string {
	return fmt.Sprintf("[%s left out here to save room: %s]", counted(gone.total(), "earlier message"), gone)
}

// tally counts the messages of the original conversation that are gone. It is
// what the strategy remembers between two evictions.
type tally struct {
	User      int `json:"user,omitempty"`
	Assistant int `json:"assistant,omitempty"`
	Tool      int `json:"tool,omitempty"`
	System    int `json:"system,omitempty"`
	// Notes are markers of which it is not known what they stood for.
	Notes int `json:"notes,omitempty"`
}

// tally counts what is gone, the messages behind earlier markers included.
func (p *plan) tally(previous *sdk.Previous) tally {
	var t tally
	t.Notes = p.markers
	if old, ok := recorded(previous); ok && p.markers > 0 {
		t = old
		t.Notes += p.markers - 1
	}
	t.add(p)
	return t
}

// recorded reads the tally of an earlier eviction.
func recorded(previous *sdk.Previous) (tally, bool) {
	var t tally
	if previous == nil || json.Unmarshal(previous.Record, &t) != nil {
		return tally{}, false
	}
	return t, t.total() > 0
}

// record is the form in which the host keeps a tally.
func (t tally) record() []byte {
	b, _ := json.Marshal(t) // five integers always have a JSON form
	return b
}

// add counts the messages that go now.
func (t *tally) add(p *plan) {
	for i, gone := range p.gone {
		m := &p.view[i]
		switch {
		case !gone || m.Flags.Has(sdk.FlagMarker):
		case m.Role == sdk.RoleTool || holdsResult(m):
			t.Tool++
		case m.Role == sdk.RoleUser:
			t.User++
		case m.Role == sdk.RoleAssistant:
			t.Assistant++
		default:
			t.System++
		}
	}
}

// holdsResult reports whether a message that also holds words of the user
// brought a tool's result.
func holdsResult(m *sdk.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p sdk.Part) bool { return p.Kind == sdk.PartResult })
}

func (t tally) total() int { return t.User + t.Assistant + t.Tool + t.System + t.Notes }

// String lists the kinds of messages, such as "12 user, 9 assistant, 20 tool
// results".
func (t tally) String() string {
	var kinds []string
	for _, k := range []struct {
		n    int
		text string
	}{
		{t.User, strconv.Itoa(t.User) + " user"},
		{t.Assistant, strconv.Itoa(t.Assistant) + " assistant"},
		{t.Tool, counted(t.Tool, "tool result")},
		{t.System, strconv.Itoa(t.System) + " system"},
		{t.Notes, counted(t.Notes, "earlier note")},
	} {
		if k.n > 0 {
			kinds = append(kinds, k.text)
		}
	}
	return strings.Join(kinds, ", ")
}

// counted is a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
