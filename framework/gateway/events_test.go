package gateway

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/compactor-host/compactor/framework/observe"
)

// follow opens the stream of events and returns what it says, block by block;
// the channel is closed at its end.
func follow(t *testing.T, url string, header ...string) <-chan string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/compactor/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("status %d, type %q", res.StatusCode, res.Header.Get("Content-Type"))
	}
	blocks := make(chan string, 100)
	go func() {
		defer close(blocks)
		scanner := bufio.NewScanner(res.Body)
		var block []string
		for scanner.Scan() {
			if line := scanner.Text(); line != "" {
				block = append(block, line)
				continue
			}
			blocks <- strings.Join(block, "\n")
			block = nil
		}
	}()
	return blocks
}

func TestEvents(t *testing.T) {
	ring := observe.NewRing(10)
	begin := ring.Last()
	ring.Event(observe.Event{ID: "old"})
	s := started(t, echo, Options{Events: ring})
	live := follow(t, s.URL)
	waitFor(t, "the first words", live)
	e := observe.Event{ID: "new", Kind: observe.Ended, Model: "m\nn", Before: observe.Size{Tokens: 9, Messages: 2}}
	ring.Event(e)

	t.Run("live", func(t *testing.T) {
		got := strings.Split(waitFor(t, "the event", live), "\n")
		if len(got) != 3 || got[0] != fmt.Sprint("id: ", begin+2) || got[1] != "event: compaction:ended" {
			t.Fatalf("got %q", got)
		}
		var sent observe.Event
		if err := json.Unmarshal([]byte(strings.TrimPrefix(got[2], "data: ")), &sent); err != nil || sent.ID != "new" || sent.Model != e.Model || sent.Before != e.Before {
			t.Errorf("%+v, %v", sent, err)
		}
	})
	t.Run("from the number of an event on", func(t *testing.T) {
		again := follow(t, s.URL, fmt.Sprint("Last-Event-ID: ", begin+1))
		waitFor(t, "the first words", again)
		if got := waitFor(t, "the event", again); !strings.HasPrefix(got, fmt.Sprintf("id: %d\n", begin+2)) {
			t.Errorf("got %q", got)
		}
	})
	t.Run("all", func(t *testing.T) {
		all := follow(t, s.URL, "Last-Event-ID: 0")
		waitFor(t, "the first words", all)
		for n := begin + 1; n <= begin+2; n++ {
			if got := waitFor(t, "the event", all); !strings.HasPrefix(got, fmt.Sprintf("id: %d\n", n)) {
				t.Errorf("got %q, want event %d", got, n)
			}
		}
	})
	t.Run("not a number", func(t *testing.T) {
		if got := ask(t, http.MethodGet, s.URL+"/compactor/v1/events", "", "Last-Event-ID: x"); got.status != http.StatusBadRequest {
			t.Errorf("status %d", got.status)
		}
	})
}

func TestEventsShowThatTheyAreAlive(t *testing.T) {
	s := started(t, echo, Options{Events: observe.NewRing(1), Heartbeat: time.Millisecond})
	live := follow(t, s.URL)
	waitFor(t, "the first words", live)
	if got := waitFor(t, "a sign of life", live); !strings.HasPrefix(got, ":") {
		t.Errorf("got %q, want a comment", got)
	}
}

func TestEventsEndWhenTheHostDoes(t *testing.T) {
	s := started(t, echo, Options{Events: observe.NewRing(1)})
	live := follow(t, s.URL)
	waitFor(t, "the first words", live)
	s.Config.Handler.(*Gateway).Drain()
	if got, open := <-live; open {
		t.Errorf("got %q instead of the end", got)
	}
}

// A subscriber who does not read costs the host nothing but his connection.
func TestEventsThatNobodyReadsHoldNothingUp(t *testing.T) {
	ring := observe.NewRing(4)
	s := started(t, echo, Options{Events: ring})
	res, err := http.Get(s.URL + "/compactor/v1/events")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	for range 100 {
		ring.Event(observe.Event{Detail: strings.Repeat("x", 1<<20)})
	}
	if got := ask(t, http.MethodPost, s.URL+"/v1/messages", "hi"); got.status != http.StatusOK || !strings.HasSuffix(got.body, "hi") {
		t.Errorf("status %d", got.status)
	}
	_, _ = io.CopyN(io.Discard, res.Body, 1)
}
