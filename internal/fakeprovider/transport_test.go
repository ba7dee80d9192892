package fakeprovider

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
)

// TestBodyIsReadWhileItIsWritten reads the first events of a reply that never
// ends. The bubble ends only if closing the body ends the handler.
func TestBodyIsReadWhileItIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Options{})
		p.Inject(Fault{Kind: SilenceMidStream})
		response, err := p.Transport().RoundTrip(request(t, paths[Responses], history(Responses, true, "hello")))
		if err != nil {
			t.Fatal(err)
		}
		first := make([]byte, len("event: response.created"))
		if _, err := io.ReadFull(response.Body, first); err != nil || string(first) != "event: response.created" {
			t.Errorf("read %q, %v", first, err)
		}
		if len(p.Records()) != 0 {
			t.Error("the call is recorded before its end")
		}
		if err := response.Body.Close(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if records := p.Records(); len(records) != 1 || records[0].Status != 200 {
			t.Errorf("records %+v", records)
		}
	})
}

// TestCallsInParallel is for the race detector, and for the numbers.
func TestCallsInParallel(t *testing.T) {
	p := New(Options{})
	const calls = 20
	done := make(chan int, calls)
	for i := range calls {
		d := dialects[i%len(dialects)]
		r := request(t, paths[d], history(d, i%2 == 0, strings.Repeat("word ", 50)+"hello"))
		go func() { done <- do(p.Transport(), r).status }()
	}
	for range calls {
		if status := <-done; status != 200 {
			t.Errorf("status %d", status)
		}
	}
	numbers := map[int]bool{}
	for _, r := range p.Records() {
		numbers[r.Number] = true
	}
	if len(numbers) != calls {
		t.Errorf("%d different numbers for %d calls", len(numbers), calls)
	}
}
