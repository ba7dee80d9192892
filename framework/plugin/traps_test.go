package plugin

import (
	"bytes"
	"context"
	"errors"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/sdk"
)

// The numbers are those of go-plugin's traps that this package is built
// around: ways in which a plain use of it lets a plugin harm its host.

// do runs the well-built plugin's deed and returns what it tells.
func (f *fixture) do(t *testing.T, deed string) string {
	t.Helper()
	r, err := f.instance(t, `{"do":"`+deed+`"}`).Compact(t.Context(), conversation(3), &answering{})
	if err != nil {
		t.Fatalf("%s: %v", deed, err)
	}
	return r.Reason
}

// fails checks that an error is an *Error of a kind, with some words in it.
func fails(t *testing.T, err error, kind Kind, words ...string) *Error {
	t.Helper()
	e := new(Error)
	if !errors.As(err, &e) {
		t.Fatalf("error %v (%T), want kind %q", err, err, kind)
	}
	if e.Kind != kind || e.Plugin != "odd" {
		t.Fatalf("kind %q of plugin %q, want %q of odd: %v", e.Kind, e.Plugin, kind, err)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q does not say %q", err, w)
		}
	}
	return e
}

func withTLS(mode string) func(*config.Plugin) { return func(p *config.Plugin) { p.TLS = mode } }

func TestTrap01LogLineWithNumber(t *testing.T) {
	f := newFixture(t, "stderr lies")
	if _, err := f.instance(t, `{}`).Compact(t.Context(), conversation(1), &answering{}); err != nil {
		t.Fatal(err)
	}
	await(t, "the log", func() bool { return len(f.log.lines("cleared")) > 0 })
	if len(f.log.lines("[INFO]  compactor.plugin.odd: 12")) != 1 {
		t.Error("the number is not in the log")
	}
}

func TestTrap02StoppedProcessIsKilled(t *testing.T) {
	f := newFixture(t, "stop")
	in, pid := f.instance(t, `{}`), f.pid(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := in.Compact(ctx, conversation(1), &answering{})
		done <- err
	}()
	f.notes(t, 1)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
	if err := f.Close(context.Background()); err != nil {
		t.Error(err)
	}
	awaitGone(t, pid)
}

func TestTrap03DescendantHoldsTheOutput(t *testing.T) {
	f := newFixture(t, "good")
	pids := strings.Fields(f.do(t, "children"))
	obedient, _ := strconv.Atoi(pids[0])
	escaped, _ := strconv.Atoi(pids[1])
	t.Cleanup(func() { _ = syscall.Kill(escaped, syscall.SIGKILL) })
	if err := f.Close(context.Background()); err != nil {
		t.Error(err)
	}
	awaitGone(t, obedient)
	if !running(escaped) {
		t.Error("the descendant that held the output was gone; nothing was tried")
	}
}

func TestTrap04CloseDuringStart(t *testing.T) {
	f := newFixture(t, "silent", func(p *config.Plugin) { p.StartTimeout = time.Hour })
	started := make(chan error, 1)
	go func() {
		_, err := f.Describe(context.Background(), "odd")
		started <- err
	}()
	pid, _ := strconv.Atoi(f.notes(t, 1)[0])
	if err := f.Close(context.Background()); err != nil {
		t.Error(err)
	}
	fails(t, <-started, Start)
	awaitGone(t, pid)
}

func TestTrap05EnvironmentIsScrubbed(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "secret")
	t.Setenv("TZ", "UTC")
	t.Setenv("LC_TIME", "C")
	f := newFixture(t, "good", func(p *config.Plugin) { p.Env["TZ"] = "Asia/Tokyo" })
	got := "\n" + f.do(t, "environment") + "\n"
	for _, want := range []string{"\nPATH=", "\nLC_TIME=C\n", "\nTZ=Asia/Tokyo\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("environment lacks %q", want)
		}
	}
	for _, unwanted := range []string{"OPENAI", "TZ=UTC", "XDG_RUNTIME_DIR"} {
		if strings.Contains(got, unwanted) {
			t.Errorf("environment has %q", unwanted)
		}
	}
}

