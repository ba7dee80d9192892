package cleartools_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/sdk"
)

var roles = map[byte]sdk.Role{
	'u': sdk.RoleUser, 'a': sdk.RoleAssistant, 'c': sdk.RoleAssistant, 'r': sdk.RoleTool, 's': sdk.RoleSystem,
}

var kinds = map[byte]sdk.PartKind{
	'u': sdk.PartText, 'a': sdk.PartText, 's': sdk.PartText, 'c': sdk.PartCall, 'r': sdk.PartResult,
}

var flags = map[byte]sdk.Flags{
	'F': sdk.FlagFixed, 'P': sdk.FlagPinned, 'O': sdk.FlagOpaque, 'R': sdk.FlagOpenRound, 'Q': sdk.FlagRequest,
}

// viewOf reads a view from words such as "u:40 c:read:30/c:bash:20 r:read:400".
// A word is a message, a slash parts its parts. Parts are user's, assistant's
// or system text, calls and results, each with its tool, size and marks: F, P,
// O, R and Q flag the message, s and e say stub and error. A message of results
// belongs to the unit before it.
func viewOf(t testing.TB, words string) sdk.View {
	t.Helper()
	var v sdk.View
	unit := -1
	for i, w := range strings.Fields(words) {
		m := sdk.Message{Index: i, Role: roles[w[0]]}
		for p := range strings.SplitSeq(w, "/") {
			part, marks := partOf(t, p)
			m.Parts = append(m.Parts, part)
			m.Tokens += part.Tokens
			m.Flags |= marks
		}
		if m.Role != sdk.RoleTool {
			unit++
		}
		m.Unit = unit
		v = append(v, m)
	}
	return v
}

func partOf(t testing.TB, word string) (sdk.Part, sdk.Flags) {
	t.Helper()
	fields := strings.Split(word, ":")
	size := fields[len(fields)-1]
	marks := strings.TrimLeft(size, "0123456789")
	n, err := strconv.Atoi(strings.TrimSuffix(size, marks))
	p := sdk.Part{Kind: kinds[word[0]], Tokens: sdk.Tokens(n)}
	if err != nil || p.Kind == "" {
		t.Fatalf("%q is no part", word)
	}
	if len(fields) == 3 {
		p.Tool = fields[1]
	}
	p.Stub, p.Error = strings.Contains(marks, "s"), strings.Contains(marks, "e")
	var f sdk.Flags
	for _, c := range []byte(marks) {
		f |= flags[c]
	}
	return p, f
}

// edited lists the parts that a result changes: message.part for a stub, and
// with an i for an input. An unchanged result is "unchanged".
func edited(t testing.TB, v sdk.View, r *sdk.Result) string {
	t.Helper()
	if !r.Script.Changes() {
		if r.Reason == "" {
			t.Error("unchanged without a reason")
		}
		return "unchanged"
	}
	var out []string
	for i, it := range itemsOf(t, v, r) {
		for _, e := range it.Edits {
			word := fmt.Sprintf("%d.%d", i, e.Part)
			if e.As == sdk.AsInput {
				word += "i"
			}
			out = append(out, word)
		}
	}
	return strings.Join(out, " ")
}

// itemsOf applies a result and holds it against T-15: every message is there,
// in its place, stubs stand for results and inputs for calls.
func itemsOf(t testing.TB, v sdk.View, r *sdk.Result) []sdk.Item {
	t.Helper()
	items, err := r.Script.Apply(sdk.Originals(len(v)))
	if err != nil {
		t.Fatal(err)
	}
	if len(items) != len(v) {
		t.Fatalf("T-15: %d messages became %d", len(v), len(items))
	}
	form := map[sdk.SetAs]sdk.PartKind{sdk.AsStub: sdk.PartResult, sdk.AsInput: sdk.PartCall}
	for i, it := range items {
		if it.Source != i {
			t.Fatalf("T-15: message %d stands at %d", it.Source, i)
		}
		for _, e := range it.Edits {
			if kind := v[i].Parts[e.Part].Kind; kind != form[e.As] {
				t.Fatalf("T-15: a %s was set as %q", kind, e.As)
			}
		}
	}
	return items
}

// textsOf returns the new contents in order.
func textsOf(r *sdk.Result) []string {
	var out []string
	for _, op := range r.Script {
		if op.Kind == sdk.OpSet {
			out = append(out, op.Text)
		}
	}
	return out
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

// meter is a host that counts and does nothing else. Each text costs the same,
// and it has to be one of very few.
type meter struct {
	sdk.Host
	each sdk.Tokens
	err  error
}

func (m meter) Count(_ context.Context, texts ...string) ([]sdk.Tokens, error) {
	if m.err != nil {
		return nil, m.err
	}
	return slices.Repeat([]sdk.Tokens{m.each}, len(texts)), nil
}
