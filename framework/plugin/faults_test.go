package plugin

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/sdk"
)

func TestStartFaults(t *testing.T) {
	quick := func(p *config.Plugin) { p.StartTimeout = time.Second }
	command := func(words ...string) func(*config.Plugin) {
		return func(p *config.Plugin) { p.Command = words }
	}
	file := func(mode os.FileMode, text string) func(*config.Plugin) {
		path := filepath.Join(t.TempDir(), "program")
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return command(path)
	}
	for _, tt := range []struct {
		name, behaviour string
		change          func(*config.Plugin)
		kind            Kind
		words           []string
	}{
		{"missing file", "", command("/nonexistent/strategy"), NotFound, []string{"/nonexistent/strategy"}},
		{"missing in PATH", "", command("no-such-strategy"), NotFound, []string{"not in PATH"}},
		{"not executable", "", file(0o644, "x"), NotExecutable, []string{"chmod +x"}},
		{"folder", "", command(t.TempDir()), NotExecutable, []string{"a folder"}},
		{"no program", "", file(0o755, "neither a script nor a binary"), NotExecutable, []string{"exec format error"}},
		{"missing interpreter", "", file(0o755, "#!/nonexistent/interpreter\n"), NotExecutable, []string{"interpreter"}},
		{"wrong checksum", "good", func(p *config.Plugin) { p.SHA256 = strings.Repeat("0", 64) }, Checksum, []string{"sha256 is", "the plugin block says 000"}},
		{"says hello", "hello", nil, Handshake, []string{`it printed "hello"`}},
		{"endless line", "long line", nil, Handshake, []string{"not a handshake"}},
		{"other core protocol", "core", nil, Handshake, []string{"not a handshake"}},
		{"net/rpc", "netrpc", nil, Handshake, []string{`"netrpc", not grpc`}},
		{"closed output", "closed", nil, Handshake, []string{"without a handshake"}},
		{"other version", "version", nil, Version, []string{"version 9"}},
		{"exits", "exit", nil, Start, []string{"exit status 3"}},
		{"exits after the handshake", "crash at once", nil, Start, []string{"exit status 4"}},
		{"never speaks", "silent", quick, Start, []string{"not ready within 1s"}},
		{"socket never speaks", "mute socket", quick, Start, []string{"not ready within 1s"}},
		{"socket speaks something else", "wrong socket", nil, Handshake, nil},
		{"socket outside the folder", "outside", nil, Handshake, []string{"outside the folder"}},
		{"TCP", "tcp", nil, Handshake, []string{`tls = "on"`}},
		{"other machine", "far away", withTLS("off"), Handshake, []string{"not a loopback address"}},
		{"other service", "no service", nil, Handshake, []string{"compactor.strategy.v1.Strategy"}},
		{"no revision", "no revision", nil, Protocol, []string{"revision"}},
		{"reserved option", "reserved option", nil, Protocol, []string{`"timeout"`}},
		{"schema is no object", "schema no object", nil, Protocol, []string{"schema"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.change == nil {
				tt.change = func(*config.Plugin) {}
			}
			f := newFixture(t, tt.behaviour, tt.change)
			_, err := f.Instance(t.Context(), "odd", nil)
			fails(t, err, tt.kind, tt.words...)
		})
	}
}

