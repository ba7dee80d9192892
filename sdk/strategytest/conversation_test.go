package strategytest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/sdk/strategytest"
)

func rng(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// shapes are each feature alone, and random sets of the features allowed.
func shapes(allowed strategytest.Feature) []strategytest.Shape {
	out := []strategytest.Shape{{}}
	for f := strategytest.Feature(1); f <= strategytest.AllFeatures; f <<= 1 {
		if allowed.Has(f) {
			out = append(out, strategytest.Shape{With: f})
		}
	}
	r := rng(99)
	for range 12 {
		out = append(out, strategytest.Shape{Exchanges: 1 + r.IntN(8), Rounds: 1 + r.IntN(4), With: strategytest.Feature(r.Uint32()) & allowed})
	}
	return append(out, strategytest.Shape{With: allowed})
}

func TestCleanShapesBreakNoRule(t *testing.T) {
	for _, d := range strategytest.Dialects {
		for i, s := range shapes(strategytest.CleanFeatures(d)) {
			body := strategytest.Generate(rng(uint64(i)), s).Body(d)
			if found := dialect.Check(dialect.Name(d), body); len(found) > 0 {
				t.Errorf("%s, features %b: %v", d, s.With, found)
			}
		}
	}
}

// The independent checker lies beside the recorded bodies.
func TestCleanShapesSatisfyTheOtherChecker(t *testing.T) {
	recorded := os.Getenv("COMPACTOR_TRANSCRIPTS")
	if recorded == "" {
		t.Skip("COMPACTOR_TRANSCRIPTS is not set: no other checker to ask")
	}
	script := filepath.Join(recorded, "..", "tools", "validate-requests.py")
	if _, err := os.Stat(script); err != nil {
		t.Skipf("the other checker is not there: %v", err)
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skipf("the other checker cannot run: %v", err)
	}
	folder, bodies := t.TempDir(), 0
	for _, d := range strategytest.Dialects {
		if err := os.Mkdir(filepath.Join(folder, d), 0o700); err != nil {
			t.Fatal(err)
		}
		for i, s := range shapes(strategytest.CleanFeatures(d)) {
			body := strategytest.Generate(rng(uint64(i)), s).Body(d)
			if err := os.WriteFile(filepath.Join(folder, d, fmt.Sprintf("%d.json", i)), body, 0o600); err != nil {
				t.Fatal(err)
			}
			bodies++
		}
	}
	out, err := exec.Command(python, script, "--expect", fmt.Sprint(bodies), folder).CombinedOutput()
	if err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}

func TestFeaturesThatAreNotCleanBreakARule(t *testing.T) {
	for _, d := range strategytest.Dialects {
		for f := strategytest.Feature(1); f <= strategytest.AllFeatures; f <<= 1 {
			if strategytest.CleanFeatures(d).Has(f) {
				continue
			}
			broken := 0
			for i := range 20 {
				body := strategytest.Generate(rng(uint64(i)), strategytest.Shape{With: f}).Body(d)
				if !json.Valid(body) {
					t.Fatalf("%s, feature %b: the body is not JSON", d, f)
				}
				if len(dialect.Check(dialect.Name(d), body)) > 0 {
					broken++
				}
			}
			if broken == 0 {
				t.Errorf("%s: feature %b never breaks a rule", d, f)
			}
		}
	}
}

func TestTheSameSeedMakesTheSameBodies(t *testing.T) {
	for _, s := range shapes(strategytest.AllFeatures) {
		a, b := strategytest.Generate(rng(5), s), strategytest.Generate(rng(5), s)
		for _, d := range strategytest.Dialects {
			first := a.Body(d)
			if !bytes.Equal(first, b.Body(d)) || !bytes.Equal(first, a.Body(d)) {
				t.Errorf("%s, features %b: bodies differ", d, s.With)
			}
		}
	}
}

// elements returns the elements of the body's list, as they stand in it.
func elements(t *testing.T, d string, body []byte) []json.RawMessage {
	t.Helper()
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(body, &keys); err != nil {
		t.Fatal(err)
	}
	key := "messages"
	if d == strategytest.OpenAIResponses {
		key = "input"
	}
	var list []json.RawMessage
	if err := json.Unmarshal(keys[key], &list); err != nil {
		t.Fatal(err)
	}
	return list
}

func TestGrowExtendsTheList(t *testing.T) {
	for i, s := range shapes(strategytest.AllFeatures) {
		r := rng(uint64(i))
		c := strategytest.Generate(r, s)
		before := map[string][]byte{}
		for _, d := range strategytest.Dialects {
			before[d] = c.Body(d)
		}
		c.Grow(r, 2)
		for _, d := range strategytest.Dialects {
			old, grown := elements(t, d, before[d]), elements(t, d, c.Body(d))
			if len(grown) <= len(old) {
				t.Fatalf("%s, features %b: %d elements after %d", d, s.With, len(grown), len(old))
			}
			for j := range old {
				if !bytes.Equal(old[j], grown[j]) {
					t.Errorf("%s, features %b: element %d changed", d, s.With, j)
				}
			}
		}
	}
}

func TestGrownConversationsStayClean(t *testing.T) {
	for _, d := range strategytest.Dialects {
		r := rng(3)
		c := strategytest.Generate(r, strategytest.Shape{With: strategytest.CleanFeatures(d)})
		for range 5 {
			c.Grow(r, 1)
			if found := dialect.Check(dialect.Name(d), c.Body(d)); len(found) > 0 {
				t.Errorf("%s: %v", d, found)
			}
		}
	}
}
