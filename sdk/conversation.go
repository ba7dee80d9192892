package sdk

import (
	"context"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/proto"

	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

// readRequest reads a stream up to Go.
func readRequest(stream strategyv1.Strategy_CompactServer) (*Request, *strategyv1.Start, error) {
	var start *strategyv1.Start
	var view ViewJoiner
	for {
		frame, err := stream.Recv()
		switch {
		case err == io.EOF:
			return nil, nil, protocolError("the stream ended before go")
		case err != nil:
			return nil, nil, err
		}
		switch f := frame.GetFrame().(type) {
		case *strategyv1.FromHost_Start:
			if start != nil {
				return nil, nil, protocolError("a second start")
			}
			start = f.Start
		case *strategyv1.FromHost_Outline:
			if start == nil {
				return nil, nil, protocolError("outline before start")
			}
			view.AddOutline(f.Outline)
		case *strategyv1.FromHost_Content:
			if start == nil {
				return nil, nil, protocolError("content before start")
			}
			view.AddContent(f.Content)
		case *strategyv1.FromHost_Go:
			if start == nil {
				return nil, nil, protocolError("go before start")
			}
			request, err := requestOf(start, &view)
			return request, start, err
		}
		// Anything else is a frame of a later revision, and optional.
	}
}

// requestOf puts the request together once all of it is there.
func requestOf(start *strategyv1.Start, view *ViewJoiner) (*Request, error) {
	r := RequestFromProto(start)
	var err error
	if r.View, err = view.View(); err != nil {
		return nil, protocolError("view: %v", err)
	}
	if len(r.View) != int(start.GetMessages()) {
		return nil, protocolError("view: %d messages came, %d were announced", len(r.View), start.GetMessages())
	}
	return r, nil
}

func protocolError(format string, args ...any) error {
	return &Error{Kind: ErrInvalid, Message: "protocol: " + fmt.Sprintf(format, args...)}
}

// conversation is the plugin's side of one Compact stream after Go. Three
// goroutines share it: the handler, in which the strategy runs; a reader,
// which only reads and hands answers over, so that it never waits for a
// writer; and a sender, the only one to write.
type conversation struct {
	stream strategyv1.Strategy_CompactServer
	ctx    context.Context
	cancel context.CancelCauseFunc
	limits Limits

	// out is what the sender sends, in order; no frame is the end. It is never
	// closed, as a strategy may have left goroutines behind.
	out  chan outgoing
	sent chan error

	questions *questions
}

// outgoing is a frame on its way to the sender, with its question if it is
// one.
type outgoing struct {
	frame    *strategyv1.FromPlugin
	question *question
}

// queued is how many frames may wait for the sender. Beyond it questions wait,
// while progress and log lines are let go.
const queued = 256

func newConversation(stream strategyv1.Strategy_CompactServer, limits Limits) *conversation {
	ctx, cancel := context.WithCancelCause(stream.Context())
	c := &conversation{
		stream:    stream,
		ctx:       ctx,
		cancel:    cancel,
		limits:    limits,
		out:       make(chan outgoing, queued),
		sent:      make(chan error, 1),
		questions: newQuestions(limits.OpenQuestions),
	}
	// The reader ends with the stream, and the stream ends when the handler
	// returns; it cannot be waited for in the handler.
	go c.read()
	go func() { c.sent <- c.send() }()
	return c
}

// close ends what still belongs to the conversation.
func (c *conversation) close() { c.cancel(context.Canceled) }

// run lets the strategy work and sends its result. When it fails, its error
// ends the stream.
func (c *conversation) run(in *Instance, r *Request) error {
	result, failed := in.Compact(c.ctx, r, &streamHost{c})
	// What was said before the end is sent, also when the strategy failed.
	// After that the sender is gone, and nobody but the handler writes.
	if err := c.enqueue(c.ctx, outgoing{}); err != nil {
		return ErrorOf(err)
	}
	if err := <-c.sent; err != nil {
		return ErrorOf(err)
	}
	if failed != nil {
		return failed
	}
	return c.sendResult(result)
}

// sendResult sends the result in frames, or nothing of it.
func (c *conversation) sendResult(r *Result) error {
	var frames []*strategyv1.FromPlugin
	total := 0
	for p := range ResultFrames(r, min(ChunkBytes, c.limits.FrameBytes)) {
		f := &strategyv1.FromPlugin{Frame: &strategyv1.FromPlugin_Result{Result: p}}
		size, err := c.fits(f)
		if err != nil {
			return err
		}
		if total += size; total > c.limits.ResultBytes {
			return &Error{Kind: ErrTooLarge, Message: fmt.Sprintf("the result is over the limit of %d bytes", c.limits.ResultBytes)}
		}
		frames = append(frames, f)
	}
	for _, f := range frames {
		if err := c.stream.Send(f); err != nil {
			return ErrorFromStatus(err)
		}
	}
	return nil
}

// fits checks a frame against the host's limit and returns its size.
func (c *conversation) fits(f *strategyv1.FromPlugin) (int, error) {
	n := proto.Size(f)
	if n > c.limits.FrameBytes {
		return n, &Error{Kind: ErrTooLarge, Message: fmt.Sprintf("a frame of %d bytes is over the limit of %d", n, c.limits.FrameBytes)}
	}
	return n, nil
}

// enqueue gives a frame to the sender and waits for room.
func (c *conversation) enqueue(ctx context.Context, o outgoing) error {
	select {
	case c.out <- o:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-c.ctx.Done():
		return context.Cause(c.ctx)
	}
}

// offer gives a frame to the sender if there is room, and lets go of it if
// not.
func (c *conversation) offer(f *strategyv1.FromPlugin) {
	select {
	case c.out <- outgoing{frame: f}:
	default:
	}
}

// send is the sender.
func (c *conversation) send() error {
	for {
		select {
		case o := <-c.out:
			if o.frame == nil {
				return nil
			}
			if o.question != nil && !c.questions.open(o.question, o.frame.GetQuestion()) {
				continue
			}
			if err := c.stream.Send(o.frame); err != nil {
				failed := ErrorFromStatus(err)
				c.cancel(failed)
				return failed
			}
		case <-c.ctx.Done():
			return context.Cause(c.ctx)
		}
	}
}

// read is the reader.
func (c *conversation) read() {
	for {
		frame, err := c.stream.Recv()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				c.cancel(ErrorFromStatus(err))
			}
			c.questions.end()
			return
		}
		if a := frame.GetAnswer(); a != nil {
			c.questions.answer(a)
		}
		// Anything else is a frame of a later revision, and optional.
	}
}
