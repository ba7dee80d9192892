package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"time"
)

// A stream is so many chunks, one every pace, and measured so often.
const (
	chunks      = 100
	pace        = time.Millisecond
	chunkRounds = 8
)

// epoch is what the chunks' times count from.
var epoch = time.Now()

// chunkDelay is by how much the host delays a chunk of a streamed answer more
// than a bare reverse proxy does, in microseconds: the difference of the
// medians. Each chunk says when it was sent.
func chunkDelay(ctx context.Context, _ *material) (float64, error) {
	provider := httptest.NewServer(http.HandlerFunc(serveStream))
	defer provider.Close()
	host, bare, done, err := between(ctx, provider.URL)
	if err != nil {
		return 0, err
	}
	defer done()
	client := newClient()
	defer client.CloseIdleConnections()
	var through, direct []float64
	for i := range chunkRounds + 1 {
		d, err := stream(ctx, client, bare.url)
		if err != nil {
			return 0, err
		}
		t, err := stream(ctx, client, host.url)
		if err != nil {
			return 0, err
		}
		if i > 0 { // the first opens the connections
			direct, through = append(direct, d...), append(through, t...)
		}
	}
	return median(through) - median(direct), nil
}

// serveStream answers with chunks that say when they are sent.
func serveStream(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return // the client is gone
	}
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w).Flush
	for range chunks {
		time.Sleep(pace)
		_, _ = fmt.Fprintf(w, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%d\"}}]}\n\n", time.Since(epoch))
		if flush() != nil {
			return
		}
	}
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

// stream asks for a stream and returns how long each chunk was under way, in
// microseconds.
func stream(ctx context.Context, through http.RoundTripper, server string) ([]float64, error) {
	req, err := newCall(ctx, server, "one", []byte(`{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"count"}]}`))
	if err != nil {
		return nil, err
	}
	resp, err := through.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var delays []float64
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		_, rest, found := strings.Cut(lines.Text(), `"content":"`)
		if !found {
			continue
		}
		got := time.Since(epoch)
		digits, _, _ := strings.Cut(rest, `"`)
		sent, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			return nil, err
		}
		delays = append(delays, float64(got-time.Duration(sent))/float64(time.Microsecond))
	}
	if len(delays) != chunks {
		return nil, fmt.Errorf("%d of %d chunks came", len(delays), chunks)
	}
	return delays, lines.Err()
}
