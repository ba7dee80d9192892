package plugin

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/sdk"
)

// The test binary runs itself: as the plugin that behaviourVariable names, or
// as a host that is going to be killed.
const (
	behaviourVariable = "COMPACTOR_TEST_PLUGIN"
	noteVariable      = "COMPACTOR_TEST_NOTE"
	hostVariable      = "COMPACTOR_TEST_HOST"
)

// patience is how long tests wait for what has to come.
const patience = 20 * time.Second

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(behaviourVariable) != "":
		behave(os.Getenv(behaviourVariable))
		return
	case os.Getenv(hostVariable) != "":
		hostToBeKilled()
		return
	}
	os.Exit(runTests(m))
}

// runTests runs the tests and sees that they leave nothing behind.
func runTests(m *testing.M) int {
	sockets, err := os.MkdirTemp("/tmp", "cp-test")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(sockets)
	os.Setenv("XDG_RUNTIME_DIR", sockets)
	code := m.Run()
	if left := leftovers(sockets); code == 0 && left != "" {
		fmt.Fprintln(os.Stderr, "the tests left behind:", left)
		return 1
	}
	return code
}

// leftovers waits until there are none.
func leftovers(sockets string) string {
	var left string
	for end := time.Now().Add(patience / 2); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		files, _ := filepath.Glob(filepath.Join(sockets, "*"))
		left = strings.Join(files, ", ") + pluginGoroutines()
		if left == "" {
			return ""
		}
	}
	return left
}

// pluginGoroutines returns the stacks of goroutines that belong to plugins.
func pluginGoroutines() string {
	buf := make([]byte, 1<<20)
	var found []string
	for _, stack := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		if strings.Contains(stack, "pluginGoroutines") || strings.Contains(stack, "testing.tRunner") {
			continue
		}
		for _, part := range []string{"framework/plugin.", "hashicorp/go-plugin", "google.golang.org/grpc"} {
			if strings.Contains(stack, part) {
				found = append(found, stack)
				break
			}
		}
	}
	return strings.Join(found, "\n\n")
}

// logBuffer is a log that tests read while it is written.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// lines returns the lines that contain the text.
func (b *logBuffer) lines(text string) []string {
	var found []string
	for line := range strings.Lines(b.String()) {
		if strings.Contains(line, text) {
			found = append(found, line)
		}
	}
	return found
}

// fixture is a host with one misbehaving plugin, called "odd".
type fixture struct {
	*Host
	log *logBuffer
	// note is a file that the plugin may write to.
	note string
}

// newFixture makes a host whose plugin behaves as named. The changes are made
// to its block.
func newFixture(t *testing.T, behaviour string, changes ...func(*config.Plugin)) *fixture {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{log: &logBuffer{}, note: filepath.Join(t.TempDir(), "note")}
	block := &config.Plugin{
		Name: "odd", Command: []string{self}, StartTimeout: patience,
		Env: map[string]string{behaviourVariable: behaviour, noteVariable: f.note},
	}
	for _, change := range changes {
		change(block)
	}
	f.Host = NewHost(Options{
		Plugins: map[string]*config.Plugin{"odd": block},
		Logger:  hclog.New(&hclog.LoggerOptions{Name: "compactor", Level: hclog.Trace, Output: f.log}),
	})
	t.Cleanup(func() {
		if err := f.Close(context.Background()); err != nil {
			t.Errorf("Close: %v", err)
		}
		if t.Failed() {
			t.Logf("log:\n%s", f.log)
		}
	})
	return f
}

// instance configures the plugin.
func (f *fixture) instance(t *testing.T, options string) *Instance {
	t.Helper()
	in, err := f.Instance(t.Context(), "odd", []byte(options))
	if err != nil {
		t.Fatalf("Instance: %v", err)
	}
	return in
}

// pid is the running process.
func (f *fixture) pid(t *testing.T) int {
	t.Helper()
	f.mu.Lock()
	s := f.remotes["odd"].supervisor
	f.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		t.Fatal("there is no process")
	}
	return s.current.process.pid()
}

// notes waits for the plugin to write n words to its note.
func (f *fixture) notes(t *testing.T, n int) []string {
	t.Helper()
	var words []string
	await(t, "the plugin's note", func() bool {
		text, _ := os.ReadFile(f.note)
		words = strings.Fields(string(text))
		return len(words) >= n
	})
	return words
}

// await waits until something has happened.
func await(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !happened(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// running reports whether a process is there and not a zombie.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return !os.IsNotExist(err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

func awaitGone(t *testing.T, pid int) {
	t.Helper()
	t.Cleanup(func() {
		if t.Failed() {
			_ = syscall.Kill(pid, syscall.SIGKILL) // leave nothing behind
		}
	})
	await(t, fmt.Sprintf("the end of process %d", pid), func() bool { return !running(pid) })
}

// conversation is a request with n messages.
func conversation(n int) *sdk.Request {
	r := &sdk.Request{Thread: "t", Reason: sdk.ReasonManual, Attempt: 1}
	for i := range n {
		r.View = append(r.View, sdk.Message{
			Index: i, Role: sdk.RoleUser, Unit: i, Exchange: i, Tokens: 3,
			Parts: []sdk.Part{{Kind: sdk.PartText, Tokens: 2, Text: "message " + strconv.Itoa(i)}},
		})
	}
	return r
}

// answering is a host that answers at once, unless hold is set: then questions
// wait for it, or for the end of the compaction.
type answering struct {
	hold chan struct{}
	mu   sync.Mutex
	logs []string
}

var _ sdk.Host = (*answering)(nil)

func (h *answering) wait(ctx context.Context) error {
	if h.hold == nil {
		return nil
	}
	select {
	case <-h.hold:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (h *answering) Generate(ctx context.Context, r *sdk.GenerateRequest) (*sdk.GenerateResponse, error) {
	if r.Model == "none" {
		return nil, &sdk.Error{Kind: sdk.ErrTooLong, Message: "no room", Limit: 1000}
	}
	return &sdk.GenerateResponse{Text: "summary", Finish: sdk.FinishStop}, h.wait(ctx)
}

func (h *answering) Native(ctx context.Context, _ *sdk.NativeRequest) (*sdk.NativeResponse, error) {
	return &sdk.NativeResponse{Items: []string{"item"}}, h.wait(ctx)
}

func (h *answering) Count(ctx context.Context, texts ...string) ([]sdk.Tokens, error) {
	counts := make([]sdk.Tokens, len(texts))
	for i, text := range texts {
		counts[i] = sdk.Tokens(len(text))
	}
	return counts, h.wait(ctx)
}

func (h *answering) Fetch(ctx context.Context, _ sdk.Layer, indices ...int) ([]sdk.Message, error) {
	var ms []sdk.Message
	for _, i := range indices {
		ms = append(ms, sdk.Message{Index: i, Parts: []sdk.Part{{Kind: sdk.PartText, Text: strings.Repeat("x", 100_000)}}})
	}
	return ms, h.wait(ctx)
}

func (h *answering) Progress(fraction float64, note string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.logs = append(h.logs, fmt.Sprint("progress ", fraction, note))
}

func (h *answering) Log(level sdk.LogLevel, message string, fields ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.logs = append(h.logs, strings.Join(append([]string{string(level), message}, fields...), " "))
}
