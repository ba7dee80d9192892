package main

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/compactor-host/compactor/framework"
	"github.com/compactor-host/compactor/framework/chain"
	"github.com/compactor-host/compactor/sdk"
)

// writeReport tells a person why the chain ran, what each step did, and what
// the view is.
func writeReport(w io.Writer, name string, c *framework.Compaction) error {
	p := &printer{w: w}
	p.printf("%s: %s", name, c.Dialect)
	if c.Model != "" {
		p.printf(", model %s", c.Model)
	}
	p.printf(", chain %q\n%s\n", c.Chain, why(c))
	for _, warning := range c.Warnings {
		p.printf("warning: %s\n", warning)
	}
	p.steps(c)
	p.view(c)
	return p.err
}

// printer remembers the first error of a series of writes.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func why(c *framework.Compaction) string {
	size := tokens(c.Before.Tokens)
	switch {
	case c.Unmanaged != "":
		return fmt.Sprintf("left alone: %s (%s are here)", c.Unmanaged, size)
	case c.Due:
		return fmt.Sprintf("due: %s reach the ceiling of %s; aiming at %s", size, number(c.Ceiling), number(c.Target))
	case c.Reason != "":
		return fmt.Sprintf("not due at %s, compacted because --now was given; aiming at %s", size, number(c.Target))
	case c.Ceiling == 0:
		return fmt.Sprintf("not due: %s, and no limit is known (--max-tokens, --window, or a model block)", size)
	}
	return fmt.Sprintf("not due: %s, the ceiling is %s", size, number(c.Ceiling))
}

func (p *printer) steps(c *framework.Compaction) {
	if len(c.Attempts) == 0 {
		return
	}
	p.printf("\n")
	t := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "  step\toutcome\ttokens\tmessages\ttime\n")
	for i := range c.Attempts {
		a := &c.Attempts[i]
		fmt.Fprintf(t, "  %d %s %s\t%s\t%s\t%s\t%s\n", a.Step+1, a.Strategy, a.Version, a.Outcome,
			change(int(a.Before.Tokens), int(a.After.Tokens)), change(a.Before.Messages, a.After.Messages), took(a.Duration))
	}
	if err := t.Flush(); p.err == nil {
		p.err = err
	}
	for i := range c.Attempts {
		p.notes(&c.Attempts[i])
	}
	if c.Clipped > 0 {
		p.printf("  host: %d results of the open round cut to head and tail\n", c.Clipped)
	}
}

func (p *printer) notes(a *chain.Attempt) {
	if a.Reason != "" {
		p.printf("  %s: %s\n", a.Strategy, a.Reason)
	}
	for _, line := range a.Account {
		p.printf("  %s: %s\n", a.Strategy, line)
	}
	if a.Pinned > 0 {
		p.printf("  %s: %d changes taken back by pins\n", a.Strategy, a.Pinned)
	}
}

func (p *printer) view(c *framework.Compaction) {
	if exchanges := c.Exchanges(); len(exchanges) > 0 {
		p.printf("\n")
		t := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', 0)
		fmt.Fprint(t, "  exchange\tmessages\ttokens\tbegins\n")
		for i := range exchanges {
			x := &exchanges[i]
			if x.Inserted {
				fmt.Fprintf(t, "  +\tinserted\t%s\t%s\n", number(x.After), x.Preview)
				continue
			}
			fmt.Fprintf(t, "  %d\t%s\t%s\t%s\n", x.Number, fate(x), change(int(x.Before), int(x.After)), x.Preview)
		}
		if err := t.Flush(); p.err == nil {
			p.err = err
		}
	}
	p.printf("\n%s: %s of %s, %d of %d messages", verdict(c), number(c.After.Tokens), tokens(c.Before.Tokens),
		c.After.Messages, c.Before.Messages)
	p.printf(" (%s not reducible), %s\n", number(c.Overhead), took(c.Duration))
}

func verdict(c *framework.Compaction) string {
	switch {
	case !c.Fits():
		return "does not fit"
	case c.Changed():
		return "compacted"
	}
	return "unchanged"
}

// fate says in a word or a few what became of an exchange's messages.
func fate(x *framework.Exchange) string {
	total := x.Kept + x.Rewritten + x.Dropped
	switch {
	case x.Dropped == total:
		return "dropped " + strconv.Itoa(total)
	case x.Kept == total:
		return "kept " + strconv.Itoa(total)
	}
	s := ""
	for _, part := range []struct {
		n    int
		what string
	}{{x.Kept, "kept"}, {x.Rewritten, "rewritten"}, {x.Dropped, "dropped"}} {
		if part.n > 0 {
			s += ", " + part.what + " " + strconv.Itoa(part.n)
		}
	}
	return s[2:]
}

func change(before, after int) string {
	if before == after {
		return number(sdk.Tokens(before))
	}
	return number(sdk.Tokens(before)) + " → " + number(sdk.Tokens(after))
}

func tokens(n sdk.Tokens) string { return number(n) + " tokens" }

// number writes a number with commas between thousands.
func number(n sdk.Tokens) string {
	s := strconv.Itoa(int(n))
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func took(d time.Duration) string {
	if d < time.Second {
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}
