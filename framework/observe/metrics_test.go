package observe

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/sdk"
)

// counted returns the lines of the metrics page that are about compactor, no
// helps, types, zeros or buckets.
func counted(t *testing.T, m *Metrics) []string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	page, err := io.ReadAll(w.Result().Body)
	if err != nil || w.Code != http.StatusOK {
		t.Fatalf("status %d, %v", w.Code, err)
	}
	var lines []string
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "compactor_") && !strings.Contains(line, "_bucket{") && !strings.HasSuffix(line, " 0") {
			lines = append(lines, strings.TrimPrefix(line, "compactor_"))
		}
	}
	return lines
}

func TestMetrics(t *testing.T) {
	usage := &Usage{Input: 100, CacheRead: 60, CacheWrite: 30, Output: 7}
	tests := []struct {
		name  string
		event Event
		want  []string
	}{
		{
			"call",
			Event{Kind: Answered, Dialect: "anthropic", Model: "m", Outcome: OutcomeOK, Due: true, Duration: time.Second, Usage: usage, Cost: 0.5},
			[]string{
				`cost_dollars_total{call="step",model="m"} 0.5`,
				`request_duration_seconds_sum{dialect="anthropic"} 1`,
				`request_duration_seconds_count{dialect="anthropic"} 1`,
				`requests_due_total{dialect="anthropic"} 1`,
				`requests_total{dialect="anthropic",outcome="ok"} 1`,
				`tokens_total{call="step",model="m",tier="cache_read"} 60`,
				`tokens_total{call="step",model="m",tier="cache_write"} 30`,
				`tokens_total{call="step",model="m",tier="fresh"} 10`,
				`tokens_total{call="step",model="m",tier="output"} 7`,
			},
		},
		{
			"call that nobody counted",
			Event{Kind: Answered, Dialect: "openai-chat", Outcome: OutcomeCancelled},
			[]string{
				`request_duration_seconds_count{dialect="openai-chat"} 1`,
				`requests_total{dialect="openai-chat",outcome="cancelled"} 1`,
			},
		},
		{
			"compaction",
			Event{
				Kind: Ended, Dialect: "anthropic", Reason: sdk.ReasonOverflow, Outcome: OutcomeChanged, Before: Size{Tokens: 100}, After: Size{Tokens: 40}, CacheLost: 30,
				Attempts: []Attempt{{Strategy: "clear-tools", Outcome: OutcomeFailed}, {Strategy: "evict", Outcome: OutcomeChanged}},
			},
			[]string{
				`cache_lost_tokens_total 30`,
				`compaction_duration_seconds_count{reason="overflow"} 1`,
				`compaction_tokens_after_total{dialect="anthropic"} 40`,
				`compaction_tokens_before_total{dialect="anthropic"} 100`,
				`compactions_total{dialect="anthropic",outcome="changed",reason="overflow"} 1`,
				`steps_total{outcome="changed",strategy="evict"} 1`,
				`steps_total{outcome="failed",strategy="clear-tools"} 1`,
			},
		},
		{
			"failed compaction gains nothing",
			Event{Kind: Ended, Dialect: "anthropic", Reason: sdk.ReasonThreshold, Outcome: OutcomeFailed, Before: Size{Tokens: 100}, After: Size{Tokens: 100}},
			[]string{
				`compaction_duration_seconds_count{reason="threshold"} 1`,
				`compactions_total{dialect="anthropic",outcome="failed",reason="threshold"} 1`,
			},
		},
		{"compaction for another call", Event{Kind: Ended, Dialect: "anthropic", Outcome: OutcomeChanged, Reused: true, Before: Size{Tokens: 9}, After: Size{Tokens: 9}}, []string{`requests_reused_total{dialect="anthropic"} 1`}},
		{"rejection", Event{Kind: Rejected, Dialect: "anthropic", Outcome: OutcomeRecovered}, []string{`overflows_total{dialect="anthropic",outcome="recovered"} 1`}},
		{"unmanaged", Event{Kind: Unmanaged, Dialect: "openai-responses"}, []string{`requests_unmanaged_total{dialect="openai-responses"} 1`}},
		{"resumed", Event{Kind: Resumed, Dialect: "openai-chat"}, []string{`requests_resumed_total{dialect="openai-chat"} 1`}},
		{"warning", Event{Kind: Warning}, []string{`warnings_total 1`}},
		{"start", Event{Kind: Started, Dialect: "anthropic"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := NewMetrics()
			m.Event(tt.event)
			if diff := cmp.Diff(tt.want, counted(t, m)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestMetricsModelsAreBounded(t *testing.T) {
	m := NewMetrics()
	for i := range 3 * mostModels {
		m.Event(Event{Kind: Answered, Model: fmt.Sprintf("model-%d-%s\xff", i, strings.Repeat("x", 1000)), Usage: &Usage{Output: 1}})
	}
	lines := slices.DeleteFunc(counted(t, m), func(l string) bool { return !strings.HasPrefix(l, "tokens_total") })
	if len(lines) != mostModels+1 {
		t.Errorf("%d models are told apart, want %d and one for all others", len(lines), mostModels)
	}
	if want := fmt.Sprintf(`tokens_total{call="step",model="other",tier="output"} %d`, 2*mostModels); !slices.Contains(lines, want) {
		t.Errorf("there is no line %s", want)
	}
}

func TestMetricsOfHubAndThreads(t *testing.T) {
	m := NewMetrics()
	h := NewHub(Options{Sinks: map[string]Sink{"bad": Func(func(Event) { panic("no") })}})
	h.Event(Event{})
	if err := h.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	m.Watch(h)
	m.Threads(func() int { return 3 })
	want := []string{`events_dropped_total{observer="bad"} 1`, `threads 3`}
	if diff := cmp.Diff(want, counted(t, m)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
