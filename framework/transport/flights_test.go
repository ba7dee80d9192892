package transport

import (
	"context"
	"errors"
	"testing"
)

// Callers of one key share a run, and its result.
func TestFlightsAreShared(t *testing.T) {
	var fs flights[string, int]
	begun, release := make(chan struct{}), make(chan struct{})
	runs := 0
	fly := func(context.Context) int {
		runs++
		close(begun)
		<-release
		return runs
	}
	results := make(chan int, 3)
	ask := func() {
		n, err := fs.do(t.Context(), "one", false, fly)
		if err != nil {
			t.Error(err)
		}
		results <- n
	}
	go ask()
	<-begun
	go ask()
	go ask()
	for waiting := 0; waiting < 3; {
		fs.mu.Lock()
		waiting = fs.by["one"].waiting
		fs.mu.Unlock()
	}
	close(release)
	for range 3 {
		if n := <-results; n != 1 {
			t.Errorf("run %d answered", n)
		}
	}
	if n, err := fs.do(t.Context(), "one", false, func(context.Context) int { return 7 }); n != 7 || err != nil {
		t.Errorf("what is over is not shared any more: %d, %v", n, err)
	}
}

// The last caller that goes ends a run, unless it is detached: then it runs on,
// and the next caller finds it.
func TestFlightsEndWithTheirLastCaller(t *testing.T) {
	for name, detached := range map[string]bool{"attached": false, "detached": true} {
		t.Run(name, func(t *testing.T) {
			var fs flights[string, error]
			begun, release := make(chan struct{}), make(chan struct{})
			ended := make(chan error, 1)
			fly := func(ctx context.Context) error {
				close(begun)
				select {
				case <-ctx.Done():
				case <-release:
				}
				ended <- ctx.Err()
				return ctx.Err()
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			gone := errors.New("gone")
			go func() {
				<-begun
				cancel(gone)
			}()
			if _, err := fs.do(ctx, "one", detached, fly); !errors.Is(err, gone) {
				t.Errorf("the caller is told %v", err)
			}
			close(release)
			if err := <-ended; (err == nil) != detached {
				t.Errorf("the run ended with %v", err)
			}
			if err := fs.stop(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// At the end of the host runs may finish in time, or are cancelled.
func TestFlightsStop(t *testing.T) {
	var fs flights[string, error]
	begun := make(chan struct{})
	caller, leave := context.WithCancel(t.Context())
	go func() {
		<-begun
		leave()
	}()
	_, _ = fs.do(caller, "one", true, func(ctx context.Context) error {
		close(begun)
		<-ctx.Done()
		return ctx.Err()
	})
	late, cancel := context.WithCancel(t.Context())
	cancel()
	if err := fs.stop(late); err == nil {
		t.Error("a run that had to be cancelled is no error")
	}
}
