package evict_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/sdk"
)

var roles = map[byte]sdk.Role{
	'u': sdk.RoleUser, 'a': sdk.RoleAssistant, 't': sdk.RoleTool, 's': sdk.RoleSystem,
}

var flags = map[byte]sdk.Flags{
	'F': sdk.FlagFixed, 'P': sdk.FlagPinned, 'O': sdk.FlagOpaque, 'R': sdk.FlagOpenRound,
	'Q': sdk.FlagRequest, 'S': sdk.FlagSummary, 'M': sdk.FlagMarker,
}

// viewOf reads a view from words such as "s20F u40 a40 t40 t40 u40P": role,
// size and flags. A result belongs to the unit of the message before it, and
// so does a message with a '+'; one with a '^' belongs to the unit before that.
func viewOf(t testing.TB, words string) sdk.View {
	t.Helper()
	var v sdk.View
	unit := -1
	for i, w := range strings.Fields(words) {
		m := sdk.Message{Index: i, Role: roles[w[0]]}
		rest := strings.TrimLeft(w[1:], "0123456789")
		n, err := strconv.Atoi(w[1 : len(w)-len(rest)])
		if m.Role == "" || err != nil {
			t.Fatalf("%q is no message", w)
		}
		m.Tokens = sdk.Tokens(n)
		for _, c := range []byte(rest) {
			m.Flags |= flags[c]
		}
		switch {
		case strings.Contains(rest, "^"):
			m.Unit = unit - 1
		case m.Role == sdk.RoleTool || strings.Contains(rest, "+"):
			m.Unit = unit
		default:
			unit++
			m.Unit = unit
		}
		v = append(v, m)
	}
	return v
}

// applied writes the list that a result makes: the positions that stay, and M
// for the marker. An unchanged result is "unchanged".
func applied(t testing.TB, v sdk.View, r *sdk.Result) string {
	t.Helper()
	if !r.Script.Changes() {
		if r.Reason == "" {
			t.Error("unchanged without a reason")
		}
		return "unchanged"
	}
	items, err := r.Script.Apply(sdk.Originals(len(v)))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, it := range items {
		switch {
		case it.Insert == nil:
			out = append(out, strconv.Itoa(it.Source))
		case it.Insert.Role == sdk.RoleUser && it.Insert.Flags == sdk.FlagMarker && len(it.Insert.Text) == 1:
			out = append(out, "M")
		default:
			t.Errorf("inserted %+v, which is no marker", *it.Insert)
		}
	}
	return strings.Join(out, " ")
}

// markerOf returns the text of the inserted marker.
func markerOf(r *sdk.Result) string {
	for _, op := range r.Script {
		if op.Kind == sdk.OpInsert {
			return op.Insert.Text[0]
		}
	}
	return ""
}

// requestOf is a request whose budget is measured on the view.
func requestOf(v sdk.View, b sdk.Budget) *sdk.Request {
	for i := range v {
		if v[i].Flags.Has(sdk.FlagFixed) {
			b.Overhead += v[i].Tokens
		}
	}
	b.Size = b.Overhead + v.Tokens()
	return &sdk.Request{Reason: sdk.ReasonThreshold, Attempt: 1, Budget: b, View: v}
}

// meter is a host that counts and does nothing else; each text costs the same.
type meter struct {
	sdk.Host
	each sdk.Tokens
	err  error
}

func (m meter) Count(_ context.Context, texts ...string) ([]sdk.Tokens, error) {
	if m.err != nil {
		return nil, m.err
	}
	out := make([]sdk.Tokens, len(texts))
	for i := range out {
		out[i] = m.each
	}
	return out, nil
}

// sizeAfter is what a result leaves of a request, markers at the meter's price.
func sizeAfter(t testing.TB, r *sdk.Request, res *sdk.Result, marker sdk.Tokens) sdk.Tokens {
	t.Helper()
	items, err := res.Script.Apply(sdk.Originals(len(r.View)))
	if err != nil {
		t.Fatal(err)
	}
	n := r.Budget.Overhead
	for _, it := range items {
		switch {
		case it.Insert != nil:
			n += marker
		case !r.View[it.Source].Flags.Has(sdk.FlagFixed):
			n += r.View[it.Source].Tokens
		}
	}
	return n
}

// repeat is a word several times over.
func repeat(n int, words string) string {
	return strings.TrimSpace(strings.Repeat(fmt.Sprintf("%s ", words), n))
}
