package dialect_test

import (
	"testing"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/all"
	"github.com/compactor-host/compactor/sdk/strategytest"
)

// BenchmarkSketch reads a body of about 4 MB of which nothing is known, or all
// but two messages, and writes it with a fragment in front.
func BenchmarkSketch(b *testing.B) {
	talk := strategytest.Large(4_000_000)
	for _, format := range all.All() {
		body := talk.Body(string(format.Name()))
		s := sketch(b, format.Name(), string(body))
		for name, known := range map[string]*dialect.Known{"whole": nil, "known": s.Known(s.Len() - 2)} {
			b.Run(string(format.Name())+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := format.Sketch(body, known); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		b.Run(string(format.Name())+"/pieces", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p := s.Patch()
				if err := p.Splice(s.Len()/2, []byte("{}")); err != nil {
					b.Fatal(err)
				}
				if err := p.IncludeUsage(); err != nil {
					b.Fatal(err)
				}
				p.Pieces()
			}
		})
	}
}
