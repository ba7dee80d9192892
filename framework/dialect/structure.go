package dialect

import "github.com/compactor-host/compactor/sdk"

// Arrange completes a conversation whose messages are read: it numbers them,
// fixes what opens the conversation, and groups them. Formats call it at the
// end of Parse.
func (c *Conversation) Arrange() {
	begun := false
	for i := range c.Messages {
		m := &c.Messages[i]
		m.Source = i
		switch m.Class {
		case ClassModel:
			begun = true
		case ClassSystem:
			if !begun {
				m.Flags |= sdk.FlagFixed
			}
		case ClassConfig:
			m.Flags |= sdk.FlagFixed
		}
	}
	arrange(c.Messages)
}

// arrange sets what depends on the list as a whole: units, exchanges, the open
// round and the newest request.
func arrange(messages []Message) {
	g := grouping{messages: messages, root: make([]int32, len(messages))}
	for i := range g.root {
		g.root[i] = int32(i)
	}
	g.pair()
	g.joinRuns()
	g.joinUnknown()
	g.number()
	numberExchanges(messages)
	markOpenRound(messages)
	markRequest(messages)
}

// grouping joins messages to units, as disjoint sets. The root of a set is its
// first message.
type grouping struct {
	messages []Message
	root     []int32
}

func (g *grouping) find(i int32) int32 {
	for g.root[i] != i {
		g.root[i] = g.root[g.root[i]]
		i = g.root[i]
	}
	return i
}

func (g *grouping) join(i, j int) {
	a, b := g.find(int32(i)), g.find(int32(j))
	g.root[max(a, b)] = min(a, b)
}

// calls remembers, for one id, the messages that called: ids repeat.
type calls struct {
	// open is the newest call without a result, as a position in the list of
	// all calls, -1 when there is none; newest is the newest call's message.
	open, newest int32
}

// call is an open call and the next older open one of the same id.
type call struct{ message, older int32 }

// pair joins each result with the nearest call of its id before it that is
// still open, or, when all are answered, with the nearest.
func (g *grouping) pair() {
	n := 0
	for i := range g.messages {
		n += len(g.messages[i].Calls)
	}
	all := make([]call, 0, n)
	byID := make(map[string]calls, n)
	strays := 0 // results without a call before them, and open calls
	for i := range g.messages {
		m := &g.messages[i]
		for _, id := range m.Results {
			c, ok := byID[id]
			switch {
			case !ok:
				strays++
			case c.open < 0:
				g.join(int(c.newest), i)
			default:
				g.join(int(all[c.open].message), i)
				c.open = all[c.open].older
				byID[id] = c
				strays--
			}
		}
		if m.Parent != "" {
			if c, ok := byID[m.Parent]; ok {
				g.join(int(c.newest), i)
			}
		}
		for _, id := range m.Calls {
			older := int32(-1)
			if c, ok := byID[id]; ok {
				older = c.open
			}
			byID[id] = calls{open: int32(len(all)), newest: int32(i)}
			all = append(all, call{message: int32(i), older: older})
			strays++
		}
	}
	if strays > 0 {
		g.joinStrays()
	}
}

// joinStrays makes one unit of all messages that share an id of which some
// call or result found no partner. A provider that matches by id alone then
// sees the same of it whatever is dropped.
func (g *grouping) joinStrays() {
	type use struct{ first, balance int }
	uses := map[string]*use{}
	each := func(visit func(id string, i, weight int)) {
		for i := range g.messages {
			for _, id := range g.messages[i].Results {
				visit(id, i, -1)
			}
			for _, id := range g.messages[i].Calls {
				visit(id, i, 1)
			}
		}
	}
	stray := map[string]bool{}
	each(func(id string, i, weight int) {
		u := uses[id]
		if u == nil {
			u = &use{first: i}
			uses[id] = u
		}
		if u.balance += weight; u.balance < 0 {
			stray[id] = true // a result without a call before it
			u.balance = 0
		}
	})
	each(func(id string, i, _ int) {
		if u := uses[id]; stray[id] || u.balance > 0 {
			g.join(u.first, i)
		}
	})
}