func TestTrap06StdinIsEmpty(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.WriteString("the transcript"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	stdin := os.Stdin
	os.Stdin = r
	t.Cleanup(func() { os.Stdin = stdin; r.Close() })
	if got := newFixture(t, "good").do(t, "stdin"); got != "" {
		t.Errorf("the plugin read %q from the host's stdin", got)
	}
}

func TestTrap08PanicKeepsTheProcess(t *testing.T) {
	f := newFixture(t, "good")
	before := f.do(t, "pid")
	_, err := f.instance(t, `{"do":"panic"}`).Compact(t.Context(), conversation(1), &answering{})
	if e := new(sdk.Error); !errors.As(err, &e) || e.Kind != sdk.ErrInternal || !strings.Contains(e.Message, "the strategy's own") {
		t.Errorf("error %v, want the panic as an internal error", err)
	}
	if after := f.do(t, "pid"); after != before {
		t.Errorf("process %s, before the panic it was %s", after, before)
	}
}

func TestTrap09DeathIsTold(t *testing.T) {
	f := newFixture(t, "good")
	_, err := f.instance(t, `{"do":"die"}`).Compact(t.Context(), conversation(1), &answering{})
	e := fails(t, err, Died, "exit status 7")
	if diff := cmp.Diff([]string{"last words"}, e.Stderr); diff != "" {
		t.Errorf("stderr (-want +got):\n%s", diff)
	}
}

func TestTrap10DeathsLeaveNoGoroutines(t *testing.T) {
	f := newFixture(t, "good")
	dying := f.instance(t, `{"do":"die"}`)
	f.do(t, "pid")
	before := runtime.NumGoroutine()
	for range 4 {
		_, err := dying.Compact(t.Context(), conversation(1), &answering{})
		fails(t, err, Died)
	}
	f.do(t, "pid") // one process again, as before
	await(t, "the goroutines of dead processes", func() bool { return runtime.NumGoroutine() <= before+1 })
}

func TestTrap11StartErrorShowsStderr(t *testing.T) {
	f := newFixture(t, "exit")
	_, err := f.Describe(t.Context(), "odd")
	e := fails(t, err, Start, "exit status 3", "config file missing")
	if len(e.Stderr) != 1 || e.Path == "" {
		t.Errorf("stderr %q, path %q", e.Stderr, e.Path)
	}
}

func TestTrap12VersionMismatchIsTyped(t *testing.T) {
	f := newFixture(t, "version")
	_, err := f.Describe(t.Context(), "odd")
	fails(t, err, Version, "speaks version 9 of the protocol, this host speaks 1")
}

func TestTrap13NoHealthServiceNeeded(t *testing.T) {
	f := newFixture(t, "clean end") // serves the strategy and nothing else
	if d, err := f.Describe(t.Context(), "odd"); err != nil || d.Name != "odd" {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestTrap13HangingDescribeFailsTheStart(t *testing.T) {
	f := newFixture(t, "endless describe", func(p *config.Plugin) { p.StartTimeout = time.Second })
	_, err := f.Describe(t.Context(), "odd")
	fails(t, err, Start, "not ready within 1s")
}

func TestTrap14NoControllerNeeded(t *testing.T) {
	f := newFixture(t, "clean end")
	f.instance(t, `{}`)
	f.mu.Lock()
	p := f.remotes["odd"].supervisor.current.process
	f.mu.Unlock()
	if err := f.Close(context.Background()); err != nil {
		t.Error(err)
	}
	if got := p.ended(); got != "signal: killed" {
		t.Errorf("the process ended with %q; a plugin that cannot be asked is killed", got)
	}
}

func TestTrap15And16NoBroker(t *testing.T) {
	f := newFixture(t, "good")
	if got := f.do(t, "environment"); strings.Contains(got, "PLUGIN_MULTIPLEX_GRPC") {
		t.Error("the plugin was asked to multiplex the broker")
	}
	sockets := strings.Fields(f.do(t, "socket"))
	f.do(t, "ask all")
	if after := strings.Fields(f.do(t, "socket")); len(sockets) != 1 || len(after) != 1 {
		t.Errorf("sockets %q, after questions %q, want the plugin's own alone", sockets, after)
	}
}

func TestTrap17CertificateIsDemanded(t *testing.T) {
	f := newFixture(t, "clean end", withTLS("on"))
	_, err := f.Describe(t.Context(), "odd")
	fails(t, err, Handshake, "no certificate")
}

func TestTrap17UnaskedCertificateIsRefused(t *testing.T) {
	f := newFixture(t, "certificate")
	_, err := f.Describe(t.Context(), "odd")
	fails(t, err, Handshake, "sent a certificate")
}

func TestTrap18ChecksumHoldsForEachStart(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	sum, err := checksum(self)
	if err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, "good", func(p *config.Plugin) { p.SHA256 = strings.ToUpper(sum) })
	first := f.do(t, "pid")
	_, err = f.instance(t, `{"do":"die"}`).Compact(t.Context(), conversation(1), &answering{})
	fails(t, err, Died)
	if second := f.do(t, "pid"); second == first {
		t.Error("the process was not started again")
	}
}

func TestTrap19SocketFolderIsPrivateAndRemoved(t *testing.T) {
	f := newFixture(t, "good")
	socket := f.do(t, "socket")
	folder := filepath.Dir(socket)
	info, err := os.Stat(folder)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 {
		t.Errorf("mode of the socket folder is %v", info.Mode())
	}
	if err := syscall.Kill(f.pid(t), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	await(t, "the end of the socket folder", func() bool {
		_, err := os.Stat(folder)
		return os.IsNotExist(err)
	})
}

func TestTrap20LongTemporaryFolder(t *testing.T) {
	long := filepath.Join(t.TempDir(), strings.Repeat("long", 40))
	if err := os.MkdirAll(long, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", long)
	t.Setenv("XDG_RUNTIME_DIR", long)
	if got := newFixture(t, "good").do(t, "print"); got != "printed" {
		t.Errorf("the plugin told %q", got)
	}
}

func TestTrap21StrayOutputIsLogged(t *testing.T) {
	f := newFixture(t, "good")
	f.do(t, "print")
	for _, want := range []string{"[WARN]  compactor.plugin.odd: printed to stdout: stray words", "[WARN]  compactor.plugin.odd: printed to stderr: stray complaint"} {
		await(t, want, func() bool { return len(f.log.lines(want)) == 1 })
	}
}

func TestTrap22OtherLogForms(t *testing.T) {
	f := newFixture(t, "stderr lies")
	if _, err := f.instance(t, `{}`).Compact(t.Context(), conversation(1), &answering{}); err != nil {
		t.Fatal(err)
	}
	await(t, "a time in milliseconds", func() bool { return len(f.log.lines("[WARN]  compactor.plugin.odd: in millis")) == 1 })
	g := newFixture(t, "good")
	g.do(t, "slog")
	await(t, "a line of slog", func() bool { return len(g.log.lines("[WARN]  compactor.plugin.odd: from slog: key=value")) == 1 })
}

func TestTrap23And24NotManagedNotReattached(t *testing.T) {
	p := &process{found: &Found{Name: "odd"}, output: newOutput()}
	c := clientConfig(p, time.Second, hclog.NewNullLogger())
	if c.Managed || c.Reattach != nil || c.GRPCBrokerMultiplex || !c.SkipHostEnv {
		t.Errorf("managed %v, reattach %v, multiplex %v, skip environment %v", c.Managed, c.Reattach, c.GRPCBrokerMultiplex, c.SkipHostEnv)
	}
	f := newFixture(t, "good")
	before := f.do(t, "pid")
	goplugin.CleanupClients()
	if after := f.do(t, "pid"); after != before {
		t.Errorf("process %s, was %s before go-plugin cleaned up", after, before)
	}
}

func TestTrap25NothingOnTheStandardLog(t *testing.T) {
	var out bytes.Buffer
	log.SetOutput(&out)
	defer log.SetOutput(os.Stderr)
	f := newFixture(t, "good")
	f.do(t, "ask all")
	_, err := f.instance(t, `{"do":"die"}`).Compact(t.Context(), conversation(1), &answering{})
	fails(t, err, Died)
	if err := f.Close(context.Background()); err != nil {
		t.Error(err)
	}
	if out.Len() > 0 {
		t.Errorf("the standard log has %q", &out)
	}
}

func TestTrap26OwnProcessGroup(t *testing.T) {
	f := newFixture(t, "good")
	pid, err := strconv.Atoi(f.do(t, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	if group, err := syscall.Getpgid(pid); err != nil || group != pid {
		t.Errorf("process %d is in group %d, %v", pid, group, err)
	}
}

func TestTrap27CertificatesOnRequest(t *testing.T) {
	for mode, want := range map[string]bool{"on": true, "auto": false, "off": false} {
		t.Run(mode, func(t *testing.T) {
			f := newFixture(t, "good", withTLS(mode))
			if got := strings.Contains(f.do(t, "environment"), "PLUGIN_CLIENT_CERT="); got != want {
				t.Errorf("certificates in use: %v, want %v", got, want)
			}
		})
	}
}
