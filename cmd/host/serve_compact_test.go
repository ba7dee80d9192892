package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// answering is a provider that notes how long the bodies are that it gets.
func answering(t *testing.T) (url string, sizes <-chan int) {
	got := make(chan int, 10)
	p := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- len(body)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"type":"message","role":"assistant","content":[{"type":"text","text":"yes"}],"stop_reason":"end_turn","usage":{"input_tokens":4000,"output_tokens":1}}`)
	}))
	t.Cleanup(p.Close)
	return p.URL, got
}

// A prompt that is due leaves smaller, and log, metrics and events tell of it.
func TestServeCompacts(t *testing.T) {
	body, err := os.ReadFile(filepath.Join("..", "..", "examples", "conversation.json"))
	if err != nil {
		t.Fatal(err)
	}
	url, sizes := answering(t)
	config := strings.Replace(evictOnly(strategy(t, "evict")), "step", "max_tokens = 6000\n step", 1)
	s := startServer(t, config+provided("anthropic", `"anthropic"`, url))
	s.ready(t)
	events, err := http.Get(s.url + "/compactor/v1/events")
	if err != nil {
		t.Fatal(err)
	}
	defer events.Body.Close()

	res, err := http.Post(s.url+"/v1/messages", "application/json", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if got, err := io.ReadAll(res.Body); err != nil || !strings.Contains(string(got), `"text":"yes"`) {
		t.Fatalf("%s, %v", got, err)
	}
	if got := <-sizes; got >= len(body)/2 {
		t.Errorf("the provider got %d bytes of %d", got, len(body))
	}
	var kinds []string
	for lines := bufio.NewScanner(events.Body); len(kinds) < 4 && lines.Scan(); {
		if kind, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			kinds = append(kinds, kind)
		}
	}
	if got := strings.Join(kinds, " "); got != "compaction:started compaction:state compaction:ended request:ended" {
		t.Errorf("events: %s", got)
	}
	for _, want := range []string{
		`compactor_compactions_total{dialect="anthropic",outcome="changed",reason="threshold"} 1`,
		`compactor_requests_total{dialect="anthropic",outcome="ok"} 1`,
	} {
		// A count may come after the event.
		s.await(t, want, func() string { _, page := s.status(t, "/metrics"); return page })
	}
	if code := s.end(t, syscall.SIGTERM); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if n := len(regexp.MustCompile(`\[INFO\].* compacted: \d+ → \d+ tokens`).FindAllString(s.logs.String(), -1)); n != 1 {
		t.Errorf("%d lines about a compaction:\n%s", n, s.logs)
	}
}
