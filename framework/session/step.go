package session

import (
	"fmt"
	"slices"

	"github.com/compactor-host/compactor/framework/chain"
	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/meter"
	"github.com/compactor-host/compactor/framework/store"
	"github.com/compactor-host/compactor/sdk"
)

// Step is one request of a conversation, with what is remembered of it. It is
// used by one goroutine.
type Step struct {
	Arrival
	Sketch *dialect.Sketch
	Thread *Thread
	// Checkpoint is the one in force, nil for none.
	Checkpoint *store.Checkpoint
	// Restored says that the checkpoint was found in the store or with another
	// thread, for the first time.
	Restored bool

	sessions *Sessions
	drawer   drawer
	usable   func(*store.Checkpoint) bool
	// found are the checkpoints of other threads that a new one takes over.
	found []*store.Checkpoint
	// unfit are checkpoints that turned out not to fit what came after them.
	unfit  map[string]bool
	script payload
	trail  trail
	// filed is where the trail is kept, as mine.
	filed *filed
	mine  *trail
	// recognised is how many messages were known byte for byte.
	recognised int
	// conv is the whole body read, once somebody needs it.
	conv *dialect.Conversation
	// lane is what Lane returned.
	lane string
}

// Messages is the number of messages of the request.
func (st *Step) Messages() int { return len(st.trail.hashes) }

// Known is how many messages were in an earlier request byte for byte.
func (st *Step) Known() int { return st.recognised }

// Sent is the number of messages of the view under the checkpoint in force.
func (st *Step) Sent() int {
	if f, err := st.fragment(); err == nil && f != nil {
		return st.Messages() - f.covered + f.messages
	}
	return st.Messages()
}

// Prefix is the hash of the whole request.
func (st *Step) Prefix() store.Hash {
	if n := len(st.trail.hashes); n > 0 {
		return st.trail.hashes[n-1]
	}
	return store.Hash{}
}

// Settled is how many messages of the request will come again: all but system
// messages at its end. Claude Code ends every request in a fresh one, which
// the next request does not have.
func (st *Step) Settled() int {
	n := len(st.trail.facts)
	for n > 1 && st.trail.facts[n-1].class == dialect.ClassSystem {
		n--
	}
	if n == 1 && st.trail.facts[0].class == dialect.ClassSystem {
		return len(st.trail.facts)
	}
	return n
}

// user is the hash up to the last message of the user.
func (st *Step) user() store.Hash {
	for i := len(st.trail.facts) - 1; i >= 0; i-- {
		if st.trail.facts[i].class == dialect.ClassUser {
			return st.trail.hashes[i]
		}
	}
	return store.Hash{}
}

// Conversation is the whole body, read at the first call.
func (st *Step) Conversation() (*dialect.Conversation, error) {
	if st.conv == nil {
		c, err := st.Format.Parse(st.Body)
		if err != nil {
			return nil, err
		}
		st.conv = c
	}
	return st.conv, nil
}

// covered is how many messages the checkpoint in force stands for.
func (st *Step) covered() int {
	if st.Checkpoint == nil {
		return 0
	}
	return st.Checkpoint.Messages
}

// Start is the view that a compaction starts from: what was sent last, and what
// is new. It comes with its sizes by a meter.
func (st *Step) Start(m *meter.Meter) (*chain.Measured, error) {
	v, err := st.view()
	if err != nil {
		return nil, err
	}
	return &chain.Measured{View: v, Sizes: m.View(v)}, nil
}

// view is the view under the checkpoint in force. A checkpoint that does not
// fit what came after it is passed over, and so an older one may be in force
// after the call.
func (st *Step) view() (*dialect.View, error) {
	conv, err := st.Conversation()
	if err != nil {
		return nil, err
	}
	for st.Checkpoint != nil {
		v, err := st.under(conv)
		if err == nil {
			return v, nil
		}
		st.passOver(err)
	}
	return conv.View(nil)
}

// passOver leaves the checkpoint in force for an older one, or none.
func (st *Step) passOver(why error) {
	st.sessions.log.Info("a checkpoint does not fit what came after it", "checkpoint", st.Checkpoint.ID, "why", why)
	if st.unfit == nil {
		st.unfit = map[string]bool{}
	}
	st.unfit[st.Checkpoint.ID] = true
	st.Refresh()
}

// under is the view under the checkpoint in force, or why there is none.
func (st *Step) under(conv *dialect.Conversation) (*dialect.View, error) {
	covered := st.covered()
	items, err := st.script.Script.Apply(sdk.Originals(covered))
	if err != nil {
		return nil, err
	}
	for i := covered; i < len(conv.Messages); i++ {
		items = append(items, sdk.Item{Source: i})
	}
	v, err := conv.View(items)
	if err != nil {
		return nil, err
	}
	return v, answered(conv, v, covered)
}

