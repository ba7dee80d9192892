package framework_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/framework/store/memory"
	"github.com/compactor-host/compactor/internal/fakeprovider"
	"github.com/compactor-host/compactor/sdk"
)

func TestACheckpointStandsForOlderMessages(t *testing.T) {
	faces(t, func(t *testing.T, f face) {
		h := f.open(t, setup{config: folds, strategies: []*sdk.Definition{fold("1.0.0", unseen)}})
		c := talk(20)
		received := c.body(t)
		before := bytes.Clone(received)
		h.post(t, fakeprovider.Chat, received)
		first, texts := h.sent(t)
		t.Run("C-2 a summary and a record of the newest messages take their place", func(t *testing.T) {
			if len(texts) != 2 || texts[0] != checkpointText("summary", "the newest words") || texts[1] != c.texts[40] {
				t.Errorf("sent %.80q", texts)
			}
		})
		next := c.and("Done.", text("more", 100))
		h.say(t, next)
		second, texts := h.sent(t)
		t.Run("C-6 the prompt is the checkpoint and the messages after what it covers", func(t *testing.T) {
			if len(texts) != 4 || !slices.Equal(texts[1:], next.texts[40:]) || len(h.compactions()) != 1 {
				t.Errorf("sent %.80q", texts)
			}
			if prefix := first[:bytes.LastIndexByte(first, ']')]; !bytes.HasPrefix(second, prefix) {
				t.Error("the second prompt does not begin with the first, byte for byte")
			}
		})
		for _, id := range []string{"C-5 the conversation itself never changes", "T-138 the transcript stays complete, the view alone is rewritten"} {
			t.Run(id, func(t *testing.T) {
				if !bytes.Equal(received, before) {
					t.Error("the body of the client changed")
				}
			})
		}
		t.Run("T-149 a checkpoint serves without any store configured", func(t *testing.T) {
			if started := h.of(observe.Started); len(started) != 1 {
				t.Errorf("the chain ran %d times for two calls over the limit", len(started))
			}
		})
	})
}

// TestLayersOutsideAndInside: what stands before the host sees the transcript,
// what stands behind it the view, whatever order a program builds them in.
func TestLayersOutsideAndInside(t *testing.T) {
	for _, tt := range []struct {
		name    string
		outside bool
		sees    int
	}{
		{"T-109 a layer before the host sees the full messages", true, 41},
		{"T-139 behind it the view", false, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var seen []int
			layer := func(next http.RoundTripper) http.RoundTripper {
				return roundTripper(func(r *http.Request) (*http.Response, error) {
					body, err := io.ReadAll(r.Body)
					if err != nil {
						return nil, err
					}
					var read struct{ Messages []json.RawMessage }
					err = json.Unmarshal(body, &read)
					seen = append(seen, len(read.Messages))
					r = r.Clone(r.Context())
					r.Body = io.NopCloser(bytes.NewReader(body))
					if err != nil {
						return nil, err
					}
					return next.RoundTrip(r)
				})
			}
			s := setup{config: folds, strategies: []*sdk.Definition{fold("1.0.0", unseen)}}
			if !tt.outside {
				s.inner = layer
			}
			h := library.open(t, s)
			if tt.outside {
				h.client.Transport = layer(h.client.Transport)
			}
			h.say(t, talk(20))
			if _, texts := h.sent(t); !slices.Equal(seen, []int{tt.sees}) || len(texts) != 2 {
				t.Errorf("the layer saw %d messages, the provider %d", seen, len(texts))
			}
		})
	}
}

// TestT140WhatIsDroppedStaysInTheTranscript: once the checkpoint does not serve
// any more, the model gets every message again.
func TestT140WhatIsDroppedStaysInTheTranscript(t *testing.T) {
	faces(t, func(t *testing.T, f face) {
		c, file := talk(20), database(t)
		h := f.open(t, setup{config: "profile = \"tanstack\"\n" + evicts(1000) + file})
		h.say(t, c)
		if _, texts := h.sent(t); slices.Contains(texts, c.texts[0]) {
			t.Fatal("nothing was dropped")
		}
		h.end()
		h = f.open(t, setup{config: "profile = \"tanstack\"\n" + evicts(100000) + file})
		h.say(t, c)
		if _, texts := h.sent(t); !slices.Equal(texts, c.texts) {
			t.Errorf("%d of %d messages are still there", len(texts), len(c.texts))
		}
	})
}

