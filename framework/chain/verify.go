package chain

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/sdk"
)

// Rule names a rule of the verifier.
type Rule string

// The rules. A result that breaks one is a failure of its step.
const (
	RuleScript    Rule = "script"     // in range, in order, every index once
	RuleHostOp    Rule = "host_op"    // strip is the host's alone
	RuleSet       Rule = "set"        // the part exists and takes such content
	RuleInsert    Rule = "insert"     // role, text, flags, place
	RuleFixed     Rule = "fixed"      // fixed messages stay
	RuleOpaque    Rule = "opaque"     // provider items are kept or replaced
	RuleUnit      Rule = "unit"       // units are kept or dropped whole
	RuleOpenRound Rule = "open_round" // the open round stays
	RuleRequest   Rule = "request"    // the newest request of the user stays
)

// Violation is what the verifier found in a result.
type Violation struct {
	Rule    Rule
	Message string
}

func (v *Violation) Error() string { return fmt.Sprintf("breaks rule %s: %s", v.Rule, v.Message) }

func violates(rule Rule, format string, args ...any) error {
	return &Violation{Rule: rule, Message: fmt.Sprintf(format, args...)}
}

// verifier checks one script against the view it was made for.
type verifier struct {
	base     *dialect.View
	step     *Step
	pinned   *Pinned
	requests []request
	target   sdk.Tokens
}

// verify returns the items that the script makes of the base, with what pins
// keep put back, and how many changes that took. The error is a *Violation.
func (v *verifier) verify(s sdk.Script) ([]sdk.Item, int, error) {
	if err := v.operations(s); err != nil {
		return nil, 0, err
	}
	n := len(v.base.Messages)
	items, err := s.Apply(sdk.Originals(n))
	if err != nil {
		return nil, 0, violates(RuleScript, "%v", err)
	}
	items, taken := v.pinned.restore(v.base, items)
	e := editsOf(items, n)
	for _, check := range []func(*edits) error{v.fixed, v.units, v.places, v.lead, v.openRound} {
		if err := check(e); err != nil {
			return nil, taken, err
		}
	}
	if !v.base.Untouched() {
		if items, err = sdk.ScriptOf(items, n).Apply(v.base.Items); err != nil {
			return nil, taken, violates(RuleScript, "%v", err)
		}
	}
	return items, taken, v.request(items)
}

// edits is a script's outcome by index of the base.
type edits struct {
	items []sdk.Item
	// kept and edited tell what became of each message.
	kept, edited []bool
	inserted     []*sdk.Insert
}

func editsOf(items []sdk.Item, n int) *edits {
	e := &edits{items: items, kept: make([]bool, n), edited: make([]bool, n)}
	for i := range items {
		if items[i].Insert != nil {
			e.inserted = append(e.inserted, items[i].Insert)
			continue
		}
		e.kept[items[i].Source] = true
		e.edited[items[i].Source] = len(items[i].Edits) > 0
	}
	return e
}

func (e *edits) hasItem() bool {
	for _, m := range e.inserted {
		if m.Item != "" {
			return true
		}
	}
	return false
}

// operations checks each operation by itself.
func (v *verifier) operations(s sdk.Script) error {
	for i, op := range s {
		switch op.Kind {
		case sdk.OpStrip:
			return violates(RuleHostOp, "op %d is a strip", i)
		case sdk.OpSet:
			if err := v.set(op); err != nil {
				return err
			}
		case sdk.OpInsert:
			if err := insert(op.Insert); err != nil {
				return err
			}
		}
	}
	return nil
}

func (v *verifier) set(op sdk.Op) error {
	if op.From < 0 || op.From >= len(v.base.Messages) {
		return violates(RuleScript, "set of message %d, of %d", op.From, len(v.base.Messages))
	}
	parts := v.base.Messages[op.From].Parts
	if op.Part < 0 || op.Part >= len(parts) {
		return violates(RuleSet, "message %d has no part %d", op.From, op.Part)
	}
	kind := parts[op.Part].Kind
	switch {
	case kind == sdk.PartCall && op.As == sdk.AsInput:
		var object map[string]json.RawMessage
		if err := json.Unmarshal([]byte(op.Text), &object); err != nil || object == nil {
			return violates(RuleSet, "the input of the call in message %d is not a JSON object", op.From)
		}
		return nil
	case op.As == sdk.AsStub && (kind == sdk.PartText || kind == sdk.PartResult || kind == sdk.PartMedia),
		op.As == sdk.AsText && (kind == sdk.PartText || kind == sdk.PartResult):
		if strings.TrimSpace(op.Text) == "" {
			return violates(RuleSet, "message %d, part %d would be empty", op.From, op.Part)
		}
		return nil
	}
	return violates(RuleSet, "message %d, part %d: a part of kind %s cannot be set as %q", op.From, op.Part, kind, op.As)
}

// insertFlags are the flags that a strategy may set.
const insertFlags = sdk.FlagCheckpoint | sdk.FlagSummary | sdk.FlagMarker

