package test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework/chain"
	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/all"
	"github.com/compactor-host/compactor/framework/meter"
	"github.com/compactor-host/compactor/sdk"
	"github.com/compactor-host/compactor/sdk/strategytest"
	cleartools "github.com/compactor-host/compactor/strategies/clear-tools"
	"github.com/compactor-host/compactor/strategies/evict"
)

// cases is how many conversations TestChains makes of each dialect, unless the
// environment variable COMPACTOR_CASES says otherwise.
const cases = 250

// TestChains runs random chains of real and random strategies over random
// conversations that grow, and proves what the host promises whatever a
// strategy does.
func TestChains(t *testing.T) {
	n := uint64(cases)
	if more, err := strconv.ParseUint(os.Getenv("COMPACTOR_CASES"), 10, 32); err == nil {
		n = more
	}
	for _, name := range strategytest.Dialects {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reached := 0
			for seed := range n {
				rng := rand.New(rand.NewPCG(seed, 7))
				w := newWorld(rng, dialect.Name(name))
				if err := w.live(t.Context()); err != nil {
					t.Errorf("seed %d, features %b: %v", seed, w.shape.With, err)
				}
				reached += w.reached
			}
			if reached == 0 {
				t.Error("no compaction reached its target: this proves little")
			}
		})
	}
}

// world is one conversation with its chain.
type world struct {
	*rand.Rand
	name    dialect.Name
	shape   strategytest.Shape
	talk    *strategytest.Conversation
	chain   chain.Chain
	pins    []config.Pin
	meter   *meter.Meter
	items   []sdk.Item // the view so far
	covered int        // messages of the transcript that items cover
	stored  []*sdk.Previous
	reached int
}

func newWorld(rng *rand.Rand, name dialect.Name) *world {
	w := &world{Rand: rng, name: name, meter: meter.New(nil, "")}
	w.shape = strategytest.Shape{Exchanges: 1 + rng.IntN(6), With: strategytest.Feature(rng.Uint32()) & strategytest.AllFeatures}
	if rng.IntN(2) == 0 {
		w.shape.With &= strategytest.CleanFeatures(string(name))
	}
	w.talk = strategytest.Generate(rng, w.shape)
	for range 1 + rng.IntN(3) {
		w.chain.Steps = append(w.chain.Steps, w.step())
	}
	w.chain.Strict = rng.IntN(4) == 0
	for rng.IntN(3) == 0 {
		w.pins = append(w.pins, []config.Pin{
			{Roles: []sdk.Role{sdk.RoleUser}, Position: "first"},
			{Tool: "read_file"},
			{Pattern: "a{2}|the"},
			{Roles: []sdk.Role{sdk.RoleTool}, Position: "2"},
			{Position: "last"},
		}[rng.IntN(5)])
	}
	return w
}

// step is a real strategy or one that does what it likes.
func (w *world) step() chain.Step {
	var s sdk.Strategy
	var err error
	name := []string{"evict", "clear-tools", "random"}[w.IntN(3)]
	switch name {
	case "evict":
		s, err = evict.New(evict.Options{KeepRecentTokens: sdk.Tokens(w.IntN(3) * w.IntN(2000))})
	case "clear-tools":
		s, err = cleartools.New(cleartools.Options{KeepRecentToolResults: w.IntN(4), ClearInputs: w.IntN(2) == 0})
	default:
		s = sdk.StrategyFunc(w.whatever)
	}
	return chain.Step{
		Name:           name,
		KeepRequest:    w.IntN(4) > 0,
		CoverOpenRound: w.IntN(4) == 0,
		FromStart:      w.IntN(4) == 0,
		Open: func(context.Context) (*chain.Opened, error) {
			return &chain.Opened{Strategy: s, Need: sdk.NeedOf(s)}, err
		},
	}
}

// live compacts the conversation up to five times, as it grows.
func (w *world) live(ctx context.Context) error {
	for i := range 1 + w.IntN(5) {
		if i > 0 {
			w.talk.Grow(w.Rand, 1+w.IntN(3))
		}
		if err := w.compact(ctx); err != nil {
			return fmt.Errorf("compaction %d by %s: %w", i+1, w.steps(), err)
		}
	}
	return nil
}

func (w *world) steps() string {
	var names []string
	for i := range w.chain.Steps {
		names = append(names, w.chain.Steps[i].Name)
	}
	return strings.Join(names, ", ")
}

func (w *world) compact(ctx context.Context) error {
	body := w.talk.Body(string(w.name))
	format, _ := all.ByName(w.name)
	conv, err := format.Parse(body)
	if err != nil {
		if w.shape.With.Has(strategytest.Hostile) {
			return nil // not understood: it is passed on as it is
		}
		return err
	}
	for i := w.covered; i < len(conv.Messages); i++ {
		w.items = append(w.items, sdk.Item{Source: i})
	}
	w.covered = len(conv.Messages)
	in := w.input(conv)
	res, err := w.chain.Run(ctx, in)
	if err != nil {
		return err
	}
	if err := w.check(in, res); err != nil {
		return err
	}
	w.items = res.View.Items
	w.stored = make([]*sdk.Previous, len(w.chain.Steps))
	for _, a := range res.Attempts {
		w.stored[a.Step] = a.Store
	}
	return nil
}