// alone reports whether the message joins nothing by its place: a provider's
// opaque item and what a strategy inserted are kept or replaced by themselves.
func (m *Message) alone() bool { return m.Source < 0 || m.Flags.Has(sdk.FlagOpaque) }

// joinRuns makes one unit of what the model said up to the next user message
// or result. System messages in between neither belong to it nor end it.
func (g *grouping) joinRuns() {
	last := -1
	for i := range g.messages {
		switch m := &g.messages[i]; m.Class {
		case ClassModel:
			if m.alone() {
				last = -1
				continue
			}
			if last >= 0 {
				g.join(last, i)
			}
			last = i
		case ClassUser, ClassResult:
			last = -1
		}
	}
}

// joinUnknown ties each unknown item to the model's messages, results and
// unknown items beside it, since it may belong to them, or else to whatever
// stands before it. Fixed messages are looked through.
func (g *grouping) joinUnknown() {
	before := -1 // newest message that is not fixed
	for i := range g.messages {
		m := &g.messages[i]
		if m.Flags.Has(sdk.FlagFixed) {
			continue
		}
		if before >= 0 {
			b := &g.messages[before]
			switch {
			case m.Class == ClassUnknown && b.bonds(), b.Class == ClassUnknown && m.bonds():
				g.join(before, i)
			case m.Class == ClassUnknown && !g.bondsBehind(i):
				g.join(before, i)
			}
		}
		before = i
	}
}

// bonds reports whether an unknown item beside the message belongs to it.
func (m *Message) bonds() bool {
	switch m.Class {
	case ClassModel, ClassResult, ClassUnknown:
		return !m.alone()
	}
	return false
}

// bondsBehind reports whether the next message that is not fixed bonds.
func (g *grouping) bondsBehind(i int) bool {
	for i++; i < len(g.messages); i++ {
		if m := &g.messages[i]; !m.Flags.Has(sdk.FlagFixed) {
			return m.bonds()
		}
	}
	return false
}

// number gives the units their numbers, in order of their first messages.
func (g *grouping) number() {
	next := 0
	for i := range g.messages {
		if r := g.find(int32(i)); int(r) == i {
			g.messages[i].Unit = next
			next++
		} else {
			g.messages[i].Unit = g.messages[r].Unit
		}
	}
}

func numberExchanges(messages []Message) {
	n := -1
	for i := range messages {
		if messages[i].Class == ClassUser {
			n++
		}
		messages[i].Exchange = n
	}
}

// markOpenRound marks the unit of the newest results when nothing follows them
// but system messages and what belongs to the unit anyway.
func markOpenRound(messages []Message) {
	for i := range messages {
		messages[i].Flags &^= sdk.FlagOpenRound
	}
	last := len(messages) - 1
	for last >= 0 && (messages[last].Class == ClassSystem || messages[last].Class == ClassConfig) {
		last--
	}
	newest := last
	for newest >= 0 && messages[newest].Class == ClassUnknown && messages[newest].Unit == messages[last].Unit {
		newest--
	}
	if newest < 0 || messages[newest].Class != ClassResult || messages[newest].Unit != messages[last].Unit {
		return
	}
	for i := range messages {
		if messages[i].Unit == messages[newest].Unit {
			messages[i].Flags |= sdk.FlagOpenRound
		}
	}
}

// markRequest marks the newest user message, and the newest result that the
// user added words or media to if it is newer. What a strategy inserted is no
// request.
func markRequest(messages []Message) {
	for i := range messages {
		messages[i].Flags &^= sdk.FlagRequest
	}
	spoken := false
	for i := len(messages) - 1; i >= 0; i-- {
		m := &messages[i]
		switch {
		case m.Source < 0:
		case m.Class == ClassUser:
			m.Flags |= sdk.FlagRequest
			return
		case m.Class == ClassResult && !spoken && m.speaks():
			m.Flags |= sdk.FlagRequest
			spoken = true
		}
	}
}

// speaks reports whether the message has words or media outside its results.
func (m *Message) speaks() bool {
	for i := range m.Parts {
		if k := m.Parts[i].Kind; k == sdk.PartText || k == sdk.PartMedia {
			return true
		}
	}
	return false
}
