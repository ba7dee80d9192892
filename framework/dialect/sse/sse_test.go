package sse_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/framework/dialect/sse"
)

// event is sse.Event in a form that can be kept and compared.
type event struct {
	Name, Raw string
	Data      string // none without a data line
	At        int
}

// none is no data that an event can have.
const none = "\r"

// scan feeds the chunks and returns the events and what is left.
func scan(t *testing.T, chunks ...string) (events []event, rest string) {
	t.Helper()
	var s sse.Scanner
	take := func() {
		for s.Next() {
			e := s.Event()
			got := event{Name: e.Name, Raw: string(e.Raw), Data: string(e.Data), At: e.At}
			if e.Data == nil {
				got.Data = none
			}
			if e.At >= 0 && !bytes.HasPrefix(e.Raw[e.At:], e.Data) {
				t.Errorf("data %q is not at %d of %q", e.Data, e.At, e.Raw)
			}
			events = append(events, got)
		}
	}
	for _, c := range chunks {
		s.Feed([]byte(c))
		take()
	}
	s.End()
	take()
	if err := s.Err(); err != nil {
		t.Errorf("unexpected error: %v", err)
	}
	return events, string(s.Rest())
}

func TestScanner(t *testing.T) {
	for _, tt := range []struct {
		name, stream string
		want         []event
		rest         string
	}{
		{"named", "event: a\ndata: 1\n\n", []event{{"a", "event: a\ndata: 1\n\n", "1", 15}}, ""},
		{"name is of its event only", "event: a\ndata: 1\n\ndata: 2\n\n", []event{
			{"a", "event: a\ndata: 1\n\n", "1", 15},
			{"", "data: 2\n\n", "2", 6},
		}, ""},
		{"carriage returns", "data: 1\r\rdata: 2\r\r", []event{{"", "data: 1\r\r", "1", 6}, {"", "data: 2\r\r", "2", 6}}, ""},
		{"both", "data: 1\r\n\r\ndata: 2\r\n\r\n", []event{{"", "data: 1\r\n\r\n", "1", 6}, {"", "data: 2\r\n\r\n", "2", 6}}, ""},
		{"mixed", "data: 1\r\n\ndata: 2\n\r\n", []event{{"", "data: 1\r\n\n", "1", 6}, {"", "data: 2\n\r\n", "2", 6}}, ""},
		{"comment", ": OPENROUTER PROCESSING\n\ndata: 1\n\n", []event{
			{"", ": OPENROUTER PROCESSING\n\n", none, -1},
			{"", "data: 1\n\n", "1", 6},
		}, ""},
		{"comment within", ":x\ndata: 1\n\n", []event{{"", ":x\ndata: 1\n\n", "1", 9}}, ""},
		{"several lines", "data: a\ndata: b\ndata:\n\n", []event{{"", "data: a\ndata: b\ndata:\n\n", "a\nb\n", -1}}, ""},
		{"one space goes", "data:  a\n\n", []event{{"", "data:  a\n\n", " a", 6}}, ""},
		{"no space", "data:a:b\n\n", []event{{"", "data:a:b\n\n", "a:b", 5}}, ""},
		{"no colon", "data\n\n", []event{{"", "data\n\n", "", 4}}, ""},
		{"other fields", "id: 7\nretry: 1\nDATA: x\n data: y\n\n", []event{{"", "id: 7\nretry: 1\nDATA: x\n data: y\n\n", none, -1}}, ""},
		{"byte order mark", "\xef\xbb\xbfdata: 1\n\n", []event{{"", "\xef\xbb\xbfdata: 1\n\n", "1", 9}}, ""},
		{"byte order mark alone", "\xef\xbb\xbf\ndata: 1\n\n", []event{
			{"", "\xef\xbb\xbf\n", none, -1},
			{"", "data: 1\n\n", "1", 6},
		}, ""},
		{"second byte order mark", "data: 1\n\n\xef\xbb\xbfdata: 2\n\n", []event{
			{"", "data: 1\n\n", "1", 6},
			{"", "\xef\xbb\xbfdata: 2\n\n", none, -1},
		}, ""},
		{"cut off", "data: 1\n\ndata: 2\n", []event{{"", "data: 1\n\n", "1", 6}}, "data: 2\n"},
		{"long lines", "data: " + strings.Repeat("x", 3000) + "\n\n", []event{
			{"", "data: " + strings.Repeat("x", 3000) + "\n\n", strings.Repeat("x", 3000), 6},
		}, ""},
		{"empty", "", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for size := 1; size <= len(tt.stream)+1; size += 1 + size/8 {
				got, rest := scan(t, pieces(tt.stream, size)...)
				if diff := cmp.Diff(tt.want, got); diff != "" || rest != tt.rest {
					t.Fatalf("in pieces of %d, rest %q (-want +got):\n%s", size, rest, diff)
				}
			}
		})
	}
}