// input aims anywhere between nothing and the whole size.
func (w *world) input(conv *dialect.Conversation) chain.Input {
	in := chain.Input{
		Conversation: conv, Start: slices.Clone(w.items), Meter: w.meter, Previous: w.stored,
		Reason: sdk.ReasonThreshold, Forced: w.IntN(4) == 0,
	}
	if pins, err := chain.NewPins(w.pins); err == nil {
		in.Pinned = pins.Bind(conv)
	}
	if v, err := conv.View(in.Start); err == nil {
		size := int(w.meter.View(v).Total)
		in.Target = sdk.Tokens(w.IntN(size + 1))
		in.Ceiling = in.Target + sdk.Tokens(w.IntN(1000))
	}
	return in
}

// check proves the promises on a result.
func (w *world) check(in chain.Input, res *chain.Result) error {
	conv := in.Conversation
	out, err := res.View.Render()
	if err != nil {
		return err
	}
	if !json.Valid(out) {
		return errors.New("the body made is not JSON")
	}
	if fresh := dialect.NewFindings(w.findings(conv.Body), w.findings(out)); len(fresh) > 0 {
		return fmt.Errorf("the body made breaks a rule: %+v", fresh[0])
	}
	if again, err := res.Script.Apply(sdk.Originals(len(conv.Messages))); err != nil {
		return err
	} else if v, err := conv.View(again); err != nil {
		return err
	} else if b, _ := v.Render(); string(b) != string(out) {
		return errors.New("the script makes another body than the view")
	}
	if err := w.kept(in, res); err != nil {
		return err
	}
	if err := sameBytes(res.View, out); err != nil {
		return err
	}
	if res.After.Tokens > res.Before.Tokens {
		return fmt.Errorf("grew from %d to %d tokens", res.Before.Tokens, res.After.Tokens)
	}
	return w.target(in, res)
}

// sameBytes proves that messages which nobody edited stand in the body as they
// came.
func sameBytes(v *dialect.View, out []byte) error {
	made, err := v.Conversation.Format.Parse(out)
	if err != nil {
		return err
	}
	if len(made.Messages) != len(v.Messages) {
		return fmt.Errorf("the body has %d messages, the view %d", len(made.Messages), len(v.Messages))
	}
	for i := range v.Items {
		if it := &v.Items[i]; it.Insert == nil && len(it.Edits) == 0 {
			was, now := v.Messages[i].Span, made.Messages[i].Span
			if string(v.Conversation.Body[was.From:was.To]) != string(out[now.From:now.To]) {
				return fmt.Errorf("message %d was not edited, but reads otherwise", it.Source)
			}
		}
	}
	return nil
}

// findings are the rules that a body breaks. Where calls and results are out
// of order already, a message less changes by which name a rule calls it, and
// how often: one result too many is then a second one, one without a call, or
// one too late. All that is one finding here.
func (w *world) findings(body []byte) []dialect.Finding {
	found := dialect.Check(w.name, body)
	if !w.shape.With.Has(strategytest.Hostile) {
		return found
	}
	pairing := func(f dialect.Finding) bool {
		return slices.ContainsFunc([]string{"orphan", "missing-result", "second", "unique", "between", "before its call", "unanswered", "answers a"},
			func(word string) bool { return strings.Contains(f.Rule+" "+f.Message, word) })
	}
	if !slices.ContainsFunc(found, pairing) {
		return found
	}
	return append(slices.DeleteFunc(found, pairing), dialect.Finding{Rule: "pairing", Message: "calls and results do not pair"})
}

// kept proves that what must stay has stayed, byte for byte.
func (w *world) kept(in chain.Input, res *chain.Result) error {
	conv := in.Conversation
	now := map[int]*sdk.Item{}
	for i := range res.View.Items {
		if it := &res.View.Items[i]; it.Insert == nil {
			now[it.Source] = it
		}
	}
	keepRequest := true
	for i := range w.chain.Steps {
		keepRequest = keepRequest && w.chain.Steps[i].KeepRequest
	}
	for i := range conv.Messages {
		m := &conv.Messages[i]
		it := now[i]
		switch {
		case m.Flags.Has(sdk.FlagFixed) && (it == nil || len(it.Edits) > 0):
			return fmt.Errorf("message %d is fixed and was touched", i)
		case m.Flags.Has(sdk.FlagOpaque) && (it == nil || len(it.Edits) > 0):
			return fmt.Errorf("message %d is a provider's item and was touched", i)
		case m.Flags.Has(sdk.FlagRequest) && keepRequest && it == nil && !repeated(conv, m, res.View.Items):
			return fmt.Errorf("message %d is the newest request and is gone", i)
		}
		for _, p := range in.Pinned.Parts(i) {
			if it == nil {
				return fmt.Errorf("message %d is pinned and is gone", i)
			}
			if slices.ContainsFunc(it.Edits, func(e sdk.Edit) bool { return e.Part == p && !e.Strip }) {
				return fmt.Errorf("part %d of message %d is pinned and was rewritten", p, i)
			}
		}
	}
	return nil
}