func insert(m *sdk.Insert) error {
	switch {
	case m == nil:
		return violates(RuleInsert, "no message")
	case m.Item != "":
		// Handles are only handed out by a provider's compaction.
		return violates(RuleOpaque, "unknown item %q", m.Item)
	case m.Role != sdk.RoleUser && m.Role != sdk.RoleAssistant:
		return violates(RuleInsert, "role %q", m.Role)
	case m.Flags&^insertFlags != 0:
		return violates(RuleInsert, "flags %#x", uint32(m.Flags&^insertFlags))
	case len(m.Text) == 0:
		return violates(RuleInsert, "a message without text")
	}
	for i, t := range m.Text {
		if strings.TrimSpace(t) == "" {
			return violates(RuleInsert, "text %d is empty", i)
		}
	}
	return nil
}

// fixed checks the messages that only the host or the provider may touch.
func (v *verifier) fixed(e *edits) error {
	replaced := e.hasItem()
	for i := range v.base.Messages {
		f := v.base.Messages[i].Flags
		switch {
		case f.Has(sdk.FlagFixed) && (!e.kept[i] || e.edited[i]):
			return violates(RuleFixed, "message %d is fixed", i)
		case f.Has(sdk.FlagOpaque) && (e.edited[i] || !e.kept[i] && !replaced):
			return violates(RuleOpaque, "message %d is a provider's item", i)
		}
	}
	return nil
}

// units checks that units are kept or dropped whole.
func (v *verifier) units(e *edits) error {
	var kept []bool // by unit; units are numbered in order of their first messages
	for i := range v.base.Messages {
		u := v.base.Messages[i].Unit
		if u == len(kept) {
			kept = append(kept, e.kept[i])
		}
		if kept[u] != e.kept[i] {
			return violates(RuleUnit, "message %d belongs to unit %d, of which only a part is kept", i, u)
		}
	}
	return nil
}

// places checks that nothing is inserted where it would part what belongs
// together: neighbours of one unit, or a call and its result.
func (v *verifier) places(e *edits) error {
	if len(e.inserted) == 0 {
		return nil
	}
	// Where no unit is open nothing can be parted; only else calls and results
	// have to be paired.
	var results []int
	ends := unitEnds(v.base.Messages)
	inserted := false
	prev, open := -1, -1 // the last original, and the end of the units begun up to it
	for i := range e.items {
		it := &e.items[i]
		if it.Insert != nil {
			inserted = true
			continue
		}
		at := it.Source
		if inserted && at <= open {
			if results == nil {
				results = answers(v.base.Messages)
			}
			if v.neighbours(prev, at) || slices.Max(results[:prev+1]) >= at {
				return violates(RuleInsert, "in front of message %d, inside a unit", at)
			}
		}
		inserted, prev, open = false, at, max(open, ends[v.base.Messages[at].Unit])
	}
	return nil
}

// unitEnds are the last messages of the units, by unit.
func unitEnds(messages []dialect.Message) []int {
	var ends []int // units are numbered in order of their first messages
	for i := range messages {
		if u := messages[i].Unit; u == len(ends) {
			ends = append(ends, i)
		} else {
			ends[u] = i
		}
	}
	return ends
}

// neighbours reports whether two messages belong to one unit and nothing but
// system messages stood between them.
func (v *verifier) neighbours(a, b int) bool {
	if a < 0 || v.base.Messages[a].Unit != v.base.Messages[b].Unit {
		return false
	}
	for i := a + 1; i < b; i++ {
		if v.base.Messages[i].Class != dialect.ClassSystem {
			return false
		}
	}
	return true
}

// answers finds, for each message with calls, the last message that answers
// one of them, by position; -1 for the others.
func answers(messages []dialect.Message) []int {
	last := make([]int, len(messages))
	open := map[string][]int{}
	for i := range messages {
		last[i] = -1
		for _, id := range messages[i].Results {
			if n := len(open[id]); n > 0 {
				last[open[id][n-1]] = i
				open[id] = open[id][:n-1]
			}
		}
		for _, id := range messages[i].Calls {
			open[id] = append(open[id], i)
		}
	}
	return last
}

// lead checks that nothing is inserted in front of the fixed messages that lead
// the list.
func (v *verifier) lead(e *edits) error {
	for i := range e.items {
		if it := &e.items[i]; it.Insert == nil && it.Source != i && v.leads(it.Source) {
			return violates(RuleInsert, "in front of message %d, which is fixed", it.Source)
		}
	}
	return nil
}

// leads reports whether all messages up to the given one are fixed.
func (v *verifier) leads(at int) bool {
	for i := range at + 1 {
		if !v.base.Messages[i].Flags.Has(sdk.FlagFixed) {
			return false
		}
	}
	return true
}

func (v *verifier) openRound(e *edits) error {
	if v.step.CoverOpenRound {
		return nil
	}
	for i := range v.base.Messages {
		if v.base.Messages[i].Flags.Has(sdk.FlagOpenRound) && (!e.kept[i] || e.edited[i]) {
			return violates(RuleOpenRound, "message %d belongs to the open round", i)
		}
	}
	return nil
}

// request checks that the newest requests of the user that were in the base
// are in the result.
func (v *verifier) request(items []sdk.Item) error {
	if !v.step.KeepRequest {
		return nil
	}
	c := v.base.Conversation
	for i := range v.requests {
		q := &v.requests[i]
		if q.in(c, v.base.Items, v.target) && !q.in(c, items, v.target) {
			return violates(RuleRequest, "message %d of the transcript is the user's newest request", q.source)
		}
	}
	return nil
}
