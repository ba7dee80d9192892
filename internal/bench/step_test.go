package main

import (
	"fmt"
	"testing"
)

// BenchmarkStep is for profiles of what the rows of steps measure:
//
//	go test -run '^$' -bench Step/steady -cpuprofile cpu.out ./internal/bench
func BenchmarkStep(b *testing.B) {
	m, err := generate(largeBytes)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("steady", func(b *testing.B) {
		host, err := newBed(b.Context(), m.read.Model, "")
		if err != nil {
			b.Fatal(err)
		}
		defer host.close(b.Context())
		const steps = 16
		var bodies [steps][]byte
		for i := range bodies {
			bodies[i] = m.upTo(m.messages() - newMessages*(steps-i-1))
		}
		b.SetBytes(int64(len(m.body)))
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if i%steps == 0 { // the first of each walk is a conversation that was not seen
				b.StopTimer()
				if err := host.step(b.Context(), fmt.Sprint(i), m.upTo(m.messages()-newMessages*steps)); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
			if err := host.step(b.Context(), fmt.Sprint(i-i%steps), bodies[i%steps]); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("cold", func(b *testing.B) {
		host, err := newBed(b.Context(), m.read.Model, "")
		if err != nil {
			b.Fatal(err)
		}
		defer host.close(b.Context())
		b.SetBytes(int64(len(m.body)))
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if err := host.step(b.Context(), fmt.Sprint(i), m.body); err != nil {
				b.Fatal(err)
			}
		}
	})
}
