package plugin

import (
	"testing"
	"time"
)

// fired makes a timer and a channel that tells when it expires.
func fired(d time.Duration) (*stepTimer, <-chan struct{}) {
	c := make(chan struct{})
	return newStepTimer(d, func() { close(c) }), c
}

func TestTimerExpires(t *testing.T) {
	_, c := fired(time.Millisecond)
	<-c
}

func TestTimerStandsStillWhileHeld(t *testing.T) {
	timer, c := fired(time.Hour)
	timer.hold()
	timer.hold()
	timer.left = 0
	timer.letGo()
	select {
	case <-c:
		t.Fatal("expired while it was held")
	case <-time.After(20 * time.Millisecond):
	}
	timer.letGo()
	<-c
}

func TestStoppedTimerStaysStopped(t *testing.T) {
	timer, c := fired(time.Hour)
	timer.hold()
	timer.stop()
	timer.left = 0
	timer.letGo()
	select {
	case <-c:
		t.Error("expired after it was stopped")
	case <-time.After(20 * time.Millisecond):
	}
}