func TestT141ACheckpointIsSavedAfterEachCompaction(t *testing.T) {
	faces(t, func(t *testing.T, f face) {
		s := &commits{Store: memory.New(memory.Options{})}
		h := f.open(t, setup{config: evicts(1000), store: s})
		c := talk(3)
		for range 12 {
			c = c.and(text("answer", 100), text("question", 100))
			h.say(t, c)
		}
		if n := len(h.compactions()); n < 2 || len(s.all) != n {
			t.Errorf("%d compactions, %d checkpoints saved", n, len(s.all))
		}
		for _, cp := range s.all {
			if len(cp.Script) == 0 || len(cp.Script) > 1000 || bytes.Contains(cp.Script, []byte("word word")) {
				t.Errorf("the checkpoint is not small: %d bytes, %.100q", len(cp.Script), cp.Script)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestTheNextRequest(t *testing.T) {
	base := talk(20)
	tests := []struct {
		name    string
		next    chat
		resumes bool
	}{
		{"T-142 restores the result and adds only what is new", base.and("Done.", "go on"), true},
		{"T-143 not with a changed prefix", chat{texts: append([]string{"changed"}, base.texts[1:]...)}.and("Done.", "go on"), false},
		{"T-143 not with a shortened one", talk(19), false},
	}
	faces(t, func(t *testing.T, f face) {
		for _, restart := range []bool{false, true} {
			for _, tt := range tests {
				name := tt.name
				if restart {
					name += ", after a restart"
				}
				t.Run(name, func(t *testing.T) {
					s := setup{config: folds + database(t), strategies: []*sdk.Definition{fold("1.0.0", unseen)}}
					h := f.open(t, s)
					h.say(t, base)
					runs := 1
					if restart {
						h.end()
						h, runs = f.open(t, s), 0
					}
					h.say(t, tt.next)
					_, texts := h.sent(t)
					if !tt.resumes {
						if len(h.of(observe.Started)) != runs+1 {
							t.Errorf("a checkpoint of another conversation was used: %.60q", texts)
						}
						return
					}
					if len(h.of(observe.Started)) != runs || len(texts) != 4 || texts[0] != checkpointText("summary", "the newest words") ||
						!slices.Equal(texts[1:], tt.next.texts[40:]) {
						t.Errorf("sent %.60q", texts)
					}
				})
			}
		}
	})
}

func TestALaterSummaryFoldsTheEarlierOneIn(t *testing.T) {
	for id, file := range map[string]bool{"T-145 with a store": true, "T-146 and without one, within one process": false} {
		t.Run(id, func(t *testing.T) {
			faces(t, func(t *testing.T, f face) {
				var last *sdk.Request
				s := setup{config: folds, strategies: []*sdk.Definition{fold("1.0.0", func(r *sdk.Request) { last = r })}}
				if file {
					s.config += database(t)
				}
				h := f.open(t, s)
				c := talk(20)
				h.say(t, c)
				if file {
					h.end()
					h = f.open(t, s)
				}
				for _, question := range []string{"go on", text("much", 700), text("more", 400)} {
					c = c.and("Done.", question)
					h.say(t, c)
				}
				// The checkpoint, the messages behind what it covers, and no more.
				if last.Previous == nil || last.Previous.Summary != "summary" || len(last.View) != 8 ||
					!last.View[0].Flags.Has(sdk.FlagSummary) || !strings.Contains(last.View[0].Parts[0].Text, "summary") {
					t.Fatalf("the strategy was given %d messages and %+v", len(last.View), last.Previous)
				}
				_, texts := h.sent(t)
				if len(texts) != 2 || texts[0] != checkpointText("summary, updated", "the newest words") {
					t.Errorf("sent %.80q", texts)
				}
			})
		})
	}
}
