package plugin

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/sdk"
)

// bothWays runs a test on the well-built strategy as a process and linked in.
func bothWays(t *testing.T, test func(t *testing.T, h *Host)) {
	t.Run("process", func(t *testing.T) { test(t, newFixture(t, "good").Host) })
	t.Run("linked", func(t *testing.T) {
		h := NewHost(Options{Strategies: []*sdk.Definition{wellBuilt()}})
		t.Cleanup(func() {
			if err := h.Close(context.Background()); err != nil {
				t.Error(err)
			}
		})
		test(t, h)
	})
}

func TestInstanceTellsWhatItIs(t *testing.T) {
	bothWays(t, func(t *testing.T, h *Host) {
		in, err := h.Instance(t.Context(), "odd", []byte(`{"keep":2}`))
		if err != nil {
			t.Fatal(err)
		}
		want, _ := wellBuilt().Configure([]byte(`{"keep":2}`))
		got := []any{in.Name, in.Version, in.Revision, in.CallsModels, in.Need, in.Digest, string(in.Schema)}
		if diff := cmp.Diff([]any{"odd", "1.2.3", sdk.Revision, false, sdk.NeedText, want.Digest, string(wellBuilt().Schema)}, got); diff != "" {
			t.Errorf("instance (-want +got):\n%s", diff)
		}
	})
}

func TestCompactReturnsTheScript(t *testing.T) {
	bothWays(t, func(t *testing.T, h *Host) {
		in, err := h.Instance(t.Context(), "odd", []byte(`{"keep":2}`))
		if err != nil {
			t.Fatal(err)
		}
		r, err := in.Compact(t.Context(), conversation(5), &answering{})
		if err != nil {
			t.Fatal(err)
		}
		want := sdk.Script{{Kind: sdk.OpDrop, From: 0, To: 3}, {Kind: sdk.OpKeep, From: 3, To: 5}}
		if diff := cmp.Diff(want, r.Script); diff != "" {
			t.Errorf("script (-want +got):\n%s", diff)
		}
	})
}

func TestAllQuestionsAreAnswered(t *testing.T) {
	bothWays(t, func(t *testing.T, h *Host) {
		in, err := h.Instance(t.Context(), "odd", []byte(`{"do":"ask all"}`))
		if err != nil {
			t.Fatal(err)
		}
		r, err := in.Compact(t.Context(), conversation(1), &answering{})
		if err != nil {
			t.Fatal(err)
		}
		if want := "summary[item] [4 7] 2 2 100000 too_long: no room"; r.Reason != want {
			t.Errorf("answers %q, want %q", r.Reason, want)
		}
	})
}

func TestBadScriptIsRefused(t *testing.T) {
	bothWays(t, func(t *testing.T, h *Host) {
		in, err := h.Instance(t.Context(), "odd", []byte(`{"do":"bad script"}`))
		if err != nil {
			t.Fatal(err)
		}
		_, err = in.Compact(t.Context(), conversation(3), &answering{})
		fails(t, err, Protocol, "edit script, op 0")
	})
}

func TestPanicIsTheStrategysError(t *testing.T) {
	bothWays(t, func(t *testing.T, h *Host) {
		in, err := h.Instance(t.Context(), "odd", []byte(`{"do":"panic"}`))
		if err != nil {
			t.Fatal(err)
		}
		_, err = in.Compact(t.Context(), conversation(3), &answering{})
		if e := new(sdk.Error); !errors.As(err, &e) || e.Kind != sdk.ErrInternal {
			t.Errorf("error %v (%T)", err, err)
		}
	})
}

// verbose gives answers that no frame can hold.
type verbose struct{ *answering }

func (verbose) Generate(context.Context, *sdk.GenerateRequest) (*sdk.GenerateResponse, error) {
	return &sdk.GenerateResponse{Text: strings.Repeat("x", sdk.DefaultLimits().FrameBytes)}, nil
}

func TestAnswerTooLargeForAFrameIsAnError(t *testing.T) {
	f := newFixture(t, "good")
	in := f.instance(t, `{"do":"summarize"}`)
	_, err := in.Compact(t.Context(), conversation(1), verbose{&answering{}})
	if e := new(sdk.Error); !errors.As(err, &e) || e.Kind != sdk.ErrTooLarge {
		t.Errorf("error %v (%T)", err, err)
	}
}

func TestRefusedOptionsAreDiagnostics(t *testing.T) {
	bothWays(t, func(t *testing.T, h *Host) {
		_, err := h.Instance(t.Context(), "odd", []byte(`{"keep":-1}`))
		e := new(OptionsError)
		if !errors.As(err, &e) {
			t.Fatalf("error %v (%T)", err, err)
		}
		if e.Plugin != "odd" || len(e.Diagnostics) != 1 || !cmp.Equal(e.Diagnostics[0].Path, []string{"keep"}) {
			t.Errorf("diagnostics %+v", e)
		}
		if !strings.Contains(err.Error(), `strategy "odd": options refused; keep: `) {
			t.Errorf("error %q", err)
		}
	})
}

func TestHangingStrategyIsTimedOut(t *testing.T) {
	bothWays(t, func(t *testing.T, h *Host) {
		in, err := h.Instance(t.Context(), "odd", []byte(`{"do":"wait forever"}`))
		if err != nil {
			t.Fatal(err)
		}
		in.Timeout = 20 * time.Millisecond
		_, err = in.Compact(t.Context(), conversation(1), &answering{})
		fails(t, err, Hang)
	})
}

