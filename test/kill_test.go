package test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/sdk/strategytest"
)

const (
	killSteps = 60
	// killMaxTokens makes a session of killSteps outgrow its limit some ten times.
	killMaxTokens = 6000
)

// TestKilledHostsAreContinued kills `compactor serve` at random moments of a
// session whose agent repeats what was not answered. Each request is answered in
// the end, what reaches the provider is valid, and a compaction is repeated only
// when the kill hit it.
func TestKilledHostsAreContinued(t *testing.T) {
	p := buildPrograms(t, nil)
	bodies := killSession()
	calm := &killed{serving: p.serve(t, killMaxTokens), took: make([]time.Duration, killSteps)}
	for i := range bodies {
		calm.step(t, bodies, i, -1)
	}
	calm.checkNothingLeft(t)
	undisturbed := calm.compactions(t)
	if undisturbed < 3 {
		t.Fatalf("%d compactions in an undisturbed session: this proves little", undisturbed)
	}

	rng := rand.New(rand.NewPCG(10, 9))
	kills := 50
	if testing.Short() {
		kills = 10
	}
	moments := make([]time.Duration, killSteps)
	for i := range moments {
		moments[i] = -1
	}
	for _, i := range rng.Perm(killSteps)[:kills] {
		// Some come when the answer is there already.
		moments[i] = time.Duration(rng.Int64N(int64(calm.took[i] + calm.took[i]/4 + 1)))
	}
	k := &killed{serving: p.serve(t, killMaxTokens), took: make([]time.Duration, killSteps)}
	for i := range bodies {
		k.step(t, bodies, i, moments[i])
	}
	k.checkNothingLeft(t)
	made := k.compactions(t)
	t.Logf("%d compactions, %d undisturbed; of %d kills %d came before the answer, %d of them after a compaction",
		made, undisturbed, kills, k.unanswered, k.hits)
	if made > undisturbed+k.hits {
		t.Errorf("%d compactions, undisturbed %d, and %d were hit by a kill", made, undisturbed, k.hits)
	}
	if k.unanswered == 0 {
		t.Error("no kill came before its request was answered: this proves little")
	}
}

// killSession is what an agent sends step by step.
func killSession() [][]byte {
	rng := rand.New(rand.NewPCG(3, 60))
	c := strategytest.Generate(rng, strategytest.Shape{Exchanges: 2, With: strategytest.Parallel | strategytest.Mixed})
	bodies := make([][]byte, killSteps)
	for i := range bodies {
		bodies[i] = c.Body(strategytest.OpenAIChat)
		c.Grow(rng, 1)
	}
	return bodies
}

// killed is a session that is played through the command.
type killed struct {
	*serving
	took []time.Duration
	// last is what the provider was sent last.
	last []byte
	// unanswered are the kills before an answer, hits those of them behind a
	// compaction for the same request.
	unanswered, hits int
}

// step sends a request until it is answered. A moment of 0 or later is when the
// command is killed.
func (k *killed) step(t *testing.T, bodies [][]byte, i int, moment time.Duration) {
	t.Helper()
	before, sent := k.compactions(t), len(k.provider.Records())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	answered := make(chan error, 1)
	start := time.Now()
	go func() { answered <- k.post(ctx, bodies[i]) }()
	if moment >= 0 {
		time.Sleep(moment)
		k.stop(t, syscall.SIGKILL)
	}
	err := <-answered
	k.took[i] = time.Since(start)
	if moment >= 0 {
		k.start(t)
	}
	hit := err != nil && moment >= 0
	if hit {
		k.unanswered++
		if k.compactions(t) > before {
			k.hits++
		}
		err = k.post(ctx, bodies[i])
	}
	if err != nil {
		t.Fatalf("step %d: %v\n%s", i, err, k.logged(t))
	}
	// A compaction is in force before the log tells of it, so a kill can come
	// between the two.
	k.check(t, bodies[i], i, sent, hit || k.compactions(t) > before)
}

// check proves of what the provider was sent since that it is valid, and that it
// goes on from what was sent before, unless a compaction was made.
func (k *killed) check(t *testing.T, received []byte, i, since int, compacted bool) {
	t.Helper()
	records := k.provider.Records()
	if len(records) == since {
		t.Fatalf("step %d: nothing was sent", i)
	}
	for _, r := range records[since:] {
		if found := dialect.NewFindings(dialect.Check(dialect.OpenAIChat, received), dialect.Check(dialect.OpenAIChat, r.Body)); len(found) > 0 {
			t.Errorf("step %d: the provider was sent what breaks %v", i, found)
		}
		if k.last != nil && !compacted && !continues(t, k.last, r.Body) {
			t.Errorf("step %d: without a compaction, the prompt does not begin with the one before", i)
		}
		k.last = bytes.Clone(r.Body)
	}
}

// continues tells whether the messages of a body begin with all those of
// another.
func continues(t *testing.T, earlier, later []byte) bool {
	t.Helper()
	a, b := rawMessages(t, earlier), rawMessages(t, later)
	return len(a) <= len(b) && slices.Equal(a, b[:len(a)])
}

// rawMessages are the entries of a body's list, each as it stands there.
func rawMessages(t *testing.T, body []byte) []string {
	t.Helper()
	c := parse(t, body)
	all := make([]string, len(c.Messages))
	for i := range all {
		all[i] = raw(c, i)
	}
	return all
}
