package observe

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRing(t *testing.T) {
	r := NewRing(3)
	begin := r.Last()
	for i := 1; i <= 5; i++ {
		r.Event(Event{ID: strconv.Itoa(i)})
	}
	tests := []struct {
		name  string
		after uint64
		want  []string
	}{
		{"from the first, the oldest are gone", begin, []string{"3", "4", "5"}},
		{"from another run", 7, []string{"3", "4", "5"}},
		{"from the middle", begin + 4, []string{"5"}},
		{"from the newest", begin + 5, nil},
		{"from the future", begin + 100, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			entries, _ := r.After(tt.after)
			var got []string
			for _, e := range entries {
				got = append(got, e.Event.ID)
				if want := strconv.FormatUint(e.Number-begin, 10); want != e.Event.ID {
					t.Errorf("event %s has the number of event %s", e.Event.ID, want)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRingWakesThoseWhoWait(t *testing.T) {
	r := NewRing(0)
	_, more := r.After(r.Last())
	select {
	case <-more:
		t.Fatal("woken before there was an event")
	default:
	}
	r.Event(Event{ID: "1"})
	<-more
}

func TestRingStaysBounded(t *testing.T) {
	r := NewRing(10)
	for range 10_000 {
		r.Event(Event{})
	}
	if len(r.entries) != 10 || cap(r.entries) > 100 {
		t.Errorf("%d events in room for %d", len(r.entries), cap(r.entries))
	}
}
