package observe

import "github.com/prometheus/client_golang/prometheus"

// namespace is the first word of all names of metrics.
const namespace = "compactor"

func (m *Metrics) counter(name, help string, by ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, by)
	m.registry.MustRegister(c)
	return c
}

func (m *Metrics) single(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help})
	m.registry.MustRegister(c)
	return c
}

func (m *Metrics) histogram(name, help string, buckets []float64, by ...string) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets}, by)
	m.registry.MustRegister(h)
	return h
}

// dropped reads the losses of a hub's sinks when it is asked.
type dropped struct{ hub *Hub }

var _ prometheus.Collector = dropped{}

var droppedDesc = prometheus.NewDesc(namespace+"_events_dropped_total",
	"Events that an observer missed because it was slow or failed.", []string{"observer"}, nil)

// Describe names the one metric.
func (d dropped) Describe(ch chan<- *prometheus.Desc) { ch <- droppedDesc }

// Collect sends one count for each sink.
func (d dropped) Collect(ch chan<- prometheus.Metric) {
	for name, n := range d.hub.Dropped() {
		ch <- prometheus.MustNewConstMetric(droppedDesc, prometheus.CounterValue, float64(n), name)
	}
}
