package plugin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/compactor-host/compactor/sdk"
)

// defaultStartTimeout limits start, handshake and the first Describe where the
// plugin block says nothing.
const defaultStartTimeout = 10 * time.Second

// launch starts a strategy's process and returns it once it has described
// itself: a wrong plugin fails here and not in the middle of a request. The
// error is an *Error.
func launch(ctx context.Context, found *Found, log hclog.Logger, t *traffic) (*peer, error) {
	if err := found.verify(); err != nil {
		return nil, err
	}
	tls, timeout := TLSAuto, defaultStartTimeout
	if c := found.Config; c != nil {
		if c.TLS != "" {
			tls = TLS(c.TLS)
		}
		if c.StartTimeout > 0 {
			timeout = c.StartTimeout
		}
	}
	process, err := newProcess(found, tls, t)
	if err != nil {
		return nil, &Error{Kind: Start, Plugin: found.Name, Path: found.Path, Cause: err}
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	client := goplugin.NewClient(clientConfig(process, timeout, log))
	p := newPeer(process, client)
	if err := p.open(ctx); err != nil {
		e := launchError(ctx, process, err, timeout)
		_ = p.kill() // launchError says what is the matter
		e.Plugin, e.Path, e.Stderr = found.Name, found.Path, process.output.last()
		return nil, e
	}
	return p, nil
}

// clientConfig is how go-plugin is used: for the handshake, the certificates
// and the parsing of log lines. There is no broker multiplexing, no managed
// client and no reattaching, and the host's environment stays here.
func clientConfig(p *process, timeout time.Duration, log hclog.Logger) *goplugin.ClientConfig {
	return &goplugin.ClientConfig{
		HandshakeConfig:  sdk.Handshake,
		Plugins:          goplugin.PluginSet{sdk.PluginName: &sdk.Plugin{}},
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		AutoMTLS:         p.check.tls == TLSOn,
		SkipHostEnv:      true,
		StartTimeout:     timeout + killTime, // ours comes first, and has a name
		Logger:           ownWords{log},
		SyncStdout:       p.output.stray("stdout"),
		SyncStderr:       p.output.stray("stderr"),
		UnixSocketConfig: &goplugin.UnixSocketConfig{TempDir: p.dir},
		RunnerFunc: func(_ hclog.Logger, spec *exec.Cmd, dir string) (runner.Runner, error) {
			// A folder in our folder is of no use, and the plugin could not
			// remove both.
			_ = os.Remove(dir)
			handshake := append(spec.Env, goplugin.EnvUnixSocketDir+"="+p.dir)
			p.cmd.Env = environment(p.found, handshake)
			return p, nil
		},
		GRPCDialOptions: []grpc.DialOption{
			grpc.WithContextDialer(p.dial),
			grpc.WithIdleTimeout(0), // a plugin may end when its connection is closed
			grpc.WithDisableRetry(), // which would keep a copy of each frame sent
			grpc.WithInitialWindowSize(sdk.WindowBytes),
			grpc.WithInitialConnWindowSize(sdk.WindowBytes),
			grpc.WithWriteBufferSize(sdk.BufferBytes),
			grpc.WithReadBufferSize(sdk.BufferBytes),
			grpc.WithDefaultCallOptions(
				grpc.MaxCallRecvMsgSize(sdk.MaxFrameBytes),
				grpc.MaxCallSendMsgSize(sdk.MaxFrameBytes)),
		},
	}
}

// launchError finds out why a plugin did not come up. What the process did
// says more than what go-plugin made of it.
func launchError(ctx context.Context, p *process, err error, timeout time.Duration) *Error {
	typed := new(Error)
	handshake, refused := p.shakenHands()
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded), status.Code(err) == codes.DeadlineExceeded:
		return &Error{Kind: Start, Cause: fmt.Errorf("it was not ready within %v", timeout)}
	case ctx.Err() != nil:
		return &Error{Kind: Start, Cause: ctx.Err()}
	case refused != nil:
		return refused
	case errors.As(err, &typed):
		return typed
	case errors.Is(err, syscall.ENOEXEC), errors.Is(err, fs.ErrPermission):
		return &Error{Kind: NotExecutable, Cause: err}
	case errors.Is(err, fs.ErrNotExist):
		return &Error{Kind: NotExecutable, Cause: errors.New("the file, or the interpreter that its first line names, is missing")}
	}
	_ = p.Kill(ctx)
	select {
	case <-p.done:
	case <-time.After(killTime):
	}
	if p.endedByItself() {
		return &Error{Kind: Start, Cause: fmt.Errorf("it ended before it was ready: %s", p.ended())}
	}
	if handshake == "" {
		err = errors.New("it closed its output without a handshake")
	}
	return &Error{Kind: Handshake, Cause: errors.New(shortText(err.Error()))} // the plugin's own words may be in it
}
