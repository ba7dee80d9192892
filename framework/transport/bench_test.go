package transport

import (
	"bytes"
	"io"
	"net/http"
	"runtime"
	"testing"
)

// TestBodiesAreNotCopied sends a body in pieces, to its end and beyond, as
// http.Transport does: what is allocated for it is far less than a buffer.
func TestBodiesAreNotCopied(t *testing.T) {
	raw := bytes.Repeat([]byte("x"), 100_000)
	body, err := decode("identity", raw)
	if err != nil || &body[0] != &raw[0] {
		t.Fatalf("a body that is as it came was copied: %v", err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://provider.test/", nil)
	if err != nil {
		t.Fatal(err)
	}
	const times = 100
	got := allocated(func() {
		for range times {
			setBody(req, body[:10], body[10:])
			n, err := io.Copy(io.Discard, req.Body)
			if rest, _ := io.Copy(io.Discard, req.Body); n != int64(len(body)) || rest != 0 || err != nil {
				t.Fatalf("read %d and %d bytes, %v", n, rest, err)
			}
		}
	})
	if got > times*4<<10 {
		t.Errorf("%d bytes for each body of %d", got/times, len(body))
	}
	again, err := req.GetBody()
	if err != nil {
		t.Fatal(err)
	}
	if sent, err := io.ReadAll(again); err != nil || !bytes.Equal(sent, body) {
		t.Errorf("the second time %d bytes are sent, %v", len(sent), err)
	}
}

// allocated is how much memory is allocated while f runs.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
