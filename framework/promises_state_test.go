package framework_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/framework/store"
	"github.com/compactor-host/compactor/internal/fakeprovider"
	"github.com/compactor-host/compactor/sdk"
)

// named begins every text of the user with a name.
func (c chat) named(name string) chat {
	texts := slices.Clone(c.texts)
	for i := 0; i < len(texts); i += 2 {
		texts[i] = name + " " + texts[i]
	}
	return chat{texts: texts, more: c.more}
}

// thread is the conversation of the newest call.
func (h *host) thread(t *testing.T) store.ThreadID {
	t.Helper()
	return store.ThreadID(h.answered(t).Thread)
}

func TestManyConversations(t *testing.T) {
	faces(t, func(t *testing.T, f face) {
		h := f.open(t, setup{config: folds, strategies: []*sdk.Definition{fold("1.0.0", unseen)}})
		t.Run("C-82 one instance serves many", func(t *testing.T) {
			seen := map[store.ThreadID]bool{}
			for i := range 5 {
				c := talk(20).named(strconv.Itoa(i))
				h.say(t, c)
				first := h.thread(t)
				h.say(t, c.and("Done.", "go on"))
				_, texts := h.sent(t)
				if h.thread(t) != first || seen[first] || len(texts) != 4 || texts[1] != c.texts[40] {
					t.Errorf("conversation %d: thread %s, then %s, sent %.60q", i, first, h.thread(t), texts)
				}
				seen[first] = true
			}
			if n := len(h.compactions()); n != 5 {
				t.Errorf("%d compactions for 5 conversations", n)
			}
		})
		for _, id := range []string{"C-82 and every fork", "C-84 which shares the checkpoint by its content alone"} {
			t.Run(id, func(t *testing.T) {
				before := len(h.compactions())
				template := talk(20).named(id)
				h.say(t, template)
				for _, fork := range []string{"one", "another", "a third"} {
					h.say(t, template.and("Done.", fork))
					_, texts := h.sent(t)
					if len(texts) != 4 || texts[0] != checkpointText("summary", "the newest words") || texts[3] != fork {
						t.Errorf("fork %s: sent %.60q", fork, texts)
					}
				}
				if n := len(h.compactions()); n != before+1 {
					t.Errorf("%d compactions", n-before)
				}
			})
		}
	})
}

// state is the part of an exported one that tests look at.
type state struct {
	Thread      struct{ Counts []json.RawMessage }
	Checkpoints []store.Checkpoint
}

