package plugin

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/hashicorp/go-plugin/runner"
)

// drainTime is how long the pipes of a process that has ended are read on:
// what it wrote last is in them, and a descendant that left the process group
// may hold them open for ever.
const drainTime = 500 * time.Millisecond

// process is one run of a plugin's program, as go-plugin's Runner. The
// process has its own process group, no stdin, and only the environment that
// is given.
type process struct {
	found  *Found
	check  handshakeRules
	output *output

	// group is the process group, 0 before the start; killed is set when the
	// process was told to die, which may be before it was born.
	mu     sync.Mutex
	group  int
	killed bool
	// handshake is the first line that was printed, refused what was wrong
	// with it.
	handshake string
	refused   *Error

	traffic *traffic

	cmd    *exec.Cmd
	dir    string
	stdout *io.PipeReader

	// begun is set by the first of Start and discard.
	begun bool
	// network and address are where the plugin says it listens.
	network, address string

	// life ends when the process has ended; done is closed when its pipes and
	// its socket folder are gone too.
	life context.Context
	end  context.CancelFunc
	done chan struct{}
}

var _ runner.Runner = (*process)(nil)

// newProcess prepares a run with a private folder for its socket. Either Start
// or discard has to follow.
func newProcess(found *Found, tls TLS, t *traffic) (*process, error) {
	dir, err := socketFolder()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(found.Path, found.Args...)
	cmd.SysProcAttr = processAttributes()
	p := &process{
		found: found, check: handshakeRules{tls: tls, dir: dir}, output: newOutput(),
		cmd: cmd, dir: dir, done: make(chan struct{}), traffic: t,
	}
	p.life, p.end = context.WithCancel(context.Background())
	return p, nil
}

// Start forks. It implements runner.Runner.
func (p *process) Start(context.Context) error {
	if !p.begin() {
		return errors.New("stopped before it was started")
	}
	started := make(chan error, 1)
	go p.run(started)
	return <-started
}

// discard gives up a process that was not started, and does nothing to others.
func (p *process) discard() {
	if p.begin() {
		p.end()
		_ = os.RemoveAll(p.dir)
		close(p.done)
	}
}

func (p *process) begin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.begun {
		return false
	}
	p.begun = true
	return true
}

// run starts the process and waits for its end. Both are done on one locked
// thread: Linux kills the process when the thread that forked it is gone
// (processAttributes), and so this thread lives as long as the process.
func (p *process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(p.done)
	defer func() { _ = os.RemoveAll(p.dir) }()

	handshakes, hand := io.Pipe()
	p.stdout = handshakes
	pumps, err := p.fork(hand)
	started <- err
	if err != nil {
		p.end()
		p.output.close()
		return
	}
	_ = p.cmd.Wait() // how it ended is in cmd.ProcessState
	p.end()
	p.killGroup() // its descendants
	pumps.finish(time.Now().Add(drainTime))
	p.output.close()
}

// fork starts the process with pipes for its output and begins to read them.
func (p *process) fork(hand *io.PipeWriter) (*pumps, error) {
	var ps pumps
	var err error
	if p.cmd.Stdout, err = ps.add(func(r io.Reader) { p.readStdout(r, hand) }); err == nil {
		p.cmd.Stderr, err = ps.add(p.output.readStderr)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case err != nil:
	case p.killed:
		err = errors.New("stopped before it was started")
	default:
		err = p.cmd.Start()
	}
	if err != nil {
		ps.abandon()
		return nil, err
	}
	p.group = p.cmd.Process.Pid
	go p.output.feed()
	ps.start()
	return &ps, nil
}

// readStdout passes on the first line, once it is seen to be a handshake, and
// throws away all that follows, however much and however long its lines.
func (p *process) readStdout(r io.Reader, hand *io.PipeWriter) {
	line, rest := firstLine(r)
	refused := p.check.refuse(line)
	p.mu.Lock()
	p.handshake, p.refused = line, refused
	p.mu.Unlock()
	if line != "" && refused == nil {
		_, _ = io.WriteString(hand, line+"\n") // fails when go-plugin has stopped reading
	}
	_ = hand.Close()
	_, _ = io.Copy(io.Discard, rest)
}

// Kill kills the process and its group. It implements runner.Runner and may be
// called at any time; it does not wait.
func (p *process) Kill(context.Context) error {
	p.mu.Lock()
	p.killed = true
	p.mu.Unlock()
	p.killGroup()
	return nil
}

func (p *process) killGroup() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.group > 0 {
		killGroup(p.group)
	}
	select {
	case <-p.life.Done():
		p.group = 0 // the number may be given to others from now on
	default:
	}
}

// Wait waits for the end. It implements runner.Runner.
func (p *process) Wait(ctx context.Context) error {
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// shakenHands returns the handshake line, empty when there was none, and what
// was wrong with it, nil when nothing was.
func (p *process) shakenHands() (line string, refused *Error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.handshake, p.refused
}

// ended says how the process ended; call it after its life.
func (p *process) ended() string {
	if s := p.cmd.ProcessState; s != nil {
		return s.String()
	}
	return "not started"
}

// endedByItself reports whether the process ended without having been killed
// by the host.
func (p *process) endedByItself() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.cmd.ProcessState
	return s != nil && (s.Exited() || !p.killed)
}

// Stdout gives the handshake line. It implements runner.Runner.
func (p *process) Stdout() io.ReadCloser { return p.stdout }

// Stderr gives log lines that hclog understands. It implements runner.Runner.
func (p *process) Stderr() io.ReadCloser { return p.output.lines() }

// Name names the plugin's logger. It implements runner.Runner.
func (p *process) Name() string { return p.found.Name }

// Diagnose has nothing to add to launch's own errors. It implements
// runner.Runner.
func (p *process) Diagnose(context.Context) string { return "" }

// ID is the process id. It implements runner.Runner.
func (p *process) ID() string { return strconv.Itoa(p.pid()) }

func (p *process) pid() int {
	if p.cmd.Process == nil {
		return 0
	}
	return p.cmd.Process.Pid
}

// PluginToHost leaves addresses as they are, and remembers them for dial. It
// implements runner.Runner.
func (p *process) PluginToHost(network, address string) (string, string, error) {
	p.network, p.address = network, address
	return network, address, nil
}

// dial connects to the plugin. The connection does not outlive the process,
// whoever it is that listens at the address.
func (p *process) dial(ctx context.Context, _ string) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, p.network, p.address)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(p.life, func() { _ = conn.Close() }) // closed by then, or of no use
	return p.traffic.count(conn), nil
}

// HostToPlugin leaves addresses as they are. It implements runner.Runner.
func (p *process) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}
