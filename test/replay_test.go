package test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/all"
	"github.com/compactor-host/compactor/internal/replay"
	"github.com/compactor-host/compactor/sdk/strategytest"
)

// leastGrowth is how much of the ceiling, in per cent, a prompt has to grow by
// between two compactions.
const leastGrowth = 25

// TestReplayOfASession plays a session of 60 steps: it is compacted seldom, and
// between compactions the provider's cache serves it as well as without.
func TestReplayOfASession(t *testing.T) {
	const steps, mostCompactions, leastShare = 60, 4, 0.9
	p := buildPrograms(t, nil)
	for _, name := range strategytest.Dialects {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "session.json")
			write(t, file, string(session(t, name, steps)), 0o600)
			r := p.replay(t, file, 64000, replay.BindsNone)
			checkReplay(t, r)
			if n := len(r.Compactions); n == 0 || n > mostCompactions {
				t.Errorf("%d compactions, want 1 to %d", n, mostCompactions)
			}
			if with, without := r.With.CacheShare(), r.Without.CacheShare(); with < leastShare*without {
				t.Errorf("%.3f of the input was read from the cache, without compaction %.3f", with, without)
			}
		})
	}
}

// session is a conversation of so many calls, of which each reads a file.
func session(t *testing.T, name string, steps int) []byte {
	t.Helper()
	for size := 40_000; ; size += 2_000 {
		body := strategytest.Large(size).Body(name)
		r, err := replay.Read(body, replay.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Calls() >= steps {
			return body
		}
	}
}

// vendors are the ways in which models bind their reasoning.
var vendors = map[dialect.Name]replay.Binding{
	dialect.Anthropic: replay.BindsRefuse, dialect.OpenAIChat: replay.BindsDrop, dialect.OpenAIResponses: replay.BindsDrop,
}

// TestReplayOfRecordings plays recorded bodies of more than 50 messages. Long
// ones take minutes and are played with COMPACTOR_REPLAY=all alone.
func TestReplayOfRecordings(t *testing.T) {
	const fewest, long = 50, 200 // messages, calls
	bodies := recordings(t)
	p := buildPrograms(t, nil)
	played := 0
	for _, file := range bodies {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c, err := all.Parse(body)
		if err != nil || len(c.Messages) <= fewest {
			continue
		}
		if r, err := replay.Read(body, replay.Settings{}); err != nil || r.Calls() > long && os.Getenv("COMPACTOR_REPLAY") != "all" {
			continue
		}
		for _, window := range []int{32000, 64000, 200000} {
			for _, binds := range []replay.Binding{replay.BindsNone, vendors[c.Format.Name()]} {
				played++
				name := strings.TrimSuffix(filepath.Base(file), ".json")
				t.Run(fmt.Sprintf("%s/%d/%s", name, window, binds), func(t *testing.T) {
					t.Parallel()
					checkReplay(t, p.replay(t, file, window, binds))
				})
			}
		}
	}
	if t.Logf("%d replays", played); played == 0 {
		t.Error("none of the recordings has enough messages")
	}
}

// recordings are the recorded bodies; without any the test is skipped.
func recordings(t *testing.T) []string {
	t.Helper()
	root := os.Getenv("COMPACTOR_TRANSCRIPTS")
	if root == "" {
		t.Skip("COMPACTOR_TRANSCRIPTS is not set")
	}
	files, err := filepath.Glob(filepath.Join(root, "requests", "*", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded bodies: %v", err)
	}
	return files
}

// replay has the command play a body through the default chain.
func (p programs) replay(t *testing.T, file string, window int, binds replay.Binding) *replay.Report {
	t.Helper()
	folder := t.TempDir()
	cmd := exec.Command(filepath.Join(p.dir, "compactor"), "replay", file, "--json",
		"--window", strconv.Itoa(window), "--binds-reasoning", string(binds))
	cmd.Dir, cmd.Env = folder, append(os.Environ(), "XDG_CONFIG_HOME="+folder, "XDG_RUNTIME_DIR="+shortFolder(t))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var reports []*replay.Report
	if jerr := json.Unmarshal(out, &reports); jerr != nil || len(reports) != 1 {
		t.Fatalf("%v, %v\n%s", err, jerr, &stderr)
	}
	if err != nil || stderr.Len() > 0 {
		t.Errorf("%v\n%s", err, &stderr)
	}
	return reports[0]
}

// checkReplay holds what came of a replay against what must come of each.
func checkReplay(t *testing.T, r *replay.Report) {
	t.Helper()
	for _, f := range r.Findings {
		t.Errorf("call %d: %s: %.300s", f.Call, f.Rule, f.Message)
	}
	if r.With.ReasoningRefused > 0 {
		t.Errorf("reasoning was refused %d times", r.With.ReasoningRefused)
	}
	checkBreaks(t, r)
	for i, c := range r.Compactions {
		if i == 0 || c.Growth >= leastGrowth {
			continue
		}
		if before := r.Compactions[i-1]; !before.Short && !before.Missed {
			t.Errorf("the compaction at call %d came after a growth of %.1f %%, and the one before reached its target", c.Call, c.Growth)
		}
	}
	t.Logf("%d calls, %d compactions, cached %.3f and without %.3f", r.Calls, len(r.Compactions), r.With.CacheShare(), r.Without.CacheShare())
}

// checkBreaks proves that the prompt breaks with each compaction and never
// else. One whose change lies behind all that was sent before breaks nothing:
// what is sent then is larger than what was.
func checkBreaks(t *testing.T, r *replay.Report) {
	t.Helper()
	breaks := 0
	for _, c := range r.Compactions {
		if c.BrokePrefix {
			breaks++
			continue
		}
		if c.Call > 1 && c.Sent < r.With.Points[c.Call-2].Prompt {
			t.Errorf("the compaction at call %d made the prompt smaller and broke nothing", c.Call)
		}
	}
	if breaks != r.PrefixBreaks {
		t.Errorf("%d prompts do not begin with the one before, and %d compactions broke it", r.PrefixBreaks, breaks)
	}
}
