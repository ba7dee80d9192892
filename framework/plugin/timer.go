package plugin

import (
	"sync"
	"time"
)

// stepTimer measures the time that a strategy takes for itself: it stands
// still while the host owes an answer.
type stepTimer struct {
	mu    sync.Mutex
	left  time.Duration
	since time.Time
	holds int
	timer *time.Timer
}

// newStepTimer starts a timer that calls expire when the time is up.
func newStepTimer(d time.Duration, expire func()) *stepTimer {
	return &stepTimer{left: d, since: time.Now(), timer: time.AfterFunc(d, expire)}
}

// hold stops the time until it has been let go of as often as it was held.
func (t *stepTimer) hold() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.holds++; t.holds == 1 && t.timer.Stop() {
		t.left -= time.Since(t.since)
	}
}

// letGo undoes a hold.
func (t *stepTimer) letGo() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.holds--; t.holds == 0 {
		t.since = time.Now()
		t.timer.Reset(max(t.left, 0))
	}
}

// stop ends the timer for good; the holds that are left do not matter.
func (t *stepTimer) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.holds++ // no letGo starts it again
	t.timer.Stop()
}