// repeated reports whether an inserted message of the user holds all words of a
// message, each text as the end of one of its own, and the message had no media.
func repeated(conv *dialect.Conversation, m *dialect.Message, items []sdk.Item) bool {
	for i := range items {
		if in := items[i].Insert; in != nil && in.Role == sdk.RoleUser && holds(conv, m, in) {
			return true
		}
	}
	return false
}

func holds(conv *dialect.Conversation, m *dialect.Message, in *sdk.Insert) bool {
	for p := range m.Parts {
		switch m.Parts[p].Kind {
		case sdk.PartMedia:
			return false
		case sdk.PartText:
			words := conv.Text(&m.Parts[p])
			if !slices.ContainsFunc(in.Text, func(text string) bool { return strings.HasSuffix(text, words) }) {
				return false
			}
		}
	}
	return true
}

// markerFrame is what evict reserves for its marker beside the words.
const markerFrame = 4

// target proves that a chain which ends in evict reaches the target whenever
// what it may not touch is under it.
func (w *world) target(in chain.Input, res *chain.Result) error {
	if res.Fits() {
		w.reached++
		return nil
	}
	last := &w.chain.Steps[len(w.chain.Steps)-1]
	if last.Name != "evict" || last.FromStart || w.chain.Strict {
		return nil
	}
	sizes := w.meter.View(res.View)
	unit, flags := unitsAtStart(in, res.View)
	held := map[int]bool{}
	for i := range res.View.Messages {
		f := flags[i] & (sdk.FlagFixed | sdk.FlagOpaque | sdk.FlagMarker)
		if last.KeepRequest {
			f |= flags[i] & sdk.FlagRequest
		}
		if !last.CoverOpenRound {
			f |= flags[i] & sdk.FlagOpenRound
		}
		it := &res.View.Items[i]
		words := last.KeepRequest && it.Insert != nil && w.repeats(in.Conversation, it)
		if f != 0 || it.Insert == nil && len(in.Pinned.Parts(it.Source)) > 0 || words {
			held[unit[i]] = true
		}
	}
	// evict always keeps the newest unit, and the system messages behind it.
	for i := len(res.View.Messages) - 1; i >= 0; i-- {
		m := &res.View.Messages[i]
		held[unit[i]] = true
		if m.Role != sdk.RoleSystem && m.Flags&(sdk.FlagFixed|sdk.FlagMarker) == 0 {
			break
		}
	}
	floor := sizes.Overhead + markerFrame + markerWords
	for i := range res.View.Messages {
		if held[unit[i]] && !flags[i].Has(sdk.FlagFixed) {
			floor += sizes.Messages[i]
		}
	}
	if floor <= res.Target {
		return fmt.Errorf("%d tokens are left at target %d, but what must stay is %d", res.After.Tokens, res.Target, floor)
	}
	return nil
}

// unitsAtStart returns, for each message of a view, its unit and its flags in
// the start view, which is what a step decides by: where calls and results are
// out of order, a list with fewer messages has smaller units and another open
// round. Inserted messages have units of their own.
func unitsAtStart(in chain.Input, v *dialect.View) (units []int, flags []sdk.Flags) {
	unitOf, flagsOf := map[int]int{}, map[int]sdk.Flags{}
	if start, err := in.Conversation.View(in.Start); err == nil {
		for i := range start.Messages {
			if at := start.Items[i].Source; at >= 0 {
				unitOf[at], flagsOf[at] = start.Messages[i].Unit, start.Messages[i].Flags
			}
		}
	}
	for i := range v.Messages {
		u, f := -1-i, v.Messages[i].Flags
		if at := v.Items[i].Source; v.Items[i].Insert == nil {
			u, f = unitOf[at], f|flagsOf[at]
		}
		units, flags = append(units, u), append(flags, f)
	}
	return units, flags
}

// markerWords is what the words of a marker may be, in tokens, where none was
// made because it would have cost more than it saved.
const markerWords = 40

// repeats reports whether an inserted message stands for a newest request.
func (w *world) repeats(conv *dialect.Conversation, it *sdk.Item) bool {
	for i := range conv.Messages {
		if m := &conv.Messages[i]; m.Flags.Has(sdk.FlagRequest) && repeated(conv, m, []sdk.Item{*it}) {
			return true
		}
	}
	return false
}
