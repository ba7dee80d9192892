package reply_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/reply"
)

// BenchmarkObserver reports what observing adds to an event: to a delta of a
// few words, and to the largest that opens a stream, with the request's tools
// in it.
func BenchmarkObserver(b *testing.B) {
	big := strings.Replace(created, `"tools":[]`, fmt.Sprintf(`"tools":[%q]`, strings.Repeat("x", 100<<10)), 1)
	for _, bb := range []struct {
		name    string
		dialect dialect.Name
		event   string
	}{
		{"chat", dialect.OpenAIChat, stream("", chatText)},
		{"chat-usage", dialect.OpenAIChat, stream("", chatUsage)},
		{"responses", dialect.OpenAIResponses, stream("response.output_text.delta", textDelta)},
		{"responses-created", dialect.OpenAIResponses, stream("response.created", big)},
		{"messages", dialect.Anthropic, stream("content_block_delta", blockDelta)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			o := reply.Observe(bb.dialect, true)
			event := []byte(bb.event)
			b.SetBytes(int64(len(event)))
			b.ReportAllocs()
			for b.Loop() {
				o.Write(event)
			}
		})
	}
}
