package session

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework/dialect/anthropic"
	"github.com/compactor-host/compactor/framework/meter"
	"github.com/compactor-host/compactor/framework/store"
	"github.com/compactor-host/compactor/framework/store/memory"
	"github.com/compactor-host/compactor/sdk"
)

// host is Sessions over a store, which may be another's.
func host(t *testing.T, kept store.Store, change func(*Options)) *Sessions {
	t.Helper()
	o := Options{Store: kept, Meter: meter.New(nil, ""), Local: true}
	if change != nil {
		change(&o)
	}
	s := New(o)
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

func kept(t *testing.T) store.Store {
	t.Helper()
	m := memory.New(memory.Options{})
	t.Cleanup(func() { _ = m.Close() })
	return m
}

// client is whose requests come.
type client struct{ key, token, session string }

func (c client) header() http.Header {
	h := http.Header{}
	if c.key != "" {
		h.Set("X-Api-Key", c.key)
	}
	if c.token != "" {
		h.Set("Authorization", "Bearer "+c.token)
	}
	if c.session != "" {
		h.Set("X-Claude-Code-Session-Id", c.session)
	}
	return h
}

// arrive has a request come in, of messages as they stand on the wire.
func arrive(t *testing.T, s *Sessions, from client, messages ...string) *Step {
	t.Helper()
	id, err := s.Identify(t.Context(), from.header(), "")
	if err != nil {
		t.Fatal(err)
	}
	body := `{"model":"m","max_tokens":1000,"messages":[` + strings.Join(messages, ",") + `]}`
	st, err := s.Read(t.Context(), Arrival{Identity: id, Format: anthropic.Format{}, Body: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Resume(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return st
}

// commit drops the first two messages of a step.
func commit(t *testing.T, st *Step) {
	t.Helper()
	conv, err := st.Conversation()
	if err != nil {
		t.Fatal(err)
	}
	v, err := conv.View(sdk.Originals(len(conv.Messages))[2:])
	if err != nil {
		t.Fatal(err)
	}
	body, err := v.Render()
	if err != nil {
		t.Fatal(err)
	}
	script := sdk.ScriptOf(v.Items, len(conv.Messages))
	if err := st.Commit(t.Context(), Commitment{Key: "k", Script: script, View: v, Body: body}); err != nil {
		t.Fatal(err)
	}
}

func user(text string) string { return `{"role":"user","content":"` + text + `"}` }
func says(text string) string { return `{"role":"assistant","content":"` + text + `"}` }

// marked is the same message as Claude Code sends it while it is the newest.
func marked(text string) string {
	return `{"role":"user","content":[{"type":"text","text":"` + text + `","cache_control":{"type":"ephemeral"}}]}`
}

func system(text string) string {
	return `{"role":"system","content":[{"type":"text","text":"` + text + `","cache_control":{"type":"ephemeral"}}]}`
}

// What a client sends after a compaction is the same conversation as long as it
// says the same, in whatever form.
func TestACheckpointIsFoundAgain(t *testing.T) {
	first := []string{user("a"), says("b"), user("c"), says("d")}
	for name, tt := range map[string]struct {
		before, after []string
		found         bool
	}{
		"longer": {append(first, user("e")), append(first, user("e"), says("f"), user("g")), true},
		"a marked array, and a string ever after":      {append(first, marked("e")), append(first, user("e"), says("f"), marked("g")), true},
		"a system message at the end that is not kept": {append(first, user("e"), system("1")), append(first, user("e"), says("f"), user("g"), system("2")), true},
		"a system message at the end that is kept":     {append(first, user("e"), system("1")), append(first, user("e"), system("1"), says("f"), user("g"), system("2")), true},
		"the same again":                                {append(first, user("e")), append(first, user("e")), true},
		"P02 edited before the end":                     {append(first, user("e")), append([]string{user("A")}, append(first[1:], user("e"), says("f"), user("g"))...), false},
		"P02 the client's own summary in place of most": {append(first, user("e")), []string{user("summary"), says("f"), user("g")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			shared := kept(t)
			s := host(t, shared, nil)
			st := arrive(t, s, client{}, tt.before...)
			commit(t, st)
			next := arrive(t, s, client{}, tt.after...)
			if (next.Checkpoint != nil) != tt.found || (next.Thread == st.Thread) != tt.found {
				t.Errorf("checkpoint %v, same thread: %t", next.Checkpoint, next.Thread == st.Thread)
			}
			// B48. Another process finds it too, by what is stored.
			again := arrive(t, host(t, shared, nil), client{}, tt.after...)
			if (again.Checkpoint != nil) != tt.found {
				t.Errorf("after a restart: checkpoint %v", again.Checkpoint)
			}
			if !tt.found {
				return
			}
			for _, st := range []*Step{next, again} {
				p, err := st.Patch()
				if err != nil {
					t.Fatal(err)
				}
				sent := p.Bytes()
				if bytes.Contains(sent, []byte(`"a"`)) || !bytes.Contains(sent, []byte(`"c"`)) {
					t.Errorf("sent: %s", sent)
				}
				if a, b := bytes.Count(sent, []byte("cache_control")), bytes.Count(st.Body, []byte("cache_control")); a > b {
					t.Errorf("%d cache marks are sent, %d came: %s", a, b, sent)
				}
			}
		})
	}
}

// Who sends it decides whether it is the same conversation.
func TestTenantsAndHints(t *testing.T) {
	messages := []string{user("a"), says("b"), user("c")}
	longer := append(messages, says("d"), user("e"))
	for name, tt := range map[string]struct {
		local       bool
		one, other  client
		same, found bool // the thread, the checkpoint
	}{
		"P03 two keys":                         {true, client{key: "sk-1"}, client{key: "sk-2"}, false, false},
		"one key":                              {true, client{key: "sk-1"}, client{key: "sk-1"}, true, true},
		"P04 a token that was renewed, local":  {true, client{token: "sk-ant-oat01-x"}, client{token: "sk-ant-oat01-y"}, true, true},
		"P04 two tokens, not local":            {false, client{token: "sk-ant-oat01-x"}, client{token: "sk-ant-oat01-y"}, false, false},
		"P05 no credential at all":             {true, client{}, client{}, true, true},
		"P07 another session, the same prefix": {true, client{session: "1"}, client{session: "2"}, false, true},
		"the same session":                     {true, client{session: "1"}, client{session: "1"}, true, true},
		"P06 an id that is a path":             {true, client{session: "../../x"}, client{session: "../../x"}, true, true},
		"a session that is named later":        {true, client{}, client{session: "1"}, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := host(t, kept(t), func(o *Options) { o.Local = tt.local })
			st := arrive(t, s, tt.one, messages...)
			commit(t, st)
			next := arrive(t, s, tt.other, longer...)
			if (next.Thread == st.Thread) != tt.same || (next.Checkpoint != nil) != tt.found {
				t.Errorf("same thread: %t, checkpoint %v", next.Thread == st.Thread, next.Checkpoint)
			}
			if tt.found && !tt.same && next.Thread.Parent() != st.Thread.ID {
				t.Errorf("the parent is %q, want %q", next.Thread.Parent(), st.Thread.ID)
			}
		})
	}
}

// A fork takes over the checkpoints that it covers, and no others.
func TestAForkTakesOverWhatItCovers(t *testing.T) {
	s := host(t, kept(t), nil)
	short := []string{user("a"), says("b"), user("c")}
	long := append(short, says("d"), user("e"))
	first := arrive(t, s, client{}, short...)
	commit(t, first)
	second := arrive(t, s, client{}, long...)
	commit(t, second)
	if second.Checkpoint.Messages != 5 {
		t.Fatalf("the checkpoint covers %d messages", second.Checkpoint.Messages)
	}
	fork := arrive(t, s, client{}, append(short, says("another"), user("way"))...)
	if fork.Thread == second.Thread || fork.Checkpoint == nil || fork.Checkpoint.Messages != 3 {
		t.Errorf("the fork is under %+v", fork.Checkpoint)
	}
}

// A result that comes late, for a call that is gone, takes the checkpoint out
// of force.
func TestALateResultEndsACheckpoint(t *testing.T) {
	s := host(t, kept(t), nil)
	call := `{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"look","input":{}}]}`
	result := `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"x"}]}`
	messages := []string{call, result, user("c")}
	st := arrive(t, s, client{}, messages...)
	commit(t, st)
	next := arrive(t, s, client{}, append(messages, says("d"), result)...)
	p, err := next.Patch()
	if err != nil || next.Checkpoint != nil || !bytes.Equal(p.Bytes(), next.Body) {
		t.Errorf("%v, under %+v: %s", err, next.Checkpoint, p.Bytes())
	}
}

// A step that only looks leaves no trace.
func TestPeek(t *testing.T) {
	s := host(t, kept(t), nil)
	st := arrive(t, s, client{}, user("a"), says("b"), user("c"))
	id := st.Identity
	look, err := s.Read(t.Context(), Arrival{Identity: id, Format: anthropic.Format{}, Peek: true, Body: append([]byte(nil), st.Body...)})
	if err != nil {
		t.Fatal(err)
	}
	if err := look.Resume(t.Context(), nil); err != nil || look.Thread != st.Thread || s.Threads() != 1 {
		t.Errorf("%v, %d threads", err, s.Threads())
	}
	other := arrive(t, s, client{}, user("a"), says("b"), user("c"), says("d"), user("e"))
	if other.Thread != st.Thread {
		t.Error("the conversation is not continued")
	}
}

// The conversations in memory are bounded, and those that are forgotten come
// back from the store.
func TestBounds(t *testing.T) {
	shared := kept(t)
	s := host(t, shared, func(o *Options) { o.Threads, o.Fragments = 2, 1 })
	st := arrive(t, s, client{}, user("a"), says("b"), user("c"))
	commit(t, st)
	for _, text := range []string{"x", "y", "z"} {
		arrive(t, s, client{}, user(text))
	}
	if n := s.Threads(); n > 2 {
		t.Errorf("%d threads in memory", n)
	}
	if next := arrive(t, s, client{}, user("a"), says("b"), user("c"), says("d"), user("e")); next.Checkpoint == nil {
		t.Error("what was committed is gone")
	}
}

// The breaker: three that do not help, until the user speaks or much is new.
func TestPause(t *testing.T) {
	for name, tt := range map[string]struct {
		size   sdk.Tokens
		more   []string
		paused bool
	}{
		"the same":                 {1000, nil, true},
		"the model goes on":        {1100, []string{says("d")}, true},
		"the user speaks":          {1000, []string{says("d"), user("e")}, false},
		"it has grown by a fourth": {1250, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := host(t, kept(t), nil)
			messages := []string{user("a"), says("b"), user("c")}
			st := arrive(t, s, client{}, messages...)
			for i := range pauseAfter {
				if st.Paused(1000) {
					t.Fatalf("paused after %d", i)
				}
				st.Helped(false, 1000)
			}
			if got := arrive(t, s, client{}, append(messages, tt.more...)...).Paused(tt.size); got != tt.paused {
				t.Errorf("paused: %t", got)
			}
		})
	}
}