func pieces(s string, size int) (out []string) {
	for ; len(s) > size; s = s[size:] {
		out = append(out, s[:size])
	}
	return append(out, s)
}

// An event is told when it is complete, not when the next one begins.
func TestScannerIsPrompt(t *testing.T) {
	var s sse.Scanner
	s.Feed([]byte("data: 1\n\nda"))
	if !s.Next() || s.Next() {
		t.Error("a complete event is told before the next one begins")
	}
	if got := string(s.Rest()); got != "da" {
		t.Errorf("rest %q", got)
	}
}

func TestScannerLimit(t *testing.T) {
	line := "data: " + strings.Repeat("x", 1<<20-7) + "\n"
	full := strings.Repeat(line, 16) // MaxEvent, without the empty line
	for _, tt := range []struct {
		name, stream string
		long         bool
	}{
		{"at the limit", full[1<<20:] + line[:1<<20-2] + "\n\n", false},
		{"one over", full + "\n", true},
		{"without an end", full + "x", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, size := range []int{len(tt.stream), 1 << 16} {
				var s sse.Scanner
				events := 0
				s.Feed([]byte("data: before\n\n"))
				for _, p := range pieces(tt.stream, size) {
					s.Feed([]byte(p))
					for s.Next() {
						events++
					}
				}
				want, err := 2, error(nil)
				if tt.long {
					want, err = 1, sse.ErrTooLong
				}
				if events != want || !errors.Is(s.Err(), err) {
					t.Errorf("in pieces of %d: %d events and %v, want %d and %v", size, events, s.Err(), want, err)
				}
			}
		})
	}
}

func TestAppend(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{string(sse.AppendEvent(nil, "error", []byte("{}"))), "event: error\ndata: {}\n\n"},
		{string(sse.AppendEvent([]byte("x"), "", []byte("a\r\nb\rc\n"))), "xdata: a\ndata: b\ndata: c\ndata: \n\n"},
		{string(sse.AppendComment(nil, "still here")), ": still here\n\n"},
		{string(sse.AppendComment(nil, "a\nevent: b")), ": a\n: event: b\n\n"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

// naive reads a whole stream by the letter of the standard.
func naive(stream string) (events []event) {
	body := strings.TrimPrefix(stream, "\xef\xbb\xbf")
	body = strings.ReplaceAll(strings.ReplaceAll(body, "\r\n", "\n"), "\r", "\n")
	var e event
	data, has := "", false
	for {
		line, rest, ok := strings.Cut(body, "\n")
		if !ok {
			return events
		}
		body = rest
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "" && has:
			e.Data = strings.TrimSuffix(data, "\n")
			events = append(events, e)
			fallthrough
		case line == "":
			e, data, has = event{}, "", false
		case name == "event":
			e.Name = value
		case name == "data":
			data, has = data+value+"\n", true
		}
	}
}

func FuzzScanner(f *testing.F) {
	for _, seed := range []string{
		"event: a\ndata: 1\n\n", "data: 1\r\rdata:2\r\n\r\n", ":c\n\n\xef\xbb\xbfdata", "\xef\xbb\xbfdata:\ndata\n\r", "\r\n\r",
	} {
		f.Add(seed, 1)
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, stream string, size int) {
		got, rest := scan(t, pieces(stream, max(size, 1))...)
		var visible []event
		raw := ""
		for _, e := range got {
			raw += e.Raw
			if e.Data != none {
				visible = append(visible, event{Name: e.Name, Data: e.Data})
			}
		}
		if raw+rest != stream {
			t.Errorf("the events are %q and %q of %q", raw, rest, stream)
		}
		if diff := cmp.Diff(naive(stream), visible); diff != "" {
			t.Errorf("%q (-want +got):\n%s", stream, diff)
		}
	})
}

func ExampleScanner() {
	var s sse.Scanner
	for _, chunk := range []string{"event: ping\nda", "ta: {}\n", "\n: bye\n\n"} {
		s.Feed([]byte(chunk))
		for s.Next() {
			fmt.Printf("%q %q of %q\n", s.Event().Name, s.Event().Data, s.Event().Raw)
		}
	}
	// Output:
	// "ping" "{}" of "event: ping\ndata: {}\n\n"
	// "" "" of ": bye\n\n"
}
