package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/compactor-host/compactor/framework"
	"github.com/compactor-host/compactor/framework/chain"
)

// writeReport tells a person why the chain ran, what each step did, and what
// the view is, or that there is none because of an error.
func writeReport(w io.Writer, name string, c *framework.Compaction, failed error) error {
	p := &printer{w: w, width: columns(w)}
	p.printf("%s: %s", name, c.Dialect)
	if c.Model != "" {
		p.printf(", model %s", oneLine(c.Model))
	}
	p.printf(", chain %q\n%s\n", c.Chain, why(c))
	if c.Overhead > 0 {
		p.printf("%s of them are system and tools, which no step reduces\n", number(c.Overhead))
	}
	for _, warning := range c.Warnings {
		p.printf("warning: %s\n", warning)
	}
	p.steps(c)
	p.exchanges(c)
	p.printf("\n%s\n", verdict(c, failed))
	return p.err
}

// printer remembers the first error of a series of writes.
type printer struct {
	w     io.Writer
	width int
	err   error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func (p *printer) table(rows [][]string) {
	p.printf("\n")
	if p.err == nil {
		p.err = table(p.w, "  ", p.width, rows)
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
		return fmt.Sprintf("not due: %s, and no limit is known (--max-tokens, --window)", size)
	}
	return fmt.Sprintf("not due: %s, the ceiling is %s", size, number(c.Ceiling))
}

func (p *printer) steps(c *framework.Compaction) {
	if len(c.Attempts) == 0 {
		return
	}
	rows := [][]string{{"step", "outcome", "tokens", "messages", "time"}}
	for i := range c.Attempts {
		a := &c.Attempts[i]
		rows = append(rows, []string{
			fmt.Sprintf("%d %s %s", a.Step+1, a.Strategy, a.Version), string(a.Outcome),
			change(a.Before.Tokens, a.After.Tokens), change(a.Before.Messages, a.After.Messages), took(a.Duration),
		})
	}
	p.table(rows)
	for i := range c.Attempts {
		p.notes(&c.Attempts[i])
	}
	if c.Clipped > 0 {
		p.note("host", fmt.Sprintf("%d results of the open round cut to head and tail", c.Clipped))
	}
}

func (p *printer) notes(a *chain.Attempt) {
	if a.Reason != "" {
		p.note(a.Strategy, brief(a.Reason))
	}
	for i, line := range a.Account {
		if i == briefLines {
			p.note(a.Strategy, fmt.Sprintf("… (%d more)", len(a.Account)-i))
			break
		}
		p.note(a.Strategy, brief(line))
	}
	if a.Pinned > 0 {
		p.note(a.Strategy, fmt.Sprintf("%d changes taken back by pins", a.Pinned))
	}
}

// note writes what somebody says, over as many lines as it takes.
func (p *printer) note(who, text string) {
	const indent = "    "
	lines := wrap(who+": "+printable(text), p.width-len(indent))
	p.printf("  %s\n", strings.Join(lines, "\n"+indent))
}

// exchanges tells how many messages of each exchange were kept, rewritten and
// dropped.
func (p *printer) exchanges(c *framework.Compaction) {
	exchanges := c.Exchanges()
	if len(exchanges) == 0 {
		return
	}
	rows := [][]string{{"exchange", "kept", "rewritten", "dropped", "tokens", "begins"}}
	for i := range exchanges {
		x := &exchanges[i]
		if x.Inserted {
			rows = append(rows, []string{"inserted", "", "", "", number(x.After), x.Preview})
			continue
		}
		rows = append(rows, []string{
			strconv.Itoa(x.Number), orNothing(x.Kept), orNothing(x.Rewritten), orNothing(x.Dropped),
			change(x.Before, x.After), x.Preview,
		})
	}
	p.table(rows)
}

// verdict is the last line.
func verdict(c *framework.Compaction, failed error) string {
	word := "unchanged"
	switch {
	case failed != nil:
		return fmt.Sprintf("failed: nothing was compacted, %s", took(c.Duration))
	case !c.Fits():
		word = "does not fit"
	case c.Changed():
		word = "compacted"
	}
	return fmt.Sprintf("%s: %s of %s, %s of %s messages, %s", word, number(c.After.Tokens), tokens(c.Before.Tokens),
		number(c.After.Messages), number(c.Before.Messages), took(c.Duration))
}
