package openaichat_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/compactor-host/compactor/framework/dialect/openaichat"
	"github.com/compactor-host/compactor/sdk"
)

// agentBody is a tool loop of about 4 MB in 1,900 messages.
func agentBody() []byte {
	var b strings.Builder
	b.WriteString(`{"model":"m","messages":[{"role":"system","content":"You write code."}`)
	out := strings.Repeat(`\tif err := run(ctx, \"name\"); err != nil {\n`, 95)
	for i := range 475 {
		fmt.Fprintf(&b, `,{"role":"user","content":"Now do step %d, please."}`, i)
		fmt.Fprintf(&b, `,{"role":"assistant","content":"Looking.","tool_calls":[{"id":"call_%d","type":"function","function":{"name":"read","arguments":"{\"path\":\"/a/b/%d.go\"}"}}]}`, i, i)
		fmt.Fprintf(&b, `,{"role":"tool","tool_call_id":"call_%d","content":"%s%s"}`, i, out, out)
		fmt.Fprintf(&b, `,{"role":"assistant","content":"Done with %d: it says what it should."}`, i)
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

// BenchmarkParseAndRender reports the time of parsing a body, making a view of
// it and rendering that, over the time of json.Valid on the same body.
func BenchmarkParseAndRender(b *testing.B) {
	bodies := map[string][]byte{"made": agentBody()}
	if dir := os.Getenv("COMPACTOR_TRANSCRIPTS"); dir != "" {
		body, err := os.ReadFile(filepath.Join(dir, "requests/openai-chat/pi-two-sessions-composite.json"))
		if err != nil {
			b.Fatal(err)
		}
		bodies["recorded"] = body
	}
	for name, body := range bodies {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			var valid, ours time.Duration
			for b.Loop() {
				start := time.Now()
				if !json.Valid(body) {
					b.Fatal("not valid")
				}
				valid += time.Since(start)
				start = time.Now()
				c, err := openaichat.Format{}.Parse(body)
				if err != nil {
					b.Fatal(err)
				}
				v, err := c.View(sdk.Originals(len(c.Messages))[1:])
				if err != nil {
					b.Fatal(err)
				}
				if _, err := v.Render(); err != nil {
					b.Fatal(err)
				}
				ours += time.Since(start)
			}
			b.ReportMetric(float64(ours)/float64(valid), "x-valid")
		})
	}
}

// BenchmarkParse is the part of a step that changes nothing.
func BenchmarkParse(b *testing.B) {
	body := agentBody()
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (openaichat.Format{}).Parse(body); err != nil {
			b.Fatal(err)
		}
	}
}
