package cleartools_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/compactor-host/compactor/sdk"
	cleartools "github.com/compactor-host/compactor/strategies/clear-tools"
	"github.com/google/go-cmp/cmp"
)

func compact(t testing.TB, o cleartools.Options, r *sdk.Request, h sdk.Host) *sdk.Result {
	t.Helper()
	s, err := cleartools.New(o)
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.Compact(context.Background(), r, h)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// fiveReads is five turns of one result each, at 2, 4, 6, 8 and 10.
const fiveReads = "u:10 c:read:20 r:read:400 c:read:20 r:read:400 c:bash:20 r:bash:400 c:read:20 r:read:400 c:bash:20 r:bash:400"

func TestWish(t *testing.T) {
	tests := []struct {
		name, view string
		keep       int
		want       string
	}{
		{"T-16 the newest stay", fiveReads, 2, "2.0 4.0 6.0"},
		{"T-16 all but one", fiveReads, 1, "2.0 4.0 6.0 8.0"},
		{"S-28 no more results than stay", fiveReads, 5, "unchanged"},
		{"S-28 fewer results than stay", fiveReads, 9, "unchanged"},
		{"P-1 keeping none clears all", fiveReads, 0, "2.0 4.0 6.0 8.0 10.0"},
		{"S-28 stubs are left alone but counted", "u:10 c:a:9 r:a:15s c:a:9 r:a:90 c:a:9 r:a:15s c:a:9 r:a:90", 2, "4.0"},
		{"S-28 nothing but stubs is old", "u:10 c:a:9 r:a:15s c:a:9 r:a:90 c:a:9 r:a:90", 2, "unchanged"},
		{"parallel results count one by one", "u:10 c:a:9/c:b:9/c:c:9 r:a:90/r:b:90/r:c:90", 1, "2.0 2.1"},
		{"results of messages of their own", "u:10 c:a:9/c:b:9 r:a:90 r:b:90", 1, "2.0"},
		{"errors are cleared too", "u:10 c:a:9 r:a:90e c:a:9 r:a:90", 1, "2.0"},
		{"text beside results stays", "u:10 c:a:9 r:a:90/u:300 c:a:9 r:a:90", 1, "2.0"},
		{"there are no results", "u:10 a:90 u:10", 0, "unchanged"},
		{"an empty view", "", 0, "unchanged"},
		{"a stub no smaller than the content is not used", "u:10 c:a:9 r:a:12 c:a:9 r:a:13", 0, "4.0"},
		{"T-105 fixed messages stay", "s:500F u:10 c:a:9 r:a:90 u:10", 0, "3.0"},
		{"pinned results stay", "u:10 c:a:9 r:a:90P c:a:9 r:a:90", 0, "4.0"},
		{"opaque items stay", "u:10 c:a:9 r:a:90O c:a:9 r:a:90", 0, "4.0"},
		{"the open round stays", "u:10 c:a:9 r:a:90 c:a:9R r:a:90R", 0, "2.0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := viewOf(t, tt.view)
			r := requestOf(v, sdk.Budget{Target: 1, Strict: true, KeepRequest: true})
			got := edited(t, v, compact(t, cleartools.Options{KeepRecentToolResults: tt.keep}, r, meter{each: 12}))
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestBudget(t *testing.T) {
	const request = "u:10 c:a:9 r:a:90 c:a:9 r:a:90/u:20Q"
	tests := []struct {
		name, view string
		keep       int
		budget     sdk.Budget
		want       string
	}{
		{"T-16 the wish is exact under a strict budget", fiveReads, 3, sdk.Budget{Target: 1, Strict: true}, "2.0 4.0"},
		{"all that is older than the wish goes, needed or not", fiveReads, 3, sdk.Budget{Target: 2000}, "2.0 4.0"},
		{"below the wish, oldest first, until the target is reached", fiveReads, 3, sdk.Budget{Target: 950}, "2.0 4.0 6.0"},
		{"one token less clears one more", fiveReads, 3, sdk.Budget{Target: 945}, "2.0 4.0 6.0 8.0"},
		{"below the wish when the wish clears nothing", fiveReads, 9, sdk.Budget{Target: 2000}, "2.0"},
		{"down to what is protected", "u:10 c:a:9 r:a:90P c:a:9 r:a:90 c:a:9R r:a:90R", 9, sdk.Budget{Target: 1}, "4.0"},
		{"the open round may be rewritten", "u:10 c:a:9R r:a:90R", 0, sdk.Budget{Target: 1, CoverOpenRound: true}, "2.0"},
		{"results in the newest request's message stay with it", request, 0, sdk.Budget{Target: 1, KeepRequest: true}, "2.0"},
		{"results in the newest request's message need not stay", request, 0, sdk.Budget{Target: 1}, "2.0 4.0"},
		{"a forced run clears what is older than the wish", fiveReads, 4, sdk.Budget{Target: 9000, Forced: true}, "2.0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := viewOf(t, tt.view)
			o := cleartools.Options{KeepRecentToolResults: tt.keep}
			if got := edited(t, v, compact(t, o, requestOf(v, tt.budget), meter{each: 12})); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestP7MeasuredSizeCounts has a prompt that the provider counted larger than
// the estimates of its messages: what must go is reckoned from the count.
func TestP7MeasuredSizeCounts(t *testing.T) {
	v := viewOf(t, fiveReads)
	r := requestOf(v, sdk.Budget{Target: 2110})
	r.Budget.Size = 2600
	o := cleartools.Options{KeepRecentToolResults: 9}
	if got := edited(t, v, compact(t, o, r, meter{each: 12})); got != "2.0 4.0" {
		t.Errorf("got %s, want 2.0 4.0", got)
	}
}

func TestExcludeTools(t *testing.T) {
	v := viewOf(t, fiveReads)
	o := cleartools.Options{ExcludeTools: []string{"bash", "edit"}}
	if got := edited(t, v, compact(t, o, requestOf(v, sdk.Budget{Target: 1}), meter{each: 12})); got != "2.0 4.0 8.0" {
		t.Errorf("got %s, want 2.0 4.0 8.0", got)
	}
}

func TestClearAtLeast(t *testing.T) {
	v := viewOf(t, "u:10 c:a:9 r:a:100 c:a:9 r:a:100")
	for least, want := range map[sdk.Tokens]string{176: "2.0 4.0", 177: "unchanged"} {
		o := cleartools.Options{ClearAtLeast: least}
		if got := edited(t, v, compact(t, o, requestOf(v, sdk.Budget{Target: 1}), meter{each: 12})); got != want {
			t.Errorf("at least %d: got %s, want %s", least, got, want)
		}
	}
}

func TestClearInputs(t *testing.T) {
	tests := []struct {
		name, view string
		keep       int
		want       string
	}{
		{"inputs go with their results", "u:10 c:w:300 r:w:90 c:w:300 r:w:90", 1, "1.0i 2.0"},
		{"also when the result is too small for a stub", "u:10 c:w:300 r:w:3", 0, "1.0i"},
		{"small inputs stay", "u:10 c:w:20 r:w:90", 0, "2.0"},
		{"inputs of one tool's calls go together", "u:10 c:w:300/c:w:300 r:w:90/r:w:90", 0, "1.0i 1.1i 2.0 2.1"},
		{"not before all their results have gone", "u:10 c:w:300/c:w:300 r:w:90/r:w:90", 1, "2.0"},
		{"another tool's results do not hold them up", "u:10 c:w:300/c:x:300 r:w:90/r:x:90", 1, "1.0i 2.0"},
		{"a pinned result holds its call's input", "u:10 c:w:300 r:w:90P c:w:300 r:w:90", 0, "3.0i 4.0"},
		{"a pinned call's input stays", "u:10 c:w:300P r:w:90", 0, "2.0"},
		{"a reduced input is left alone", "u:10 c:w:300s r:w:90", 0, "2.0"},
		{"a call without a result keeps its input", "u:10 c:w:300 u:10", 0, "unchanged"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := viewOf(t, tt.view)
			o := cleartools.Options{KeepRecentToolResults: tt.keep, ClearInputs: true}
			r := requestOf(v, sdk.Budget{Target: 1, Strict: true})
			if got := edited(t, v, compact(t, o, r, meter{each: 12})); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestTexts(t *testing.T) {
	v := viewOf(t, "u:10 c:write:1234567 r:write:1240 c:9 r:999")
	tests := []struct {
		name    string
		options cleartools.Options
		want    []string
	}{
		{"T-75 default", cleartools.Options{}, []string{
			"[output of write cleared: about 1,240 tokens]",
			"[output of a tool cleared: about 999 tokens]",
		}},
		{"T-75 own text", cleartools.Options{Stub: "<{tool} {size} {tool}>"}, []string{
			"<write 1,240 write>",
			"<a tool 999 a tool>",
		}},
		{"text without placeholders", cleartools.Options{Stub: "cleared"}, []string{"cleared", "cleared"}},
		{"inputs", cleartools.Options{ClearInputs: true}, []string{
			`{"cleared":"input of write, about 1,234,567 tokens"}`,
			"[output of write cleared: about 1,240 tokens]",
			"[output of a tool cleared: about 999 tokens]",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res := compact(t, tt.options, requestOf(v, sdk.Budget{Target: 1}), nil)
			if d := cmp.Diff(tt.want, textsOf(res)); d != "" {
				t.Errorf("new contents (-want +got):\n%s", d)
			}
		})
	}
}

func TestToolNamesAreNoTemplates(t *testing.T) {
	v := viewOf(t, "u:10 c:{size}{tool}:9 r:{size}{tool}:400")
	res := compact(t, cleartools.Options{}, requestOf(v, sdk.Budget{Target: 1}), nil)
	if d := cmp.Diff([]string{"[output of {size}{tool} cleared: about 400 tokens]"}, textsOf(res)); d != "" {
		t.Errorf("new contents (-want +got):\n%s", d)
	}
}

func TestAccount(t *testing.T) {
	v := viewOf(t, "u:10 c:b:300 r:b:112 c:9 r:112 c:a:9 r:a:112 c:b:9 r:b:112")
	res := compact(t, cleartools.Options{ClearInputs: true}, requestOf(v, sdk.Budget{Target: 1}), meter{each: 12})
	want := []string{"cleared 4 tool results (2 b, 1 a tool, 1 a) and 1 tool input"}
	if d := cmp.Diff(want, res.Account); d != "" {
		t.Errorf("account (-want +got):\n%s", d)
	}
}

func TestPrice(t *testing.T) {
	// The default stub of this result has 38 characters, 10 tokens at four
	// characters each.
	const view = "u:10 c:a:9 r:a:%d"
	tests := []struct {
		name string
		host sdk.Host
		stub int // what it costs
	}{
		{"no host", nil, 10},
		{"a failing host", meter{err: errors.New("down")}, 10},
		{"a host that counts nothing", meter{each: 0}, 10},
		{"a host with its own measure", meter{each: 40}, 40},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for size, want := range map[int]string{tt.stub: "unchanged", tt.stub + 1: "2.0"} {
				v := viewOf(t, fmt.Sprintf(view, size))
				if got := edited(t, v, compact(t, cleartools.Options{}, requestOf(v, sdk.Budget{}), tt.host)); got != want {
					t.Errorf("a result of %d: got %s, want %s", size, got, want)
				}
			}
		})
	}
}

func TestT14AsksForNothingButACount(t *testing.T) {
	v := viewOf(t, fiveReads)
	// Any other question would call a method of a nil host.
	if res := compact(t, cleartools.Options{}, requestOf(v, sdk.Budget{}), meter{each: 9}); !res.Script.Changes() {
		t.Error("nothing was cleared")
	}
}

func TestCancelledWhileCounting(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s, err := cleartools.New(cleartools.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Compact(ctx, requestOf(viewOf(t, fiveReads), sdk.Budget{}), meter{err: ctx.Err()}); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}

func TestT75Definition(t *testing.T) {
	d := cleartools.Definition()
	if d.CallsModels {
		t.Error("T-14: the definition says that it calls models")
	}
	in, found := d.Configure(nil)
	if len(found) > 0 {
		t.Fatal(found)
	}
	if in.Need != sdk.NeedOutline {
		t.Errorf("needs %d of a view, want the outline", in.Need)
	}
	v := viewOf(t, fiveReads)
	res, err := in.Compact(context.Background(), requestOf(v, sdk.Budget{Target: 9000}), meter{each: 12})
	if err != nil {
		t.Fatal(err)
	}
	if got := edited(t, v, res); got != "2.0 4.0" {
		t.Errorf("without options: got %s, want 2.0 4.0, as three stay", got)
	}
}

func TestWrongOptions(t *testing.T) {
	tests := []struct {
		name    string
		options cleartools.Options
		want    string
	}{
		{"negative number to keep", cleartools.Options{KeepRecentToolResults: -1}, "keep_recent_tool_results: -1 is negative"},
		{"negative gain", cleartools.Options{ClearAtLeast: -5}, "clear_at_least: -5 is negative"},
		{"a stub without words", cleartools.Options{Stub: " \n"}, "stub: has no words"},
		{"an unknown placeholder", cleartools.Options{Stub: "{name} gone"}, "stub: {name} is not known; there are {tool} and {size}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := cleartools.New(tt.options); err == nil || err.Error() != tt.want {
				t.Errorf("error is %v, want %s", err, tt.want)
			}
		})
	}
}
