// Package dialecttest describes conversations and views in a line per message,
// for tests of the formats.
package dialecttest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/sdk"
)

// Parse reads a body that must be understood, and returns the unedited view.
func Parse(t testing.TB, f dialect.Format, body string) *dialect.View {
	t.Helper()
	c, err := f.Parse([]byte(body))
	if err != nil {
		t.Fatalf("parse %s: %v", body, err)
	}
	return Edit(t, c, nil)
}

// Edit makes a view that must be possible.
func Edit(t testing.TB, c *dialect.Conversation, items []sdk.Item) *dialect.View {
	t.Helper()
	v, err := c.View(items)
	if err != nil {
		t.Fatalf("view: %v", err)
	}
	return v
}

// Render writes a view that can be written.
func Render(t testing.TB, v *dialect.View) string {
	t.Helper()
	b, err := v.Render()
	if err != nil {
		t.Fatalf("render: %v", err)
	}
	return string(b)
}

// Kept returns the items of the messages with the given indices.
func Kept(indices ...int) []sdk.Item {
	items := make([]sdk.Item, len(indices))
	for i, src := range indices {
		items[i].Source = src
	}
	return items
}

var classes = map[dialect.Class]string{
	dialect.ClassUser: "user", dialect.ClassModel: "model", dialect.ClassResult: "result",
	dialect.ClassSystem: "system", dialect.ClassConfig: "config", dialect.ClassUnknown: "unknown",
}

var flags = []struct {
	flag sdk.Flags
	name string
}{
	{sdk.FlagFixed, "fixed"},
	{sdk.FlagOpenRound, "open"},
	{sdk.FlagRequest, "request"},
	{sdk.FlagOpaque, "opaque"},
	{sdk.FlagCheckpoint, "checkpoint"},
	{sdk.FlagSummary, "summary"},
	{sdk.FlagMarker, "marker"},
}

// Structure describes how the messages are grouped: class, unit and exchange,
// and the flags.
func Structure(v *dialect.View) []string {
	out := make([]string, len(v.Messages))
	for i := range v.Messages {
		m := &v.Messages[i]
		out[i] = fmt.Sprintf("%s %d/%d", classes[m.Class], m.Unit, m.Exchange)
		for _, f := range flags {
			if m.Flags.Has(f.flag) {
				out[i] += " " + f.name
			}
		}
	}
	return out
}

// Content describes what the messages hold: role and name, calls and results,
// and each part as Part does.
func Content(v *dialect.View) []string {
	out := make([]string, len(v.Messages))
	for i := range v.Messages {
		m := &v.Messages[i]
		var b strings.Builder
		b.WriteString(string(m.Role))
		if m.Name != "" {
			b.WriteString(" " + m.Name)
		}
		for _, id := range m.Calls {
			b.WriteString(" >" + id)
		}
		for _, id := range m.Results {
			b.WriteString(" <" + id)
		}
		for j := range m.Parts {
			b.WriteString(" | " + Part(&m.Parts[j], v.Text(i, j)))
		}
		out[i] = b.String()
	}
	return out
}

// Part describes a part: kind, tool, length, error and stub, its text, and the
// media in it.
func Part(p *dialect.Part, text string) string {
	var b strings.Builder
	b.WriteString(string(p.Kind))
	if p.Tool != "" {
		b.WriteString("(" + p.Tool + ")")
	}
	if p.Error {
		b.WriteString(" error")
	}
	if p.Stub {
		b.WriteString(" stub")
	}
	fmt.Fprintf(&b, " %d", p.Chars)
	if text != "" {
		fmt.Fprintf(&b, " %q", text)
	}
	for _, m := range p.Media {
		fmt.Fprintf(&b, " +%s %s %s %d", m.Kind, m.Type, m.Name, m.Size)
	}
	return b.String()
}
