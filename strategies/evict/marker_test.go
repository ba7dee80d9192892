package evict_test

import (
	"strings"
	"testing"

	"github.com/compactor-host/compactor/sdk"
	"github.com/compactor-host/compactor/strategies/evict"
	"github.com/google/go-cmp/cmp"
)

func TestT7DefaultMarkerSaysWhatWent(t *testing.T) {
	v := viewOf(t, "u40 a40 t40 t40 s40 u40")
	res := compact(t, evict.Options{KeepRecentTokens: 40}, requestOf(v, sdk.Budget{}), nil)
	want := "[5 earlier messages left out here to save room: 1 user, 1 assistant, 2 tool results, 1 system]"
	if got := markerOf(res); got != want {
		t.Errorf("marker is %q, want %q", got, want)
	}
	account := []string{"left out 5 messages: 1 user, 1 assistant, 2 tool results, 1 system"}
	if d := cmp.Diff(account, res.Account); d != "" {
		t.Errorf("account (-want +got):\n%s", d)
	}
}

func TestResultsWithWordsOfTheUserAreResults(t *testing.T) {
	v := viewOf(t, "u40 a40 u40+ u40")
	v[2].Parts = []sdk.Part{{Kind: sdk.PartResult, Tokens: 30}, {Kind: sdk.PartText, Tokens: 10}}
	res := compact(t, evict.Options{KeepRecentTokens: 40}, requestOf(v, sdk.Budget{}), nil)
	want := "[3 earlier messages left out here to save room: 1 user, 1 assistant, 1 tool result]"
	if got := markerOf(res); got != want {
		t.Errorf("marker is %q, want %q", got, want)
	}
}

func TestS15MarkerIsGivenCountAndMessages(t *testing.T) {
	v := viewOf(t, "u40 a40 u40P u40")
	var count int
	var seen []int
	o := evict.Options{KeepRecentTokens: 40, Marker: func(n int, messages []sdk.Message) string {
		count, seen = n, nil
		for _, m := range messages {
			seen = append(seen, m.Index)
		}
		return "gone"
	}}
	if got := markerOf(compact(t, o, requestOf(v, sdk.Budget{}), nil)); got != "gone" {
		t.Errorf("marker is %q", got)
	}
	if d := cmp.Diff([]int{0, 1}, seen); d != "" || count != 2 {
		t.Errorf("marker was given %d, messages (-want +got):\n%s", count, d)
	}
}

func TestMarkerWithoutWordsIsTheDefault(t *testing.T) {
	v := viewOf(t, "u40 u40")
	o := evict.Options{KeepRecentTokens: 40, Marker: func(int, []sdk.Message) string { return " \n" }}
	if got := markerOf(compact(t, o, requestOf(v, sdk.Budget{}), nil)); !strings.HasPrefix(got, "[1 earlier message left out") {
		t.Errorf("marker is %q", got)
	}
}

// TestS16MarkersDoNotPileUp evicts three times, each time from the view that
// the time before left, with four more messages.
func TestS16MarkersDoNotPileUp(t *testing.T) {
	var previous *sdk.Previous
	words := "u40 a40 t40 u40"
	for i, want := range []string{
		"[3 earlier messages left out here to save room: 1 user, 1 assistant, 1 tool result]",
		"[7 earlier messages left out here to save room: 3 user, 2 assistant, 2 tool results]",
		"[11 earlier messages left out here to save room: 5 user, 3 assistant, 3 tool results]",
	} {
		v := viewOf(t, words)
		r := requestOf(v, sdk.Budget{})
		r.Previous = previous
		res := compact(t, evict.Options{KeepRecentTokens: 40}, r, nil)
		last := []string{"M 3", "M 5", "M 5"}[i]
		if got := applied(t, v, res); got != last {
			t.Fatalf("eviction %d: got %s, want %s", i+1, got, last)
		}
		if got := markerOf(res); got != want {
			t.Errorf("eviction %d: marker is %q, want %q", i+1, got, want)
		}
		previous, words = res.Store, "u10M u40 u40 a40 t40 u40"
	}
}

func TestS16MarkersOfUnknownOrigin(t *testing.T) {
	tests := []struct {
		name, view string
		previous   *sdk.Previous
		want       string
	}{
		{"nothing was stored", "u10M u40 u40", nil, "2 earlier messages left out here to save room: 1 user, 1 earlier note"},
		{"what was stored is not ours", "u10M u40 u40", &sdk.Previous{Record: []byte("{]")}, "2 earlier messages left out here to save room: 1 user, 1 earlier note"},
		{"what was stored counts nothing", "u10M u40 u40", &sdk.Previous{Record: []byte("{}")}, "2 earlier messages left out here to save room: 1 user, 1 earlier note"},
		{"another step's marker beside ours", "u10M u10M u40 u40", &sdk.Previous{Record: []byte(`{"user":5}`)}, "7 earlier messages left out here to save room: 6 user, 1 earlier note"},
		{"stored, but no marker is left", "u40 u40", &sdk.Previous{Record: []byte(`{"user":5}`)}, "1 earlier message left out here to save room: 1 user"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := viewOf(t, tt.view)
			r := requestOf(v, sdk.Budget{})
			r.Previous = tt.previous
			if got := markerOf(compact(t, evict.Options{KeepRecentTokens: 40}, r, nil)); got != "["+tt.want+"]" {
				t.Errorf("marker is %q, want %q", got, tt.want)
			}
		})
	}
}

func TestMarkerAloneIsNotReplaced(t *testing.T) {
	v := viewOf(t, "u90M u40 u40")
	r := requestOf(v, sdk.Budget{Target: 400, Forced: true})
	if got := applied(t, v, compact(t, evict.Options{KeepRecentTokens: 80}, r, meter{each: 1})); got != "unchanged" {
		t.Errorf("got %s, want unchanged", got)
	}
}

func TestMarkerIsNoPartOfTheTail(t *testing.T) {
	v := viewOf(t, "u90M u40 u40 u40")
	r := requestOf(v, sdk.Budget{Target: 400, Forced: true})
	if got := applied(t, v, compact(t, evict.Options{KeepRecentTokens: 80}, r, meter{each: 86})); got != "M 2 3" {
		t.Errorf("got %s, want M 2 3", got)
	}
}
