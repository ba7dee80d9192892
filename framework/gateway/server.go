package gateway

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/hashicorp/go-hclog"
)

// headerTimeout is how long a client may take for a request's header, and
// idleTimeout how long it may keep a connection without using it. Bodies and
// answers take as long as they take.
const (
	headerTimeout = 30 * time.Second
	idleTimeout   = 5 * time.Minute
)

// DefaultDrain is how long calls under way may go on when the host ends.
const DefaultDrain = 30 * time.Second

// Server serves a Gateway.
type Server struct {
	Gateway *Gateway
	// Drain is how long calls under way may go on after the end has begun; 0 is
	// DefaultDrain.
	Drain time.Duration
}

// Serve accepts connections until ctx is done. Then it takes no more, lets calls
// under way finish and cuts those that take longer than Drain. The error is that
// of the listener, which is closed in any case.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	log := s.Gateway.o.Logger
	calls, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut() // also ends connections that are no longer the server's
	srv := &http.Server{
		Handler:           s.Gateway,
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		BaseContext:       func(net.Listener) context.Context { return calls },
		ErrorLog:          log.StandardLogger(&hclog.StandardLoggerOptions{ForceLevel: hclog.Debug}),
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	select {
	case err := <-failed:
		s.Gateway.Drain()
		return errors.Join(err, srv.Close())
	case <-ctx.Done():
	}
	s.Gateway.Drain()
	s.drain(srv, cut, log)
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// drain waits for calls under way, and cuts them when their time is up.
func (s *Server) drain(srv *http.Server, cut func(), log hclog.Logger) {
	limit := cmp.Or(s.Drain, DefaultDrain)
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if srv.Shutdown(ctx) == nil {
		return
	}
	log.Warn("calls under way were cut", "after", limit)
	cut()
	_ = srv.Close() // the listener is closed already
}