func TestProcessIsStartedOnceForAllWhoAsk(t *testing.T) {
	f := newFixture(t, "good")
	pids := make([]string, 8)
	var wg sync.WaitGroup
	for i := range pids {
		wg.Go(func() {
			in, err := f.Instance(context.Background(), "odd", []byte(`{"do":"pid"}`))
			if err != nil {
				t.Error(err)
				return
			}
			r, err := in.Compact(context.Background(), conversation(1), &answering{})
			if err != nil {
				t.Error(err)
				return
			}
			pids[i] = r.Reason
		})
	}
	wg.Wait()
	for _, pid := range pids {
		if pid != pids[0] {
			t.Fatalf("processes %q, want one", pids)
		}
	}
}

func TestCallerWhoGivesUpDoesNotStopTheStart(t *testing.T) {
	f := newFixture(t, "good")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Describe(ctx, "odd"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := f.Describe(t.Context(), "odd"); err != nil {
		t.Error(err)
	}
	if n := len(f.log.lines("strategy started")); n != 1 {
		t.Errorf("%d starts, want 1", n)
	}
}

func TestCompactionsBeyondTheLimitWait(t *testing.T) {
	f := newFixture(t, "good", func(p *config.Plugin) { p.MaxConcurrent = 1 })
	in := f.instance(t, `{"do":"summarize"}`)
	host, asked := &answering{hold: make(chan struct{})}, make(chan struct{})
	done := make(chan error, 1)
	go func() {
		_, err := in.Compact(context.Background(), conversation(1), announced{host, asked})
		done <- err
	}()
	<-asked
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := in.Compact(ctx, conversation(1), &answering{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the second compaction: %v, want to have waited in vain", err)
	}
	close(host.hold)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestConcurrentCallsDoNotMix(t *testing.T) {
	f := newFixture(t, "good")
	in := f.instance(t, `{"keep":1}`)
	var wg sync.WaitGroup
	for n := 2; n < 12; n++ {
		wg.Go(func() {
			r, err := in.Compact(context.Background(), conversation(n), &answering{})
			if err != nil {
				t.Error(err)
				return
			}
			want := sdk.Script{{Kind: sdk.OpDrop, From: 0, To: n - 1}, {Kind: sdk.OpKeep, From: n - 1, To: n}}
			if diff := cmp.Diff(want, r.Script); diff != "" {
				t.Errorf("%d messages (-want +got):\n%s", n, diff)
			}
		})
	}
	wg.Wait()
}

func TestLargeViewPasses(t *testing.T) {
	r := conversation(3)
	r.View[1].Parts[0].Text = strings.Repeat("large ", 64<<20/6)
	f := newFixture(t, "good")
	got, err := f.instance(t, `{"keep":1}`).Compact(t.Context(), r, &answering{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Script) != 2 {
		t.Errorf("script %v", got.Script)
	}
}

func TestClosedHostRefuses(t *testing.T) {
	f := newFixture(t, "good")
	in := f.instance(t, `{}`)
	if err := f.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	_, err := in.Compact(t.Context(), conversation(1), &answering{})
	fails(t, err, Start, "closed")
	_, err = f.Describe(t.Context(), "odd")
	fails(t, err, Start, "closed")
}

func TestCloseEndsCallsUnderWay(t *testing.T) {
	f := newFixture(t, "good")
	in, pid := f.instance(t, `{"do":"wait"}`), f.pid(t)
	done := make(chan error, 1)
	go func() {
		_, err := in.Compact(context.Background(), conversation(1), &answering{})
		done <- err
	}()
	f.notes(t, 1)
	if err := f.Close(context.Background()); err != nil {
		t.Error(err)
	}
	if err := <-done; err == nil {
		t.Error("the call ended well")
	}
	awaitGone(t, pid)
}

func TestPluginBlockGoesBeforeLinkedStrategy(t *testing.T) {
	f := newFixture(t, "clean end")
	f.linked["odd"] = wellBuilt()
	d, err := f.Describe(t.Context(), "odd")
	if err != nil || d.Source != SourceConfig {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestNameOfAFoundFileMustBeItsOwn(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.Symlink(self, filepath.Join(folder, filePrefix+"odd")); err != nil {
		t.Fatal(err)
	}
	h := NewHost(Options{
		Path:    []string{folder},
		Plugins: map[string]*config.Plugin{"odd": {Name: "odd", Env: map[string]string{behaviourVariable: "other name"}}},
	})
	t.Cleanup(func() { _ = h.Close(context.Background()) })
	_, err = h.Describe(t.Context(), "odd")
	fails(t, err, Protocol, `"even"`)
}

func TestHostListsLinkedAndFound(t *testing.T) {
	h := NewHost(Options{
		Executable: filepath.Join(t.TempDir(), "host"),
		Strategies: []*sdk.Definition{wellBuilt()},
		Plugins:    map[string]*config.Plugin{"absent": {Command: []string{"/nonexistent/x"}}},
	})
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	t.Setenv(pathVariable, "")
	var got []string
	for _, f := range h.List() {
		got = append(got, f.Name+" "+string(f.Source))
	}
	if diff := cmp.Diff([]string{"absent plugin block", "odd built in"}, got); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
}
