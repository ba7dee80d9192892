package main

import (
	"strings"
	"testing"
)

// TestRows holds the table to its names and their order.
func TestRows(t *testing.T) {
	var names []string
	for _, r := range rows {
		names = append(names, r.name)
	}
	const want = "step-steady step-cold bpe-steady step-alloc plugin-compact plugin-bytes " +
		"gateway-throughput chunk-delay ready thread-memory growth"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("got %s", got)
	}
}

func TestRowIsMet(t *testing.T) {
	most := row{name: "a", unit: "V", bar: 2, aim: 1}
	least := row{name: "b", unit: "R", bar: 2, aim: 3, atLeast: true, once: true}
	for _, tt := range []struct {
		row   row
		value float64
		met   bool
		line  string
	}{
		{most, 1.5, true, "a\tbody\t1.50 V\tbar ≤ 2\taim 1\tok"},
		{most, 2.5, false, "a\tbody\t2.50 V\tbar ≤ 2\taim 1\tshort"},
		{least, 1.5, false, "b\t-\t1.50 R\tbar ≥ 2\taim 3\tshort"},
		{least, 2.5, true, "b\t-\t2.50 R\tbar ≥ 2\taim 3\tok"},
	} {
		if got := tt.row.met(tt.value); got != tt.met {
			t.Errorf("%s %g: met is %t", tt.row.name, tt.value, got)
		}
		if got := tt.row.line("body", tt.value); got != tt.line {
			t.Errorf("got %q", got)
		}
	}
}

func TestChoose(t *testing.T) {
	some, err := choose([]string{"growth", "step-cold"})
	if err != nil || len(some) != 2 || some[0].name != "step-cold" {
		t.Errorf("got %d rows, %v", len(some), err)
	}
	if all, err := choose(nil); err != nil || len(all) != len(rows) {
		t.Errorf("got %d rows, %v", len(all), err)
	}
	if _, err := choose([]string{"step-warm"}); err == nil {
		t.Error("a row that is not there was found")
	}
}

// TestMaterial cuts a body: it is one of so many messages, and begins like the
// whole.
func TestMaterial(t *testing.T) {
	m, err := generate(100_000)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, m.messages() / 2, m.messages()} {
		body := m.upTo(n)
		sk, err := m.read.Format.Sketch(body, nil)
		if err != nil || sk.Len() != n || sk.Model != m.read.Model || len(sk.Tools) != len(m.read.Tools) {
			t.Fatalf("up to %d: %v", n, err)
		}
		if to := m.read.Span(n - 1).To; string(body[:to]) != string(m.body[:to]) {
			t.Errorf("up to %d: the body begins in another way", n)
		}
	}
	if string(m.upTo(m.messages())) != string(m.body) {
		t.Error("up to its end the body is not the whole")
	}
}

// TestMiddles are robust against outliers.
func TestMiddles(t *testing.T) {
	values := []float64{900, 3, 1, 2, -500, 2, 3, 1}
	if got := median(values); got != 2 {
		t.Errorf("the median is %g", got)
	}
	if got := midmean(values); got != 2 {
		t.Errorf("the mean of the middle is %g", got)
	}
}

// TestBed makes a call with the host in front of the provider: the body gets
// there, and is nothing new the second time.
func TestBed(t *testing.T) {
	m, err := generate(50_000)
	if err != nil {
		t.Fatal(err)
	}
	b, err := newBed(t.Context(), m.read.Model, "")
	if err != nil {
		t.Fatal(err)
	}
	defer b.close(t.Context())
	for range 2 {
		if err := b.step(t.Context(), "one", m.body); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.added(t.Context(), "two", m.body); err != nil {
		t.Fatal(err)
	}
}
