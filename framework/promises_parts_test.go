package framework_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/compactor-host/compactor/framework/store"
	"github.com/compactor-host/compactor/sdk"
)

// looking is a strategy that changes nothing.
func looking(see func(*sdk.Request)) sdk.Strategy {
	return sdk.StrategyFunc(func(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
		see(r)
		return sdk.Unchanged("only looking"), nil
	})
}

// roundTripper is a layer of the program's own.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// response is a whole answer.
func response(r *http.Request, status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)),
		ContentLength: int64(len(body)), Request: r,
	}
}

// commits is a store that shows what is committed to it.
type commits struct {
	store.Store
	mu  sync.Mutex
	all []store.Checkpoint
}

func (s *commits) Commit(ctx context.Context, t *store.Thread, c *store.Checkpoint, under *store.Lease) error {
	err := s.Store.Commit(ctx, t, c, under)
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.all = append(s.all, *c)
	}
	return err
}

// fold is a strategy that stands for those that summarize: all but the newest
// exchange becomes one message, a summary, a line of the template and a record
// of the newest messages it covers. It remembers the summary, and the next one
// goes on from it.
func fold(version string, see func(*sdk.Request)) *sdk.Definition {
	type options struct {
		Prompt string `json:"prompt" default:"" help:"what the summary begins with"`
	}
	return sdk.New("fold", version, func(o options) (sdk.Strategy, error) {
		return sdk.StrategyFunc(func(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
			see(r)
			old := r.View.Before(r.View.Exchanges().Last(1))
			if len(old) == 0 {
				return sdk.Unchanged("one exchange"), nil
			}
			summary := o.Prompt + "summary"
			if r.Previous != nil {
				summary = r.Previous.Summary + ", updated"
			}
			return r.View.Drop(old).Insert(0, sdk.Insert{
				Role: sdk.RoleUser, Text: []string{checkpointText(summary, "the newest words")},
				Flags: sdk.FlagCheckpoint | sdk.FlagSummary,
			}).Store(sdk.Previous{Summary: summary}).Result(), nil
		}), nil
	})
}

// checkpointText is the message that fold inserts.
func checkpointText(summary, record string) string {
	return "<summary>\n" + summary + "\n</summary>\n<recent-context>\n" + record + "\n</recent-context>"
}

// folds is a chain of fold alone.
const folds = "chain \"default\" {\n  max_tokens = 1000\n  step \"fold\" {}\n}\n"

func unseen(*sdk.Request) {}

// lines is what was logged.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// with returns the lines of a level.
func (l *lines) with(level string) (found []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.b.String()) {
		if strings.HasPrefix(line, "["+level+"]") {
			found = append(found, line)
		}
	}
	return found
}