// answered says which result that came later answers a call that the
// checkpoint took out.
func answered(conv *dialect.Conversation, v *dialect.View, covered int) error {
	var calls map[string]bool
	for i := covered; i < len(conv.Messages); i++ {
		for _, id := range conv.Messages[i].Results {
			if calls == nil {
				calls = callsOf(v.Messages)
			}
			if !calls[id] && callsOf(conv.Messages[:i])[id] {
				return fmt.Errorf("message %d answers call %q, which is not in the view", i, id)
			}
		}
	}
	return nil
}

func callsOf(ms []dialect.Message) map[string]bool {
	calls := map[string]bool{}
	for i := range ms {
		for _, id := range ms[i].Calls {
			calls[id] = true
		}
	}
	return calls
}

// fragment is the rendered part that stands for what the checkpoint covers; nil
// without a checkpoint.
func (st *Step) fragment() (*fragment, error) {
	if st.Checkpoint == nil {
		return nil, nil
	}
	f := st.sessions.fragments.get(st.trail.fragment, st.Checkpoint.ID)
	if f != nil && f.covered <= st.recognised && !st.late() {
		return f, nil
	}
	v, err := st.view()
	if err != nil || st.Checkpoint == nil {
		return nil, err
	}
	body, err := v.Render()
	if err != nil {
		return nil, err
	}
	// A record of the store may have been damaged, or written by a host that
	// knew the rules less well.
	if broken := dialect.Broken(st.Format.Name(), st.Body, body); len(broken) > 0 {
		st.passOver(fmt.Errorf("it would break a provider's rule at %s: %s", broken[0].Place, broken[0].Message))
		return st.fragment()
	}
	return st.keep(v, body)
}

// late reports whether a result behind the checkpoint answers a call from long
// before, which may be one that was taken out.
func (st *Step) late() bool {
	return slices.ContainsFunc(st.trail.facts[st.covered():], func(f fact) bool { return f.marks&distant != 0 })
}

// keep cuts the fragment of the checkpoint in force out of a body that was made
// with it, and keeps it for the next step.
func (st *Step) keep(v *dialect.View, body []byte) (*fragment, error) {
	sk, err := st.Format.Sketch(body, nil)
	if err != nil {
		return nil, err
	}
	n := len(v.Messages) - (st.Messages() - st.covered())
	if sk.Len() != len(v.Messages) || n < 0 {
		return nil, fmt.Errorf("a view of %d messages was written as %d", len(v.Messages), sk.Len())
	}
	f := &fragment{checkpoint: st.Checkpoint.ID, covered: st.covered(), messages: n}
	if n > 0 {
		f.bytes = slices.Clone(body[sk.Span(0).From:sk.Span(n-1).To])
		f.neighbour = v.Items[n-1].Insert == nil && v.Items[n-1].Source == f.covered-1
	}
	sizes := st.sessions.meter.View(v)
	for i := range n {
		f.tokens += sizes.Messages[i]
		if v.Messages[i].Flags.Has(sdk.FlagFixed) {
			f.fixed += sizes.Messages[i]
		}
	}
	number := st.sessions.fragments.add(f)
	st.trail.fragment = number
	if st.filed != nil && !st.Peek {
		st.sessions.trails.show(st.filed, st.mine, number)
	}
	return f, nil
}

// Patch begins the body that is sent: the received one, with the fragment of the
// checkpoint in force in place of what that covers. Without a checkpoint it has
// no changes yet.
func (st *Step) Patch() (*dialect.Patch, error) {
	f, err := st.fragment()
	if err != nil {
		return nil, err
	}
	p := st.Sketch.Patch()
	if f == nil {
		return p, nil
	}
	return p, p.Splice(f.covered, st.joined(f))
}

// joined is the fragment with what parts it from the next message: what parted
// them in the body, if they were neighbours there, as View.Render has it.
func (st *Step) joined(f *fragment) []byte {
	n := f.covered
	if !f.neighbour || n == 0 || n >= st.Sketch.Len() || st.Sketch.Bare() {
		return f.bytes
	}
	gap := st.Body[st.Sketch.Span(n-1).To:st.Sketch.Span(n).From]
	if string(gap) == "," {
		return f.bytes
	}
	return slices.Concat(f.bytes, gap)
}

// DropsReasoning reports whether the checkpoint in force leaves reasoning in
// the view that is bound to another prefix.
func (st *Step) DropsReasoning() bool { return st.script.DropReasoning }

// Previous is what each step of the chain stored when the checkpoint in force
// was made.
func (st *Step) Previous() []*sdk.Previous {
	if st.Checkpoint == nil {
		return nil
	}
	return decodePrevious(st.Checkpoint.Previous)
}
