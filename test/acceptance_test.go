package test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/all"
	"github.com/compactor-host/compactor/framework/meter"
	"github.com/compactor-host/compactor/sdk"
	"github.com/compactor-host/compactor/sdk/strategytest"
)

// acceptedSize is what recorded conversations are compacted to, see recorded.sh,
// and so are the ones made here.
const acceptedSize = 20000

// TestAcceptance has the programs compact long conversations without options
// other than the size. In the first clearing results is enough; in the second
// messages have to go as well (T-25); the third holds all that a body may.
func TestAcceptance(t *testing.T) {
	p := buildPrograms(t, nil)
	cleared, dropped := strategytest.Large(400_000), strategytest.Large(1_500_000)
	for _, name := range strategytest.Dialects {
		t.Run(name+" T-15 results cleared", func(t *testing.T) {
			body := cleared.Body(name)
			made := p.accept(t, body)
			if markers := checkOrder(t, describe(t, body, made)); markers > 0 || len(parse(t, made).Messages) != len(parse(t, body).Messages) {
				t.Error("T-25 messages were dropped")
			}
		})
		t.Run(name+" T-7 messages dropped", func(t *testing.T) {
			body := dropped.Body(name)
			if markers := checkOrder(t, describe(t, body, p.accept(t, body))); markers != 1 {
				t.Errorf("%d markers stand for what was dropped, want 1", markers)
			}
		})
		t.Run(name+" T-105 T-106 rich", func(t *testing.T) {
			shape := strategytest.Shape{Exchanges: 150, With: strategytest.CleanFeatures(name) &^ strategytest.BigResults}
			p.accept(t, strategytest.Generate(rand.New(rand.NewPCG(20, 7)), shape).Body(name))
		})
	}
}

// accept compacts a body and holds the result against what every result has
// to be.
func (p programs) accept(t *testing.T, body []byte) []byte {
	t.Helper()
	was := parse(t, body)
	if n := size(t, was); n <= acceptedSize {
		t.Fatalf("%d tokens are too few to prove anything", n)
	}
	if same := p.sized(t, body, 9_000_000); !bytes.Equal(same, body) {
		t.Errorf("T-2 with room for everything, %d bytes became %d others", len(body), len(same))
	}
	made := p.sized(t, body, acceptedSize)
	checkAccepted(t, was, parse(t, made))
	return made
}

// sized has the command compact a body, by default settings alone.
func (p programs) sized(t *testing.T, body []byte, limit int) []byte {
	t.Helper()
	folder := t.TempDir()
	in, out := filepath.Join(folder, "in.json"), filepath.Join(folder, "made", "out.json")
	write(t, in, string(body), 0o600)
	cmd := exec.Command(filepath.Join(p.dir, "compactor"), "compact", "--max-tokens", strconv.Itoa(limit), in, "--out", out)
	cmd.Dir, cmd.Env = folder, append(os.Environ(), "XDG_CONFIG_HOME="+folder, "XDG_RUNTIME_DIR="+shortFolder(t))
	if msg, err := cmd.CombinedOutput(); err != nil || len(msg) > 0 {
		t.Fatalf("--max-tokens %d: %v\n%s", limit, err, msg)
	}
	made, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// checkAccepted compares a body with what was made of it.
func checkAccepted(t *testing.T, was, now *dialect.Conversation) {
	t.Helper()
	if n := size(t, now); n > acceptedSize {
		t.Errorf("%d tokens are left", n)
	}
	name := was.Format.Name()
	if found := dialect.NewFindings(dialect.Check(name, was.Body), dialect.Check(name, now.Body)); len(found) > 0 {
		t.Errorf("T-106 the provider refuses it: %v", found)
	}
	if a, b := outside(was), outside(now); a != b {
		t.Errorf("T-105 system, tools and settings changed from %d bytes to %d", len(a), len(b))
	}
	last := func(c *dialect.Conversation) string { return raw(c, len(c.Messages)-1) }
	if last(was) != last(now) {
		t.Errorf("T-7 the last message changed:\n%.300s\n%.300s", last(was), last(now))
	}
}

// checkOrder proves of a description that what stays is in its order, and counts
// the markers.
func checkOrder(t *testing.T, described string) int {
	t.Helper()
	markers, last := 0, -1
	for _, word := range strings.Fields(described) {
		if word == "M" {
			markers++
			continue
		}
		n := number(t, strings.TrimSuffix(word, "s"))
		if n <= last {
			t.Errorf("message %d stands behind %d", n, last)
		}
		last = n
	}
	return markers
}

func parse(t *testing.T, body []byte) *dialect.Conversation {
	t.Helper()
	c, err := all.Parse(body)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func size(t *testing.T, c *dialect.Conversation) sdk.Tokens {
	t.Helper()
	v, err := c.View(nil)
	if err != nil {
		t.Fatal(err)
	}
	return meter.New(nil, "").View(v).Total
}

// raw is message i as the body has it.
func raw(c *dialect.Conversation, i int) string {
	return string(c.Body[c.Messages[i].Span.From:c.Messages[i].Span.To])
}

// outside is all of the body that is no conversation: what stands around the
// list, and the fixed messages in front of it.
func outside(c *dialect.Conversation) string {
	s := string(c.Body[:c.List.From])
	for i := range c.Messages {
		if !c.Messages[i].Flags.Has(sdk.FlagFixed) {
			break
		}
		s += raw(c, i)
	}
	return s + string(c.Body[c.List.To:])
}
