package layered

import (
	"context"
	"sync"
	"time"

	"github.com/compactor-host/compactor/framework/store"
)

// health is how a kind of call to the back store went last.
type health struct {
	mu sync.Mutex
	// failed says that the last one failed; until down none is tried.
	failed bool
	down   time.Time
}

// try calls the back store unless it is left alone, and says whether it
// answered. Only then does the error count.
func (s *Store) try(ctx context.Context, h *health, call func() error) (answered bool, err error) {
	if h.isDown() {
		return false, nil
	}
	err = call()
	switch {
	case err == nil || store.IsAnswer(err) && ctx.Err() == nil:
		if h.served() {
			s.options.Report(nil)
		}
		return true, err
	case ctx.Err() != nil: // a caller that has gone proves nothing
		return true, ctx.Err()
	}
	h.fell(s.options.Retry)
	s.options.Report(err)
	return false, nil
}

func (h *health) isDown() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Now().Before(h.down)
}

// served notes a call that went well, and says whether the one before did not.
func (h *health) served() (again bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	again, h.failed = h.failed, false
	return again
}

// fell notes a call that failed.
func (h *health) fell(retry time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failed, h.down = true, time.Now().Add(retry)
}
