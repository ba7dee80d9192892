package plugin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/compactor-host/compactor/sdk"
	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

// errStepTime is the cause of a compaction's end when its time was up.
var errStepTime = errors.New("the step's time is up")

// call is one compaction to be done.
type call struct {
	options []byte
	request *sdk.Request
	host    sdk.Host
	timeout time.Duration
}

// dialogue is the host's half of one Compact stream. The caller's goroutine
// only reads; one goroutine only writes; each question has one that gets its
// answer. So a plugin that stops reading, or asks without end, blocks nothing
// but itself.
type dialogue struct {
	call
	ctx    context.Context
	stream grpc.BidiStreamingClient[strategyv1.FromHost, strategyv1.FromPlugin]
	limits sdk.Limits
	codec  *frameCodec
	timer  *stepTimer
	log    lineLimit

	out     chan outgoing
	workers sync.WaitGroup

	// The open questions, and all ids that were ever used.
	mu   sync.Mutex
	open int
	used map[uint64]bool

	result      sdk.ResultJoiner
	resultBytes int
}

// outgoing is a frame for the writer. The last frame of an answer closes its
// question.
type outgoing struct {
	frame *strategyv1.FromHost
	last  bool
}

// violation is a rule of the contract that the plugin broke.
type violation struct{ error }

func violated(format string, args ...any) error { return violation{fmt.Errorf(format, args...)} }

// converse runs one compaction with a plugin. The error is a violation, the
// status that ended the stream, or the cause of the context's end.
func converse(ctx context.Context, s strategyv1.StrategyClient, c call) (*sdk.Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	d := &dialogue{
		call: c, ctx: ctx, limits: sdk.DefaultLimits(),
		out: make(chan outgoing), used: map[uint64]bool{},
	}
	d.codec = newFrameCodec(d.limits.FrameBytes)
	d.timer = newStepTimer(c.timeout, func() { cancel(errStepTime) })
	defer d.timer.stop()
	var err error
	if d.stream, err = s.Compact(ctx, grpc.ForceCodecV2(d.codec)); err == nil {
		d.workers.Go(d.write)
		err = d.read()
	}
	cause := context.Cause(ctx) // of an end that came from outside
	cancel(context.Canceled)
	d.workers.Wait()
	if n := d.log.missed; n > 0 {
		c.host.Log(sdk.LogWarn, missedLines(n))
	}
	switch broken := d.codec.broken(); {
	case broken != nil:
		return nil, violation{broken}
	case err != nil && cause != nil:
		return nil, cause
	case err != nil:
		return nil, err
	}
	return d.end()
}

// write sends the request and then answers. When the stream breaks, the
// reader learns why.
func (d *dialogue) write() {
	for frame := range d.requestFrames() {
		if d.stream.Send(frame) != nil {
			return
		}
	}
	for {
		select {
		case o := <-d.out:
			if o.last {
				d.close()
			}
			if d.stream.Send(o.frame) != nil {
				return
			}
		case <-d.ctx.Done():
			return
		}
	}
}

// requestFrames yields start, the view, and go.
func (d *dialogue) requestFrames() func(yield func(*strategyv1.FromHost) bool) {
	return func(yield func(*strategyv1.FromHost) bool) {
		start := d.request.Start(d.options, d.limits)
		if !yield(&strategyv1.FromHost{Frame: &strategyv1.FromHost_Start{Start: start}}) {
			return
		}
		for f := range sdk.ViewFrames(d.request.View, sdk.ChunkBytes) {
			if !yield(f) {
				return
			}
		}
		yield(&strategyv1.FromHost{Frame: &strategyv1.FromHost_Go{Go: &strategyv1.Go{}}})
	}
}

// read reads frames until the clean end of the stream.
func (d *dialogue) read() error {
	for {
		frame, err := d.stream.Recv()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = d.take(frame)
		}
		if err != nil {
			return err
		}
	}
}

// take deals with one frame and waits for nothing.
func (d *dialogue) take(frame *strategyv1.FromPlugin) error {
	switch f := frame.GetFrame().(type) {
	case *strategyv1.FromPlugin_Question:
		return d.ask(f.Question)
	case *strategyv1.FromPlugin_Progress:
		if d.log.allow(time.Now()) {
			d.host.Progress(fraction(f.Progress.GetFraction()), printable(f.Progress.GetNote()))
		}
	case *strategyv1.FromPlugin_Log:
		if d.log.allow(time.Now()) {
			d.host.Log(logLevel(f.Log.GetLevel()), printable(f.Log.GetMessage()), logFields(f.Log.GetFields())...)
		}
	case *strategyv1.FromPlugin_Result:
		return d.takeResult(f.Result)
	}
	return nil // a frame of a later revision, and optional
}

// logLevel reads a level; one that there is not counts as info.
func logLevel(name string) sdk.LogLevel {
	switch level := sdk.LogLevel(name); level {
	case sdk.LogTrace, sdk.LogDebug, sdk.LogInfo, sdk.LogWarn, sdk.LogError:
		return level
	}
	return sdk.LogInfo
}

// logFields are whole pairs without control characters.
func logFields(fields []string) []string {
	clean := make([]string, len(fields)-len(fields)%2)
	for i := range clean {
		clean[i] = printable(fields[i])
	}
	return clean
}

// fraction is f where it is one, else the nearer end.
func fraction(f float64) float64 {
	if math.IsNaN(f) {
		return 0
	}
	return min(max(f, 0), 1)
}

func (d *dialogue) takeResult(p *strategyv1.Result) error {
	if d.resultBytes += d.codec.size; d.resultBytes > d.limits.ResultBytes {
		return violated("the result is larger than %d bytes", d.limits.ResultBytes)
	}
	if _, err := d.result.Add(p); err != nil {
		return violation{err}
	}
	return nil
}

// end is what a clean end of the stream means.
func (d *dialogue) end() (*sdk.Result, error) {
	r := d.result.Result()
	switch {
	case r != nil:
		return r, refuseResult(r, len(d.request.View))
	case d.resultBytes > 0:
		return nil, violated("the stream ended within the result")
	}
	return sdk.Unchanged(""), nil
}

// maxRecord is the largest record that a step may store.
const maxRecord = 1 << 20

// refuseResult checks what can be said of a result without knowing the
// conversation; the rest is the verifier's.
func refuseResult(r *sdk.Result, messages int) error {
	if r.Store != nil && len(r.Store.Record) > maxRecord {
		return violated("the record to store has %d bytes, more than %d", len(r.Store.Record), maxRecord)
	}
	if len(r.Script) == 0 {
		return nil
	}
	for i := range r.Script {
		if r.Script[i].Kind == sdk.OpStrip {
			return violation{&sdk.ScriptError{Op: i, Reason: "strip is the host's own"}}
		}
	}
	if err := r.Script.Check(messages); err != nil {
		return violation{err}
	}
	return nil
}