func (h *host) state(t *testing.T) (raw []byte, read state) {
	t.Helper()
	raw, err := h.State(h.thread(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &read); err != nil {
		t.Fatal(err)
	}
	return raw, read
}

func TestC83TheLatestEightAreKept(t *testing.T) {
	faces(t, func(t *testing.T, f face) {
		h := f.open(t, setup{config: folds, strategies: []*sdk.Definition{fold("1.0.0", unseen)}})
		c := talk(0)
		for i := 0; len(h.compactions()) < 10; i++ {
			if i == 100 {
				t.Fatalf("%d compactions in %d calls", len(h.compactions()), i)
			}
			c = c.and("Done.", text("question", 300))
			h.say(t, c)
		}
		_, kept := h.state(t)
		if len(kept.Checkpoints) != 8 || len(kept.Thread.Counts) != 8 {
			t.Fatalf("%d checkpoints and %d counts", len(kept.Checkpoints), len(kept.Thread.Counts))
		}
		if newest := h.compactions()[9]; !slices.ContainsFunc(kept.Checkpoints, func(c store.Checkpoint) bool { return c.Messages == newest.Covered }) {
			t.Errorf("the newest, which covers %d messages, is not among them", newest.Covered)
		}
	})
}

func TestState(t *testing.T) {
	faces(t, func(t *testing.T, f face) {
		s := setup{config: folds, strategies: []*sdk.Definition{fold("1.0.0", unseen)}}
		first := f.open(t, s)
		c := talk(20)
		first.say(t, c)
		raw, _ := first.state(t)
		first.end()
		t.Run("C-85 is a JSON value", func(t *testing.T) {
			if !json.Valid(raw) {
				t.Errorf("%.300s", raw)
			}
		})
		second := f.open(t, s)
		id, err := second.Restore(t.Context(), raw)
		t.Run("C-86 passes to the next instance", func(t *testing.T) {
			if err != nil || id != first.thread(t) {
				t.Errorf("thread %s, %v", id, err)
			}
		})
		t.Run("C-87 which sends the checkpoint without compacting again", func(t *testing.T) {
			next := c.and("Done.", "go on")
			second.say(t, next)
			_, texts := second.sent(t)
			if len(second.of(observe.Started)) > 0 || len(texts) != 4 || !slices.Equal(texts[1:], next.texts[40:]) {
				t.Errorf("%d runs, sent %.60q", len(second.of(observe.Started)), texts)
			}
		})
	})
}

func TestLast(t *testing.T) {
	faces(t, func(t *testing.T, f face) {
		s := setup{config: folds, strategies: []*sdk.Definition{fold("1.0.0", unseen)}}
		h := f.open(t, s)
		if _, ok := h.Last(); ok {
			t.Error("there is a last compaction before the first")
		}
		h.say(t, talk(20))
		due, ok := h.LastOf(h.thread(t))
		h.provider.Inject(fakeprovider.Fault{Kind: fakeprovider.Overflow, Limit: 500})
		h.say(t, talk(3))
		refused, last := h.Last()
		if !ok || !last {
			t.Fatal("no last compaction")
		}
		t.Run("C-88 the reason", func(t *testing.T) {
			if due.Reason != sdk.ReasonThreshold || refused.Reason != sdk.ReasonOverflow {
				t.Errorf("reasons %s and %s", due.Reason, refused.Reason)
			}
		})
		t.Run("C-89 the messages it covered", func(t *testing.T) {
			if due.Covered != 41 || refused.Covered != 7 {
				t.Errorf("covered %d and %d", due.Covered, refused.Covered)
			}
		})
		t.Run("C-90 the size before and after", func(t *testing.T) {
			ended := h.compactions()
			if due.Before.Tokens != 4100 || due.Before.Messages != 41 || due.After != ended[0].After || due.After.Messages != 2 || due.After.Tokens > 200 {
				t.Errorf("before %+v, after %+v", due.Before, due.After)
			}
		})
		t.Run("C-91 the summary and the recent record, or that the provider compacted", func(t *testing.T) {
			if want := []string{checkpointText("summary", "the newest words")}; !slices.Equal(due.Inserted, want) || due.Native {
				t.Errorf("inserted %q, native: %t", due.Inserted, due.Native)
			}
		})
	})
}

func TestLog(t *testing.T) {
	faces(t, func(t *testing.T, f face) {
		h := f.open(t, setup{config: folds, strategies: []*sdk.Definition{fold("1.0.0", unseen)}})
		h.say(t, talk(20))
		h.say(t, talk(20).and("Done.", "go on"))
		t.Run("C-92 one info line for a compaction", func(t *testing.T) {
			if got := h.log.with("INFO"); len(got) != 1 || !strings.Contains(got[0], "compacted: 4100 →") {
				t.Errorf("%q", got)
			}
		})
		t.Run("C-93 one warning for a rejection", func(t *testing.T) {
			if got := h.log.with("WARN"); len(got) > 0 {
				t.Fatalf("warned before: %q", got)
			}
			h.provider.Inject(fakeprovider.Fault{Kind: fakeprovider.Overflow, Limit: 500, Times: 2})
			h.post(t, fakeprovider.Chat, talk(4).named("other").body(t))
			if got := h.log.with("WARN"); len(got) != 2 || len(h.of(observe.Rejected)) != 2 {
				t.Errorf("%d rejections: %q", len(h.of(observe.Rejected)), got)
			}
		})
	})
}

// TestC82ForksAreThreadsOfTheirOwn: they come in one after the other.
func TestC82ForksAreThreadsOfTheirOwn(t *testing.T) {
	faces(t, func(t *testing.T, f face) {
		h := f.open(t, setup{config: folds, strategies: []*sdk.Definition{fold("1.0.0", unseen)}})
		template := talk(20)
		h.say(t, template)
		seen := map[store.ThreadID]bool{}
		for _, fork := range []string{"one", "another", "a third"} {
			h.say(t, template.and("Done.", fork))
			seen[h.thread(t)] = true
		}
		if len(seen) != 3 {
			t.Errorf("3 forks are %d threads", len(seen))
		}
	})
}
