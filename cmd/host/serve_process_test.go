package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// commandVariable has the test binary be the command.
const commandVariable = "COMPACTOR_TEST_COMMAND"

// patience is how long tests wait for what has to come.
const patience = 30 * time.Second

func TestMain(m *testing.M) {
	if os.Getenv(commandVariable) == "" {
		os.Exit(m.Run())
	}
	main()
}

// server is a process of `compactor serve`.
type server struct {
	*exec.Cmd
	// url comes from its first log line.
	url  string
	out  *bufio.Reader
	logs *lines
	// killed is set when the process has no time to clean up; then the next
	// host does.
	killed bool
}

// lines are a process's log lines as they come.
type lines struct {
	mu    sync.Mutex
	text  bytes.Buffer
	first chan string
}

func (l *lines) read(r io.Reader) {
	s := bufio.NewScanner(r)
	for s.Scan() {
		l.mu.Lock()
		fmt.Fprintln(&l.text, s.Text())
		l.mu.Unlock()
		select {
		case l.first <- s.Text():
		default:
		}
	}
	close(l.first)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// startServer starts the command with a configuration, in a folder of its own,
// on any free port, and waits until it listens.
func startServer(t *testing.T, config string, args ...string) *server {
	t.Helper()
	dir := t.TempDir()
	s := &server{logs: &lines{first: make(chan string, 1)}}
	sockets := s.sockets(t)
	file := filepath.Join(dir, "compactor.hcl")
	if err := os.WriteFile(file, []byte("store \"memory\" {}\nhold = \"1ms\"\n"+config), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	t.Cleanup(cancel)
	s.Cmd = exec.CommandContext(ctx, os.Args[0], append([]string{"serve", "--config", file, "--listen", "127.0.0.1:0"}, args...)...)
	s.Dir = dir
	s.Env = append(os.Environ(), commandVariable+"=1", "XDG_RUNTIME_DIR="+sockets, "HOME="+dir)
	stdout, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := s.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.ProcessState == nil {
			_ = s.Process.Kill()
			_ = s.Wait()
		}
	})
	s.out = bufio.NewReader(stdout)
	go s.logs.read(stderr)
	line, ok := <-s.logs.first
	at := regexp.MustCompile(`listening: address=(\S+)`).FindStringSubmatch(line)
	if !ok || at == nil {
		t.Fatalf("the first line is %q", line)
	}
	s.url = "http://" + at[1]
	return s
}

// sockets makes a folder for the sockets of strategies, with a short name, and
// sees that none is left in it.
func (s *server) sockets(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("/tmp", "cp-serve")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if left, _ := filepath.Glob(filepath.Join(folder, "*")); len(left) > 0 && !s.killed {
			t.Errorf("left behind: %q", left)
		}
		os.RemoveAll(folder)
	})
	return folder
}

// ready waits for the line that says so.
func (s *server) ready(t *testing.T) string {
	t.Helper()
	line, err := s.out.ReadString('\n')
	if err != nil {
		t.Fatalf("no line on standard output: %v\n%s", err, s.logs)
	}
	return strings.TrimSpace(line)
}

// end sends a signal and returns the exit code.
func (s *server) end(t *testing.T, sig os.Signal) int {
	t.Helper()
	if err := s.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	return s.exit()
}

func (s *server) exit() int {
	_, _ = io.Copy(io.Discard, s.out)
	_ = s.Wait() // the code tells
	return s.ProcessState.ExitCode()
}

// status is that of a page.
func (s *server) status(t *testing.T, path string) (int, string) {
	t.Helper()
	res, err := http.Get(s.url + path)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

// await asks until the answer has the line.
func (s *server) await(t *testing.T, line string, ask func() string) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		got := ask()
		if strings.Contains(got, line+"\n") {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("there is no line %s in:\n%s", line, got)
		}
	}
}

// strategy builds the program of a strategy.
func strategy(t *testing.T, name string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "compactor-strategy-"+name)
	build(t, out, "./strategies/"+name+"/plugin")
	return out
}

// evictOnly is a configuration of one chain with one strategy.
func evictOnly(program string) string {
	return fmt.Sprintf("chain \"default\" {\n step \"evict\" {}\n}\nplugin \"evict\" {\n command = [%q]\n start_timeout = \"60s\"\n}\n", program)
}

// provided is a provider block.
func provided(name, dialects, url string) string {
	return fmt.Sprintf("provider %q {\n dialects = [%s]\n base_url = %q\n}\n", name, dialects, url)
}

// streaming is a provider whose answer has as many chunks as are sent to it.
func streaming(t *testing.T) (url string, next chan string) {
	next = make(chan string)
	p := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		for {
			select {
			case chunk, more := <-next:
				if !more {
					return
				}
				_, _ = io.WriteString(w, chunk)
				_ = http.NewResponseController(w).Flush()
			case <-r.Context().Done():
				return
			}
		}
	}))
	t.Cleanup(p.Close)
	return p.URL, next
}

// call begins a call and waits for the first chunk of its answer.
func (s *server) call(t *testing.T, next chan<- string) *http.Response {
	t.Helper()
	go func() { next <- "first," }()
	res, err := http.Post(s.url+"/v1/messages", "application/json", strings.NewReader(`{"model":"m","messages":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	if _, err := io.ReadFull(res.Body, make([]byte, len("first,"))); err != nil {
		t.Fatal(err)
	}
	return res
}

// refuses waits until there are no more connections to be had.
func (s *server) refuses(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			return
		}
		conn.Close()
		if time.Now().After(end) {
			t.Fatal("connections are still accepted")
		}
	}
}
