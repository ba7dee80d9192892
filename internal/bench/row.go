package main

import (
	"context"
	"fmt"
)

// row is one figure. Smaller is better, unless atLeast is set.
type row struct {
	name string
	// unit says what the value is in.
	unit string
	bar  float64
	// aim is in words where it is no number.
	aim     any
	atLeast bool
	// once is set for a figure that does not depend on the body.
	once    bool
	measure func(context.Context, *material) (float64, error)
}

// rows are the figures, in the table's order. V is the time that encoding/json
// takes to check the same body, R what httputil.ReverseProxy by itself does.
var rows = []row{
	{name: "step-steady", unit: "V", bar: 0.35, aim: 0.10, measure: stepSteady},
	{name: "step-cold", unit: "V", bar: 1.0, aim: 0.3, measure: stepCold},
	{name: "bpe-steady", unit: "x tokenising", bar: 2, aim: 1.1, measure: bpeSteady},
	{name: "step-alloc", unit: "x body", bar: 1.2, aim: 1.1, measure: stepAlloc},
	{name: "plugin-compact", unit: "V", bar: 0.6, aim: 0.1, measure: pluginCompact},
	{name: "plugin-bytes", unit: "% of body", bar: 5, aim: 1, measure: pluginBytes},
	{name: "gateway-throughput", unit: "R", bar: 0.7, aim: 0.9, atLeast: true, once: true, measure: gatewayThroughput},
	{name: "chunk-delay", unit: "µs", bar: 100, aim: "unmeasurable", once: true, measure: chunkDelay},
	{name: "ready", unit: "x a plugin", bar: 3, aim: 1.5, once: true, measure: ready},
	{name: "thread-memory", unit: "KB", bar: 200, aim: 64, measure: threadMemory},
	{name: "growth", unit: "exponent", bar: 1.1, aim: "linear", once: true, measure: growth},
}

// bodies are those that the row is measured on.
func (r *row) bodies(all []*material) []*material {
	if r.once {
		return all[:1]
	}
	return all
}

// met reports whether a value meets the bar.
func (r *row) met(value float64) bool {
	if r.atLeast {
		return value >= r.bar
	}
	return value <= r.bar
}

// line is the row as it is printed.
func (r *row) line(body string, value float64) string {
	verdict, sign := "ok", "≤"
	if !r.met(value) {
		verdict = "short"
	}
	if r.atLeast {
		sign = "≥"
	}
	if r.once {
		body = "-"
	}
	return fmt.Sprintf("%s\t%s\t%.2f %s\tbar %s %g\taim %v\t%s", r.name, body, value, r.unit, sign, r.bar, r.aim, verdict)
}
