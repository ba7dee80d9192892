package strategytest_test

import (
	"bytes"
	"testing"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/sdk/strategytest"
)

func TestLargeHasTheSizeAskedFor(t *testing.T) {
	var body []byte
	for _, n := range []int{50_000, 400_000, 4_000_000} {
		body = strategytest.Large(n).Body(strategytest.OpenAIChat)
		if len(body) > n || len(body) < n-n/10-20_000 {
			t.Errorf("%d bytes, want about %d", len(body), n)
		}
	}
	if n := len(elements(t, strategytest.OpenAIChat, body)); n < 1700 || n > 2100 {
		t.Errorf("%d messages in 4 MB, want about 1,900", n)
	}
}

func TestLargeIsCleanAndAlwaysTheSame(t *testing.T) {
	for _, d := range strategytest.Dialects {
		body := strategytest.Large(300_000).Body(d)
		if found := dialect.Check(dialect.Name(d), body); len(found) > 0 {
			t.Errorf("%s: %v", d, found)
		}
		if !bytes.Equal(body, strategytest.Large(300_000).Body(d)) {
			t.Errorf("%s: two bodies differ", d)
		}
	}
}

func TestLargeGrowsCleanly(t *testing.T) {
	c := strategytest.Large(60_000)
	c.Grow(rng(1), 2)
	for _, d := range strategytest.Dialects {
		if found := dialect.Check(dialect.Name(d), c.Body(d)); len(found) > 0 {
			t.Errorf("%s: %v", d, found)
		}
	}
}

func TestLargeBeginsLikeASmallerOne(t *testing.T) {
	small := elements(t, strategytest.Anthropic, strategytest.Large(40_000).Body(strategytest.Anthropic))
	large := elements(t, strategytest.Anthropic, strategytest.Large(80_000).Body(strategytest.Anthropic))
	for i := range small {
		if !bytes.Equal(small[i], large[i]) {
			t.Fatalf("element %d of %d differs", i, len(small))
		}
	}
}
