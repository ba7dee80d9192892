package observe

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// list is a sink that keeps what it is given.
type list struct {
	mu  sync.Mutex
	ids []string
}

func (l *list) Event(e Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ids = append(l.ids, e.ID)
}

func (l *list) got() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ids
}

func send(h *Hub, ids ...string) {
	for _, id := range ids {
		h.Event(Event{ID: id})
	}
}

func TestHubHandsEveryEventToEverySinkInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a, b list
		h := NewHub(Options{Sinks: map[string]Sink{"a": &a, "b": Func(b.Event)}})
		send(h, "1", "2", "3")
		if err := h.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		for name, l := range map[string]*list{"a": &a, "b": &b} {
			if diff := cmp.Diff([]string{"1", "2", "3"}, l.got()); diff != "" {
				t.Errorf("sink %s (-want +got):\n%s", name, diff)
			}
		}
	})
}

func TestHubSlowSinkDropsItsOwnEventsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		open := make(chan struct{})
		var quick list
		h := NewHub(Options{Queue: 2, Sinks: map[string]Sink{
			"quick": &quick,
			"slow":  Func(func(Event) { <-open }),
		}})
		for _, id := range []string{"1", "2", "3", "4", "5"} {
			send(h, id)
			synctest.Wait()
		}
		if diff := cmp.Diff([]string{"1", "2", "3", "4", "5"}, quick.got()); diff != "" {
			t.Errorf("the quick sink (-want +got):\n%s", diff)
		}
		// One event is with the sink, two wait, two were dropped.
		if diff := cmp.Diff(map[string]uint64{"quick": 0, "slow": 2}, h.Dropped()); diff != "" {
			t.Errorf("dropped (-want +got):\n%s", diff)
		}
		close(open)
		if err := h.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestHubPanickingSinkGetsTheNextEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l list
		h := NewHub(Options{Sinks: map[string]Sink{"bad": Func(func(e Event) {
			if e.ID == "1" {
				panic("no")
			}
			l.Event(e)
		})}})
		send(h, "1", "2")
		if err := h.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"2"}, l.got()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if n := h.Dropped()["bad"]; n != 1 {
			t.Errorf("%d events count as dropped, want 1", n)
		}
	})
}

// synctest fails a test whose goroutines do not end, so these also prove that
// Close leaves none behind.
func TestHubCloseDropsWhatWaitsWhenItsTimeIsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHub(Options{Sinks: map[string]Sink{"slow": Func(func(Event) { time.Sleep(time.Second) })}})
		send(h, "1", "2", "3")
		ctx, cancel := context.WithTimeout(t.Context(), 950*time.Millisecond)
		defer cancel()
		if err := h.Close(ctx); err != nil {
			t.Error(err)
		}
		if n := h.Dropped()["slow"]; n != 2 {
			t.Errorf("%d events dropped, want the 2 that waited", n)
		}
	})
}

func TestHubCloseNamesASinkThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		open := make(chan struct{})
		h := NewHub(Options{Sinks: map[string]Sink{"stuck": Func(func(Event) { <-open }), "well": &list{}}})
		send(h, "1")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := h.Close(ctx)
		if err == nil || !strings.HasSuffix(err.Error(), ": stuck") {
			t.Errorf("the error is %v, want one that names the sink", err)
		}
		close(open)
	})
}

func TestHubEventsAfterCloseAreDropped(t *testing.T) {
	var l list
	h := NewHub(Options{Sinks: map[string]Sink{"list": &l}})
	for range 2 { // closing twice is closing once
		if err := h.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	send(h, "late")
	if n := h.Dropped()["list"]; n != 1 || len(l.got()) != 0 {
		t.Errorf("dropped %d, delivered %q", n, l.got())
	}
}

func TestHubMayBeNil(t *testing.T) {
	var h *Hub
	send(h, "1")
	if err := h.Close(t.Context()); err != nil || h.Dropped() != nil {
		t.Errorf("Close: %v, Dropped: %v", err, h.Dropped())
	}
}
