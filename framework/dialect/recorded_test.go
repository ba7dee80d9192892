package dialect_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/all"
	"github.com/compactor-host/compactor/framework/dialect/internal/dialecttest"
	"github.com/compactor-host/compactor/sdk"
)

// recorded calls f with each recorded body.
func recorded(t *testing.T, f func(t *testing.T, format dialect.Format, body []byte)) {
	dir := os.Getenv("COMPACTOR_TRANSCRIPTS")
	if dir == "" {
		t.Skip("COMPACTOR_TRANSCRIPTS names no folder of recorded bodies")
	}
	paths, err := filepath.Glob(filepath.Join(dir, "requests", "*", "*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no body in %s: %v", dir, err)
	}
	for _, path := range paths {
		folder := filepath.Base(filepath.Dir(path))
		format, ok := all.ByName(dialect.Name(folder))
		if !ok {
			t.Fatalf("%s is of no format", path)
		}
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(folder+"/"+filepath.Base(path), func(t *testing.T) { f(t, format, body) })
	}
	t.Logf("%d bodies", len(paths))
}

func TestRecordedBodiesAreParsedAndGivenBack(t *testing.T) {
	recorded(t, func(t *testing.T, format dialect.Format, body []byte) {
		v := dialecttest.Parse(t, format, string(body))
		if got := dialecttest.Render(t, v); got != string(body) {
			t.Error("not the received body")
		}
		if len(v.Messages) == 0 {
			t.Error("no messages")
		}
		if err := format.Ends(v); err != nil {
			t.Error(err)
		}
		if items := format.Settle(v); len(items) != len(v.Items) {
			t.Error("settled to something else")
		}
		for i := range v.Messages {
			for j := range v.Messages[i].Parts {
				checkChars(t, v, i, j)
			}
		}
	})
}

// checkChars holds the length that parsing counted against the text.
func checkChars(t *testing.T, v *dialect.View, i, j int) {
	p := &v.Messages[i].Parts[j]
	units := 0
	for _, r := range v.Text(i, j) {
		units++
		if r > 0xffff {
			units++
		}
	}
	if units != p.Chars && units > 0 {
		t.Errorf("message %d part %d (%s): counted %d, text has %d", i, j, p.Kind, p.Chars, units)
	}
}

// TestRecordedBodiesWithEveryPartStubbed writes all that may be written, and
// reads it back.
func TestRecordedBodiesWithEveryPartStubbed(t *testing.T) {
	recorded(t, func(t *testing.T, format dialect.Format, body []byte) {
		v := dialecttest.Parse(t, format, string(body))
		items := sdk.Originals(len(v.Messages))
		for i := range v.Messages {
			if v.Messages[i].Flags&(sdk.FlagFixed|sdk.FlagOpaque) == 0 {
				items[i].Edits = stubs(&v.Messages[i])
			}
		}
		e := dialecttest.Edit(t, v.Conversation, items)
		made := dialecttest.Render(t, e)
		noNewFindings(t, format.Name(), body, made)
		again := dialecttest.Parse(t, format, made)
		for i := range e.Messages {
			a, b := &e.Messages[i], &again.Messages[i]
			if len(a.Parts) != len(b.Parts) || a.Unit != b.Unit || a.JSONChars() != b.JSONChars() {
				t.Fatalf("message %d reads back with %d parts, unit %d, %d characters; want %d, %d, %d",
					i, len(b.Parts), b.Unit, b.JSONChars(), len(a.Parts), a.Unit, a.JSONChars())
			}
			for j := range a.Parts {
				if got, want := again.Text(i, j), e.Text(i, j); got != want {
					t.Errorf("message %d part %d reads back as %q, want %q", i, j, got, want)
				}
			}
		}
	})
}

// stubs edits each part of a message that may be edited.
func stubs(m *dialect.Message) []sdk.Edit {
	var edits []sdk.Edit
	for j := range m.Parts {
		switch m.Parts[j].Kind {
		case sdk.PartText, sdk.PartResult, sdk.PartMedia:
			edits = append(edits, sdk.Edit{Part: j, As: sdk.AsStub, Text: "[\"left\" out]\n\u65e5"})
		case sdk.PartCall:
			edits = append(edits, sdk.Edit{Part: j, As: sdk.AsInput, Text: `{"left":"out"}`})
		}
	}
	return edits
}

// TestRecordedBodiesCutAnywhere drops the first messages and proves that the
// others keep their bytes.
func TestRecordedBodiesCutAnywhere(t *testing.T) {
	recorded(t, func(t *testing.T, format dialect.Format, body []byte) {
		v := dialecttest.Parse(t, format, string(body))
		n := len(v.Messages)
		for _, from := range []int{1, n / 3, n - 1} {
			if from < 0 || from >= n {
				continue
			}
			tail := dialecttest.Edit(t, v.Conversation, sdk.Originals(n)[from:])
			want := body[v.Conversation.Messages[from].Span.From:]
			if got := dialecttest.Render(t, tail); !bytes.HasSuffix([]byte(got), want) {
				t.Errorf("cut at %d of %d: the rest changed", from, n)
			}
		}
	})
}

// TestRecordedBodiesWithoutTheirOldestUnits puts a note in the place of the
// first units, and proves that no rule of the provider is broken by it.
func TestRecordedBodiesWithoutTheirOldestUnits(t *testing.T) {
	note := sdk.Item{Source: -1, Insert: &sdk.Insert{Role: sdk.RoleUser, Text: []string{"So far: much."}, Flags: sdk.FlagCheckpoint}}
	recorded(t, func(t *testing.T, format dialect.Format, body []byte) {
		v := dialecttest.Parse(t, format, string(body))
		last := v.Messages[len(v.Messages)-1].Unit
		for _, first := range []int{last / 3, last / 2, last} {
			var items []sdk.Item
			noted := false
			for i := range v.Messages {
				switch m := &v.Messages[i]; {
				case m.Unit >= first || m.Flags&(sdk.FlagFixed|sdk.FlagOpaque) != 0:
					items = append(items, sdk.Item{Source: i})
				case !noted:
					items, noted = append(items, note), true
				}
			}
			e := dialecttest.Edit(t, v.Conversation, items)
			e = dialecttest.Edit(t, v.Conversation, format.Settle(e))
			if err := format.Ends(e); err != nil {
				t.Errorf("from unit %d on: %v", first, err)
			}
			noNewFindings(t, format.Name(), body, dialecttest.Render(t, e))
		}
	})
}

func noNewFindings(t *testing.T, name dialect.Name, received []byte, made string) {
	t.Helper()
	for _, f := range dialect.NewFindings(dialect.Check(name, received), dialect.Check(name, []byte(made))) {
		t.Errorf("%s: %s: %s", f.Place, f.Rule, f.Message)
	}
}
