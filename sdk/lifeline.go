package sdk

import (
	"context"
	"sync"
	"time"

	"google.golang.org/grpc/stats"
)

// lifeline ends a plugin process whose host is gone: it watches the server's
// connections, and calls end when there is none for too long. A host that was
// killed can tell nobody, but the system closes its sockets.
type lifeline struct {
	// again is how long to wait for a new connection when the last has ended.
	again time.Duration
	end   func()

	mu    sync.Mutex
	open  int
	timer *time.Timer
}

var _ stats.Handler = (*lifeline)(nil)

// watch begins to wait for the first connection, which has to come within the
// time first.
func (l *lifeline) watch(first time.Duration, end func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end = end
	l.timer = time.AfterFunc(first, l.expire)
}

// HandleConn counts connections.
func (l *lifeline) HandleConn(_ context.Context, s stats.ConnStats) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch s.(type) {
	case *stats.ConnBegin:
		l.open++
		l.timer.Stop()
	case *stats.ConnEnd:
		if l.open--; l.open == 0 {
			l.timer = time.AfterFunc(l.again, l.expire)
		}
	}
}

// expire ends the process unless a connection came while the timer fired.
func (l *lifeline) expire() {
	l.mu.Lock()
	alone := l.open == 0
	l.mu.Unlock()
	if alone {
		l.end()
	}
}

// TagConn is of no use here.
func (l *lifeline) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// TagRPC is of no use here.
func (l *lifeline) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

// HandleRPC is of no use here.
func (l *lifeline) HandleRPC(context.Context, stats.RPCStats) {}
