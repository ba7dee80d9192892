package observe

import (
	"net/http"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics is a sink that counts for Prometheus, in a registry of its own. All
// its names begin with compactor_. Labels have a bounded number of values:
// clients choose names of models, so the first mostModels keep theirs and the
// rest is counted as "other".
type Metrics struct {
	registry *prometheus.Registry
	models   labels

	requests, due, unmanaged      *prometheus.CounterVec
	resumed, reused               *prometheus.CounterVec
	compactions, steps, overflows *prometheus.CounterVec
	before, after, tokens, cost   *prometheus.CounterVec
	cacheLost                     prometheus.Counter
	warnings                      prometheus.Counter
	requestTime, compactionTime   *prometheus.HistogramVec
}

var _ Sink = (*Metrics)(nil)

// mostModels bounds the values of the label model, and longestModel the length
// of one in bytes.
const (
	mostModels   = 100
	longestModel = 100
)

// NewMetrics returns a sink with all counts at 0. Metrics of the Go runtime and
// of the process are in its registry, too.
func NewMetrics() *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), models: labels{most: mostModels}}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))

	m.requests = m.counter("requests_total", "Model calls that were forwarded, by how they ended.", "dialect", "outcome")
	m.due = m.counter("requests_due_total", "Model calls whose prompt had reached the ceiling.", "dialect")
	m.unmanaged = m.counter("requests_unmanaged_total", "Model calls that were passed on as they were because their history is not in them.", "dialect")
	m.resumed = m.counter("requests_resumed_total", "Model calls that went on under an earlier compaction.", "dialect")
	m.reused = m.counter("requests_reused_total", "Model calls that went on with a compaction made for another call at the same time.", "dialect")
	m.requestTime = m.histogram("request_duration_seconds", "Time from a model call to the end of its answer.", prometheus.ExponentialBuckets(0.1, 2, 13), "dialect")

	m.compactions = m.counter("compactions_total", "Compactions that ended.", "dialect", "reason", "outcome")
	m.steps = m.counter("steps_total", "Steps of chains that were tried.", "strategy", "outcome")
	m.before = m.counter("compaction_tokens_before_total", "Tokens of prompts before compactions that changed them.", "dialect")
	m.after = m.counter("compaction_tokens_after_total", "Tokens of prompts after compactions that changed them.", "dialect")
	m.compactionTime = m.histogram("compaction_duration_seconds", "Time of a compaction.", prometheus.ExponentialBuckets(0.001, 4, 10), "reason")
	m.overflows = m.counter("overflows_total", "Prompts that a provider rejected as too long, by what the client got.", "dialect", "outcome")

	m.tokens = m.counter("tokens_total", "Tokens that providers counted, by price tier; call is step for the client's own calls, side for those of compactions.", "model", "call", "tier")
	m.cost = m.counter("cost_dollars_total", "Price of what providers counted, where prices are known.", "model", "call")
	m.cacheLost = m.single("cache_lost_tokens_total", "Cached tokens that compactions took out of the unchanged beginning of prompts.")
	m.warnings = m.single("warnings_total", "Warnings.")
	return m
}

// Handler serves the metrics as text.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Watch adds the number of events that the hub's sinks have missed. It may be
// called once.
func (m *Metrics) Watch(h *Hub) { m.registry.MustRegister(dropped{h}) }

// Threads adds the number of threads that the host remembers, which count
// returns. It may be called once.
func (m *Metrics) Threads(count func() int) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(
		prometheus.GaugeOpts{Namespace: namespace, Name: "threads", Help: "Conversations that are remembered in memory."},
		func() float64 { return float64(count()) }))
}

// Event counts the event.
func (m *Metrics) Event(e Event) {
	switch e.Kind {
	case Answered:
		m.answered(e)
	case Ended:
		m.ended(e)
	case Rejected:
		m.overflows.WithLabelValues(e.Dialect, string(e.Outcome)).Inc()
	case Unmanaged:
		m.unmanaged.WithLabelValues(e.Dialect).Inc()
	case Resumed:
		m.resumed.WithLabelValues(e.Dialect).Inc()
	case Warning:
		m.warnings.Inc()
	}
}

func (m *Metrics) answered(e Event) {
	m.requests.WithLabelValues(e.Dialect, string(e.Outcome)).Inc()
	m.requestTime.WithLabelValues(e.Dialect).Observe(e.Duration.Seconds())
	if e.Due {
		m.due.WithLabelValues(e.Dialect).Inc()
	}
	m.used(e, "step")
}

func (m *Metrics) ended(e Event) {
	if e.Reused {
		m.reused.WithLabelValues(e.Dialect).Inc()
		return
	}
	m.compactions.WithLabelValues(e.Dialect, string(e.Reason), string(e.Outcome)).Inc()
	m.compactionTime.WithLabelValues(string(e.Reason)).Observe(e.Duration.Seconds())
	for _, a := range e.Attempts {
		m.steps.WithLabelValues(a.Strategy, string(a.Outcome)).Inc()
	}
	// What the provider has not counted yet is no gain.
	if e.Outcome == OutcomeChanged && e.After.Tokens > 0 {
		m.before.WithLabelValues(e.Dialect).Add(float64(e.Before.Tokens))
		m.after.WithLabelValues(e.Dialect).Add(float64(e.After.Tokens))
	}
	m.cacheLost.Add(float64(max(0, e.CacheLost)))
	m.used(e, "side")
}

// used counts the tokens of an event's calls.
func (m *Metrics) used(e Event, call string) {
	if e.Usage == nil {
		return
	}
	model := m.models.bound(e.Model)
	for tier, n := range map[string]int{
		"fresh":       int(e.Usage.Fresh()),
		"cache_read":  int(e.Usage.CacheRead),
		"cache_write": int(e.Usage.CacheWrite),
		"output":      int(e.Usage.Output),
	} {
		m.tokens.WithLabelValues(model, call, tier).Add(float64(max(0, n)))
	}
	m.cost.WithLabelValues(model, call).Add(max(0, e.Cost))
}

// labels bounds how many values a label has.
type labels struct {
	most int

	mu   sync.Mutex
	seen map[string]bool
}

// bound returns the value for a name: the name itself, while there is room.
func (l *labels) bound(name string) string {
	name = strings.ToValidUTF8(name[:min(len(name), longestModel)], "")
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.seen[name]:
	case len(l.seen) >= l.most:
		return "other"
	case l.seen == nil:
		l.seen = map[string]bool{name: true}
	default:
		l.seen[name] = true
	}
	return name
}
