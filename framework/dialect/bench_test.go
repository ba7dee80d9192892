package dialect_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/all"
	"github.com/compactor-host/compactor/sdk"
	"github.com/compactor-host/compactor/sdk/strategytest"
)

// BenchmarkParse reads a body of about 4 MB and gives it back untouched;
// BenchmarkParseAndRender drops a message from it, so that it is written anew.
// Both report their time over that of json.Valid on the same body (x-valid)
// and what they allocate over its length (x-body).
func BenchmarkParse(b *testing.B) { benchmark(b, 0) }

func BenchmarkParseAndRender(b *testing.B) { benchmark(b, 1) }

func benchmark(b *testing.B, drop int) {
	talk := strategytest.Large(4_000_000)
	for _, format := range all.All() {
		b.Run(string(format.Name()), func(b *testing.B) {
			overValid(b, format, talk.Body(string(format.Name())), drop)
		})
	}
	dir := os.Getenv("COMPACTOR_TRANSCRIPTS")
	if dir == "" {
		return
	}
	b.Run("recorded", func(b *testing.B) {
		body, err := os.ReadFile(filepath.Join(dir, "requests/openai-chat/pi-two-sessions-composite.json"))
		if err != nil {
			b.Fatal(err)
		}
		format, _ := all.ByName(dialect.OpenAIChat)
		overValid(b, format, body, drop)
	})
}

func overValid(b *testing.B, format dialect.Format, body []byte, drop int) {
	b.SetBytes(int64(len(body)))
	var valid, ours time.Duration
	for b.Loop() {
		start := time.Now()
		if !json.Valid(body) {
			b.Fatal("not valid")
		}
		valid += time.Since(start)
		start = time.Now()
		step(b, format, body, drop)
		ours += time.Since(start)
	}
	b.ReportMetric(float64(ours)/float64(valid), "x-valid")
	b.ReportMetric(float64(allocated(func() { step(b, format, body, drop) }))/float64(len(body)), "x-body")
}

// allocated is the number of bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func step(b *testing.B, format dialect.Format, body []byte, drop int) {
	c, err := format.Parse(body)
	if err != nil {
		b.Fatal(err)
	}
	v, err := c.View(sdk.Originals(len(c.Messages))[drop:])
	if err != nil {
		b.Fatal(err)
	}
	if _, err := v.Render(); err != nil {
		b.Fatal(err)
	}
}
