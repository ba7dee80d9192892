package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFailuresHaveTheDialectsShape(t *testing.T) {
	refused := broken{&net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}}
	const why = "the provider at a.test cannot be reached: connection refused"
	tests := []struct {
		path string
		want string
	}{
		{"/v1/chat/completions", `{"error":{"message":"` + why + `","type":"server_error","param":null,"code":"provider_unreachable"}}`},
		{"/v1/responses", `{"error":{"message":"` + why + `","type":"server_error","param":null,"code":"provider_unreachable"}}`},
		{"/v1/messages", `{"type":"error","error":{"type":"api_error","message":"` + why + `","details":{"error_code":"provider_unreachable"}}}`},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			var out logs
			s := started(t, echo, Options{Transport: refused, Upstream: to("https://a.test"), Logger: out.logger()})
			got := ask(t, http.MethodPost, s.URL+tt.path, "{}")
			if got.status != http.StatusBadGateway || got.header.Get("Content-Type") != "application/json" {
				t.Errorf("status %d, type %q", got.status, got.header.Get("Content-Type"))
			}
			if diff := cmp.Diff(tt.want, got.body); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if n := strings.Count(out.String(), "[ERROR]"); n != 1 {
				t.Errorf("%d lines at error:\n%s", n, out.String())
			}
		})
	}
}

// tooLong finds what clients and proxies take for a prompt that is too long.
var tooLong = regexp.MustCompile(`(?i)too long|too large|exceed|maximum|context|token`)

func TestFailureWords(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"timeout", fmt.Errorf("send: %w", context.DeadlineExceeded), "did not answer in time"},
		{"no such name", &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "a.test"}}, "cannot be reached: lookup a.test: no such host"},
		{"cut", io.ErrUnexpectedEOF, "failed before it answered"},
		{"anything", errors.New("prompt is too long"), "failed before it answered"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := unreachable("a.test", tt.err)
			if !strings.Contains(got, tt.want) || tooLong.MatchString(got) {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestNoProvider(t *testing.T) {
	s := started(t, echo, Options{Upstream: func(c Call) (*url.URL, error) {
		return nil, fmt.Errorf("there is no provider for %s", c.Dialect)
	}})
	got := ask(t, http.MethodPost, s.URL+"/v1/messages", "{}")
	var body struct {
		Error struct{ Type, Message string }
	}
	if err := json.Unmarshal([]byte(got.body), &body); err != nil {
		t.Fatal(err)
	}
	if got.status != http.StatusNotFound || body.Error.Type != "not_found_error" || body.Error.Message != "there is no provider for anthropic" {
		t.Errorf("status %d, %+v", got.status, body)
	}
}