func TestAllowedConnections(t *testing.T) {
	for _, tt := range []struct{ name, behaviour string }{
		{"loopback TCP without tls", "tcp"},
		{"a socket elsewhere without tls", "outside"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t, tt.behaviour, withTLS("off"))
			if _, err := f.Describe(t.Context(), "odd"); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestLyingFramesFailTheStepAndKeepTheProcess(t *testing.T) {
	for _, tt := range []struct{ behaviour, words string }{
		{"half a result", "ended within the result"},
		{"two results", "after the last one"},
		{"repeated id", "question 1 was asked twice"},
		{"nine questions", "question 9 came while 8 were open"},
		{"out of range", "edit script, op 0"},
		{"not covering", "messages 1 to 2 are not covered"},
		{"no operation", "edit script, op 0"},
		{"short column", "the column at has 0 entries, not 1"},
		{"large record", "record to store"},
		{"large frame", "over the limit"},
		{"huge frame", "broke off"},
		{"large result", "the result is larger"},
		{"garbage", "cannot be read"},
	} {
		t.Run(tt.behaviour, func(t *testing.T) {
			f := newFixture(t, tt.behaviour)
			in, pid := f.instance(t, `{}`), f.pid(t)
			host := &answering{hold: make(chan struct{})} // questions stay open
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			_, err := in.Compact(ctx, conversation(3), host)
			fails(t, err, Protocol, tt.words)
			if after := f.pid(t); after != pid {
				t.Errorf("process %d, was %d", after, pid)
			}
		})
	}
}

func TestHarmlessFrames(t *testing.T) {
	for _, tt := range []struct{ behaviour, want string }{
		{"clean end", ""},
		{"later revision", "understood"},
		{"later question", "unsupported"},
	} {
		t.Run(tt.behaviour, func(t *testing.T) {
			f := newFixture(t, tt.behaviour)
			got, err := f.instance(t, `{}`).Compact(t.Context(), conversation(3), &answering{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(sdk.Unchanged(tt.want), got); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOddLogAndProgressFramesAreMended(t *testing.T) {
	f, host := newFixture(t, "odd frames"), &answering{}
	if _, err := f.instance(t, `{}`).Compact(t.Context(), conversation(1), host); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"info ab k v", "progress 0", "progress 1n"}, host.logs); diff != "" {
		t.Errorf("told to the host (-want +got):\n%s", diff)
	}
}

func TestStrategysOwnErrorKeepsItsKind(t *testing.T) {
	f := newFixture(t, "good")
	_, err := f.instance(t, `{"do":"give up"}`).Compact(t.Context(), conversation(1), &answering{})
	want := &sdk.Error{Kind: sdk.ErrUnavailable, Message: "no model today"}
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

func TestDeathBetweenCallsStartsAnother(t *testing.T) {
	f := newFixture(t, "good")
	in := f.instance(t, `{"do":"pid"}`)
	pid := f.pid(t)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	await(t, "the news of the death", func() bool { return len(f.log.lines("strategy process died")) > 0 })
	if _, err := in.Compact(t.Context(), conversation(1), &answering{}); err != nil {
		t.Fatal(err)
	}
	if after := f.pid(t); after == pid {
		t.Error("the dead process is in use")
	}
}

func TestHangIsTimedOutAndTheProcessReplaced(t *testing.T) {
	f := newFixture(t, "good")
	in, pid := f.instance(t, `{"do":"ignore cancel"}`), f.pid(t)
	in.Timeout = 50 * time.Millisecond
	_, err := in.Compact(t.Context(), conversation(1), &answering{})
	fails(t, err, Hang, "the step's time is up")
	f.do(t, "pid")
	if after := f.pid(t); after == pid {
		t.Error("the hanging process is still in use")
	}
	awaitGone(t, pid)
}

func TestHangSparesTheProcessOfOtherCalls(t *testing.T) {
	f := newFixture(t, "good")
	hanging, asking := f.instance(t, `{"do":"ignore cancel"}`), f.instance(t, `{"do":"summarize"}`)
	hanging.Timeout = 50 * time.Millisecond
	host, done := &answering{hold: make(chan struct{})}, make(chan error, 1)
	asked := make(chan struct{})
	go func() {
		_, err := asking.Compact(context.Background(), conversation(1), announced{host, asked})
		done <- err
	}()
	<-asked
	pid := f.pid(t)
	_, err := hanging.Compact(t.Context(), conversation(1), &answering{})
	fails(t, err, Hang)
	f.do(t, "pid") // a new process is there
	close(host.hold)
	if err := <-done; err != nil {
		t.Errorf("the other call: %v", err)
	}
	awaitGone(t, pid)
}

// announced tells when a model call has been asked for.
type announced struct {
	*answering
	asked chan struct{}
}

func (h announced) Generate(ctx context.Context, r *sdk.GenerateRequest) (*sdk.GenerateResponse, error) {
	close(h.asked)
	return h.answering.Generate(ctx, r)
}

func TestStepTimeStandsStillWhileTheHostOwesAnAnswer(t *testing.T) {
	f := newFixture(t, "good")
	in := f.instance(t, `{"do":"summarize"}`)
	in.Timeout = time.Second
	host, asked := &answering{hold: make(chan struct{})}, make(chan struct{})
	time.AfterFunc(in.Timeout*3/2, func() { close(host.hold) })
	r, err := in.Compact(t.Context(), conversation(1), announced{host, asked})
	if err != nil || r.Reason != "summary" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestCallersCancelEndsTheStreamAndKeepsTheProcess(t *testing.T) {
	f := newFixture(t, "good")
	in, pid := f.instance(t, `{"do":"wait"}`), f.pid(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := in.Compact(ctx, conversation(1), &answering{})
		done <- err
	}()
	f.notes(t, 1)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	f.do(t, "pid")
	if after := f.pid(t); after != pid {
		t.Error("the process was replaced")
	}
}

func TestFloodsAreSampled(t *testing.T) {
	f := newFixture(t, "good")
	if got := f.do(t, "flood"); got != "flooded" {
		t.Errorf("the plugin told %q", got)
	}
	if err := f.Close(context.Background()); err != nil {
		t.Error(err)
	}
	if n := len(f.log.lines("flood ")); n == 0 || n == 20_000 {
		t.Errorf("%d of 20000 lines are in the log", n)
	}
	if len(f.log.lines("log lines left out")) == 0 {
		t.Error("the log does not say that lines are missing")
	}
}

func TestFloodOfLogFramesIsSampled(t *testing.T) {
	f, host := newFixture(t, "good"), &answering{}
	if _, err := f.instance(t, `{"do":"log flood"}`).Compact(t.Context(), conversation(1), host); err != nil {
		t.Fatal(err)
	}
	if n := len(host.logs); n == 0 || n >= 2000 {
		t.Errorf("%d of 2000 lines reached the host", n)
	}
	if last := host.logs[len(host.logs)-1]; !strings.Contains(last, "log lines left out") {
		t.Errorf("the last line is %q", last)
	}
}

// stuck is a log that takes nothing until it is let go.
type stuck struct{ free chan struct{} }

func (s stuck) Write(p []byte) (int, error) {
	<-s.free
	return len(p), nil
}

func TestStuckLogDoesNotBlockThePlugin(t *testing.T) {
	s := stuck{make(chan struct{})}
	o := newOutput()
	go o.feed()
	read := make(chan struct{})
	go func() {
		defer close(read)
		o.readStderr(strings.NewReader(strings.Repeat("line\n", 100*waitingLines)))
	}()
	var drained sync.WaitGroup
	drained.Go(func() { _, _ = io.Copy(s, o.lines()) })
	<-read // with nothing drained at all
	close(s.free)
	o.close()
	drained.Wait()
}

func TestStdoutAfterTheHandshakeIsDrained(t *testing.T) {
	f := newFixture(t, "good")
	for range 3 {
		if got := f.do(t, "raw stdout"); got != "written" {
			t.Errorf("the plugin told %q", got)
		}
	}
}
