package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestServeIsReadyWhenItsStrategiesAre(t *testing.T) {
	gate := filepath.Join(t.TempDir(), "gate")
	script := filepath.Join(t.TempDir(), "slow")
	wait := fmt.Sprintf("#!/bin/sh\nwhile [ ! -e '%s' ]; do sleep 0.01; done\nexec '%s'\n", gate, strategy(t, "evict"))
	if err := os.WriteFile(script, []byte(wait), 0o700); err != nil {
		t.Fatal(err)
	}
	s := startServer(t, evictOnly(script))
	if code, body := s.status(t, "/readyz"); code != http.StatusServiceUnavailable || body != "strategies are being started\n" {
		t.Errorf("before: status %d, %q", code, body)
	}
	if code, _ := s.status(t, "/healthz"); code != http.StatusOK {
		t.Errorf("before: /healthz has status %d", code)
	}
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("compactor is ready at %s; base URLs: OpenAI Chat and Responses %s/v1, Anthropic %s", s.url, s.url, s.url)
	if got := s.ready(t); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if code, body := s.status(t, "/readyz"); code != http.StatusOK {
		t.Errorf("after: status %d, %q", code, body)
	}
	if _, body := s.status(t, "/metrics"); !strings.Contains(body, "compactor_events_dropped_total{observer=\"log\"} 0\n") {
		t.Errorf("metrics:\n%s", body)
	}
	if code := s.end(t, syscall.SIGTERM); code != 0 {
		t.Errorf("exit code %d\n%s", code, s.logs)
	}
}

func TestServeSignals(t *testing.T) {
	evict := strategy(t, "evict")
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run("a call may finish after the first "+sig.String(), func(t *testing.T) {
			url, next := streaming(t)
			s := startServer(t, evictOnly(evict)+provided("anthropic", `"anthropic"`, url))
			s.ready(t)
			res := s.call(t, next)
			if err := s.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			s.refuses(t)
			next <- "second"
			close(next)
			if rest, err := io.ReadAll(res.Body); string(rest) != "second" || err != nil {
				t.Errorf("the rest is %q, %v", rest, err)
			}
			if code := s.exit(); code != 0 {
				t.Errorf("exit code %d\n%s", code, s.logs)
			}
		})
	}
	t.Run("a call that takes too long is cut", func(t *testing.T) {
		url, next := streaming(t)
		s := startServer(t, evictOnly(evict)+provided("anthropic", `"anthropic"`, url), "--drain", "1ms")
		s.ready(t)
		res := s.call(t, next)
		if code := s.end(t, syscall.SIGTERM); code != 0 {
			t.Errorf("exit code %d\n%s", code, s.logs)
		}
		if _, err := io.ReadAll(res.Body); err == nil {
			t.Error("the answer ended as if it were whole")
		}
		if !strings.Contains(s.logs.String(), "calls under way were cut") {
			t.Errorf("logged:\n%s", s.logs)
		}
	})
}

func TestServeEndsAtOnceOnTheSecondSignal(t *testing.T) {
	url, next := streaming(t)
	s := startServer(t, evictOnly(strategy(t, "evict"))+provided("anthropic", `"anthropic"`, url), "--drain", "1h")
	s.killed = true
	s.ready(t)
	s.call(t, next)
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	s.refuses(t)
	s.end(t, syscall.SIGTERM)
	if status, ok := s.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGTERM {
		t.Errorf("it ended by %v", s.ProcessState)
	}
}

func TestServeProviders(t *testing.T) {
	named := func(name string) string {
		p := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, name, " ", r.URL)
		}))
		t.Cleanup(p.Close)
		return p.URL
	}
	s := startServer(t, evictOnly(strategy(t, "evict"))+
		provided("anthropic", `"anthropic"`, named("anthropic"))+
		provided("openai", `"openai-chat", "openai-responses"`, named("openai")+"/v1")+
		provided("local", `"openai-chat"`, named("local")+"/api/v1/")+
		"route {\n match { models = [\"qwen-*\"] }\n provider = \"local\"\n}\n")
	s.ready(t)
	tests := []struct{ name, path, model, header, want string }{
		{"messages", "/v1/messages?beta=true", "claude", "", "anthropic /v1/messages?beta=true"},
		{"responses", "/v1/responses", "gpt", "", "openai /v1/responses"},
		{"chat", "/v1/chat/completions", "gpt", "", "openai /v1/chat/completions"},
		{"chat of a routed model", "/v1/chat/completions", "qwen-7", "", "local /api/v1/chat/completions"},
		{"routed model in a dialect that its provider lacks", "/v1/responses", "qwen-7", "", "openai /v1/responses"},
		{"models", "/v1/models", "", "", "openai /v1/models"},
		{"models of Anthropic", "/v1/models", "", "2023-06-01", "anthropic /v1/models"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := http.NewRequest(http.MethodPost, s.url+tt.path, strings.NewReader(`{"model":"`+tt.model+`"}`))
			if err != nil {
				t.Fatal(err)
			}
			if tt.header != "" {
				r.Header.Set("anthropic-version", tt.header)
			}
			res, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			if got, err := io.ReadAll(res.Body); string(got) != tt.want {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	s.end(t, os.Interrupt)
}
