package jsonspan

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// BenchmarkScan reads a body as a list of messages and reports the time over
// that of json.Valid on the same body.
func BenchmarkScan(b *testing.B) {
	line := strings.Repeat(`the quick brown fox jumps over\n`, 60)
	var sb strings.Builder
	sb.WriteString(`{"messages":[`)
	for i := range 1900 {
		if i > 0 {
			sb.WriteByte(',')
		}
		fmt.Fprintf(&sb, `{"role":"user","content":"%s"}`, line)
	}
	sb.WriteString(`]}`)
	body := []byte(sb.String())
	b.SetBytes(int64(len(body)))
	var valid, scan time.Duration
	for b.Loop() {
		start := time.Now()
		if !json.Valid(body) {
			b.Fatal("not valid")
		}
		valid += time.Since(start)
		start = time.Now()
		if err := Check(body); err != nil {
			b.Fatal(err)
		}
		scan += time.Since(start)
	}
	b.ReportMetric(float64(scan)/float64(valid), "x-valid")
}
