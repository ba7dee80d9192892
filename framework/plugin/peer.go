package plugin

import (
	"context"
	"errors"
	"fmt"
	"time"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

const (
	// stopTime is how long a process may take to end when it is asked to.
	stopTime = time.Second
	// killTime is how long the system may take to end one that was killed,
	// with all that is read and removed after it.
	killTime = 3 * time.Second
	// deathTime is how long a broken connection waits for the news that the
	// process has ended; the connection breaks first.
	deathTime = time.Second
)

// peer is a plugin's process that is connected.
type peer struct {
	process  *process
	client   *goplugin.Client
	conn     *grpc.ClientConn
	strategy strategyv1.StrategyClient
	about    *Description

	// released is closed when go-plugin's goroutines have ended too.
	released chan struct{}

	// The supervisor's: calls under way, and idle, which is closed when there
	// are none and there will be none.
	calls   int
	retired bool
	idle    chan struct{}
}

// newPeer makes sure that whatever becomes of the process, go-plugin lets go
// of it.
func newPeer(process *process, client *goplugin.Client) *peer {
	p := &peer{process: process, client: client, released: make(chan struct{}), idle: make(chan struct{})}
	go func() {
		defer close(p.released)
		<-process.done
		client.Kill()
	}()
	return p
}

// open starts the process, connects and asks it to describe itself.
func (p *peer) open(ctx context.Context) error {
	connected := make(chan error, 1)
	go func() { connected <- p.connect() }()
	var err error
	select {
	case err = <-connected:
	case <-ctx.Done():
		// go-plugin takes no context: it gives up when the process is gone.
		_ = p.process.Kill(ctx)
		err = <-connected
	}
	if err != nil {
		p.process.discard()
		return err
	}
	p.about, err = describe(ctx, p.strategy, p.process.found)
	return err
}

func (p *peer) connect() error {
	protocol, err := p.client.Client()
	if err != nil {
		return err
	}
	p.conn = protocol.(*goplugin.GRPCClient).Conn // no other protocol is allowed
	p.strategy = strategyv1.NewStrategyClient(p.conn)
	return nil
}

// alive reports whether the process has not ended.
func (p *peer) alive() bool { return p.process.life.Err() == nil }

// died waits a moment for the process's end and reports it as an error; nil
// when it lives on.
func (p *peer) died() *Error {
	select {
	case <-p.process.life.Done():
	case <-time.After(deathTime):
		return nil
	}
	select { // for the last words
	case <-p.process.done:
	case <-time.After(killTime):
	}
	return p.fault(Died, errors.New(p.process.ended()))
}

// fault is an error about this process.
func (p *peer) fault(kind Kind, cause error) *Error {
	e := &Error{Kind: kind, Plugin: p.process.found.Name, Path: p.process.found.Path, Cause: cause}
	if kind == Died || kind == Hang {
		e.Stderr = p.process.output.last()
	}
	return e
}

// stop asks the process to end and kills it when it does not. It is bounded by
// stopTime and killTime, and kills at once when ctx is done.
func (p *peer) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stopTime)
	defer cancel()
	err := p.conn.Invoke(ctx, "/plugin.GRPCController/Shutdown", new(emptypb.Empty), new(emptypb.Empty))
	// A plugin that is not built on go-plugin need not know the call.
	if status.Code(err) != codes.Unimplemented {
		select {
		case <-p.process.life.Done():
		case <-ctx.Done():
		}
	}
	return p.kill()
}

// kill ends the process and waits until nothing of it is left.
func (p *peer) kill() error {
	_ = p.process.Kill(context.Background())
	select {
	case <-p.released:
		return nil
	case <-time.After(killTime):
		return fmt.Errorf("strategy %q: process %d was killed, but it, or its log, has not come to an end", p.process.found.Name, p.process.pid())
	}
}
