package dialect_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/all"
	"github.com/compactor-host/compactor/framework/dialect/openaichat"
	"github.com/compactor-host/compactor/sdk"
	"github.com/compactor-host/compactor/sdk/strategytest"
)

// sketchOptions compare sketches of one body: the same in all but what they
// called fresh.
var sketchOptions = cmp.Options{
	cmpopts.IgnoreFields(dialect.Sketch{}, "Fresh", "Body"), cmpopts.IgnoreUnexported(dialect.Message{}), cmpopts.EquateEmpty(),
}

// checkSketch proves of a body that Sketch takes it exactly if Parse does, and
// says the same of it; and that it makes no difference how many of its elements
// were known.
func checkSketch(t testing.TB, format dialect.Format, body []byte) {
	t.Helper()
	c, wrong := format.Parse(body)
	s, err := format.Sketch(body, nil)
	if fmt.Sprint(err) != fmt.Sprint(wrong) {
		t.Fatalf("%s: sketched with %v, parsed with %v: %s", format.Name(), err, wrong, body)
	}
	if err != nil {
		return
	}
	if diff := cmp.Diff(c.Head, s.Head, sketchOptions); diff != "" || s.List != c.List || s.Len() != len(c.Messages) {
		t.Fatalf("%s: list at %v of %d, want %v of %d; head: %s", format.Name(), s.List, s.Len(), c.List, len(c.Messages), diff)
	}
	for i := range c.Messages {
		if s.Span(i) != c.Messages[i].Span {
			t.Fatalf("%s: element %d at %v, want %v", format.Name(), i, s.Span(i), c.Messages[i].Span)
		}
		checkFresh(t, s, i)
	}
	step := max(1, s.Len()/8)
	for n := 0; n <= s.Len(); n += step {
		checkKnown(t, s, s.Known(n), body)
	}
	checkKnown(t, s, s.Known(s.Len()), body)
}

// checkKnown proves that a sketch from a known beginning on is the sketch of
// the whole.
func checkKnown(t testing.TB, whole *dialect.Sketch, known *dialect.Known, body []byte) {
	t.Helper()
	s, err := whole.Format.Sketch(body, known)
	if err != nil {
		t.Fatalf("%s: from %+v on: %v", whole.Format.Name(), known, err)
	}
	if diff := cmp.Diff(without(whole), without(s), sketchOptions); diff != "" || !slices.Equal(whole.Ends, s.Ends) {
		t.Fatalf("%s: from %+v on: %s", whole.Format.Name(), known, diff)
	}
	if fresh := whole.Fresh[s.First():]; !reflect.DeepEqual(fresh, s.Fresh) && !cmp.Equal(fresh, s.Fresh, sketchOptions) {
		diff := cmp.Diff(fresh, s.Fresh, sketchOptions)
		t.Fatalf("%s: from %+v on: %s", whole.Format.Name(), known, diff)
	}
	if known != nil && s.First() != len(known.Ends) {
		t.Fatalf("%s: read from %d on, known were %d", whole.Format.Name(), s.First(), len(known.Ends))
	}
}

// without leaves out of a sketch the offsets, which cmp is slow to compare.
func without(s *dialect.Sketch) dialect.Sketch {
	c := *s
	c.Ends = nil
	return c
}

// checkFresh holds a fresh message against the same element read by itself.
func checkFresh(t testing.TB, s *dialect.Sketch, i int) {
	t.Helper()
	want, err := s.Format.Element(s.Raw(i))
	if err != nil {
		t.Fatal(err)
	}
	want = moved(want, s.Span(i).From)
	want.Span, want.Source, want.Body = s.Span(i), i, nil
	if reflect.DeepEqual(want, s.Fresh[i]) {
		return // cmp would take its time, and some bodies have thousands
	}
	if diff := cmp.Diff(want, s.Fresh[i], sketchOptions); diff != "" {
		t.Fatalf("%s: element %d: %s", s.Format.Name(), i, diff)
	}
}

// moved returns the message with its spans moved by an offset; spans of what is
// not there stay empty.
func moved(m dialect.Message, by int) dialect.Message {
	move := func(s dialect.Span) dialect.Span {
		if s.Len() == 0 {
			return s
		}
		return dialect.Span{From: s.From + by, To: s.To + by}
	}
	m.Content = move(m.Content)
	m.Parts = slices.Clone(m.Parts)
	for i := range m.Parts {
		p := &m.Parts[i]
		p.Element, p.Value = move(p.Element), move(p.Value)
		p.Texts, p.Media = slices.Clone(p.Texts), slices.Clone(p.Media)
		for j := range p.Texts {
			p.Texts[j] = move(p.Texts[j])
		}
		for j := range p.Media {
			p.Media[j].Source = move(p.Media[j].Source)
		}
	}
	return m
}

func TestSketchOfGeneratedBodies(t *testing.T) {
	for seed := range uint64(24) {
		rng := rand.New(rand.NewPCG(seed, 3))
		talk := strategytest.Generate(rng, strategytest.Shape{Exchanges: 1 + rng.IntN(4), With: strategytest.Feature(rng.Uint32()) & small})
		before := map[dialect.Name]*dialect.Sketch{}
		for _, format := range all.All() {
			body := talk.Body(string(format.Name()))
			checkSketch(t, format, body)
			before[format.Name()], _ = format.Sketch(body, nil)
		}
		talk.Grow(rng, 1)
		for _, format := range all.All() {
			checkGrown(t, before[format.Name()], talk.Body(string(format.Name())))
		}
	}
}

// checkGrown reads a body with what an earlier one, that is now longer, tells
// of it.
func checkGrown(t *testing.T, before *dialect.Sketch, body []byte) {
	if before == nil {
		return
	}
	whole, err := before.Format.Sketch(body, nil)
	if err != nil {
		return // a hostile message has come
	}
	n := 0
	for i := range before.Len() {
		if to := before.Span(i).To; to <= len(body) && bytes.Equal(before.Body[:to], body[:to]) {
			n = i + 1
		}
	}
	checkKnown(t, whole, before.Known(n), body)
}

func TestSketchOfSeeds(t *testing.T) {
	bodies := append(seeds(),
		``, ` `, `[]`, `{}`, `null`, `{"messages":[]}`, `{"messages":[],"messages":[]}`, `{"input":null}`, `{"input":"a","input":[]}`,
		`{"input" : "a" , "model":"m"}`, `{"input":7}`, `{"messages":[{"role":"user","content":"a"},]}`,
		`{"messages":[{"role":"user","content":"a"} {"role":"user","content":"b"}]}`,
		`{"messages":[{"role":"user","content":"a"}] "x":1}`, `{"messages":[{"role":"user","content":"a"}],}`,
		`{"messages":[{"role":"user","content":"a"}]} x`, `{"messages":[{"role":"user","content":"a"}]`,
		`{"x":1,"x":2,"messages":[ {"role":"user","content":"a"} , {"role":"user","content":"b"} ],"x":3,"stream":true}`,
	)
	for _, body := range bodies {
		for _, format := range all.All() {
			checkSketch(t, format, []byte(body))
		}
	}
}

func TestSketchOfRecordedBodies(t *testing.T) {
	recorded(t, func(t *testing.T, format dialect.Format, body []byte) { checkSketch(t, format, body) })
}

// TestSketchWithKeysBehindTheList reads what follows the list anew each time,
// also a second set of tools.
func TestSketchWithKeysBehindTheList(t *testing.T) {
	const begin = `{"functions":[{"name":"f"}],"stream":true,"messages":[{"role":"user","content":"a"}`
	first, err := openaichat.Format{}.Sketch([]byte(begin+`],"tools":[{"name":"g"}],"model":"one","max_tokens":7}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	known := first.Known(1)
	for _, tt := range []struct {
		rest, model string
		tools       int
		limit       sdk.Tokens
	}{
		{`],"tools":[{"name":"h"},{"name":"i"}],"model":"two"}`, "two", 3, 0},
		{`,{"role":"assistant","content":"b"}],"max_completion_tokens":9}`, "", 1, 9},
		{`],"tools":[{"name":"g"}],"model":"one","max_tokens":7}`, "one", 2, 7},
	} {
		s, err := openaichat.Format{}.Sketch([]byte(begin+tt.rest), known)
		if err != nil {
			t.Fatal(err)
		}
		if s.Model != tt.model || len(s.Tools) != tt.tools || s.MaxOutput != tt.limit || !s.Stream {
			t.Errorf("%s: got %q, %d tools, limit %d, stream %t", tt.rest, s.Model, len(s.Tools), s.MaxOutput, s.Stream)
		}
	}
	for _, rest := range []string{`],"stream":true}`, `],"functions":[]}`, `],"messages":[]}`, `,]}`, `]`, `]}}`, ``} {
		whole, wrong := openaichat.Format{}.Sketch([]byte(begin+rest), nil)
		s, err := openaichat.Format{}.Sketch([]byte(begin+rest), known)
		if err == nil || fmt.Sprint(err) != fmt.Sprint(wrong) || s != whole {
			t.Errorf("%q: %v, the whole is %v", rest, err, wrong)
		}
	}
}

// TestKnownSurvivesItsUse reads two bodies with one beginning: nothing of the
// first may be found in the second.
func TestKnownSurvivesItsUse(t *testing.T) {
	const begin = `{"tools":[{"name":"f"}],"messages":[{"role":"user","content":"a"}`
	first, err := openaichat.Format{}.Sketch([]byte(begin+`]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	known := first.Known(1)
	one, errOne := openaichat.Format{}.Sketch([]byte(begin+`,{"role":"user","content":"b"}],"functions":[{"name":"one"}],"model":"m"}`), known)
	two, errTwo := openaichat.Format{}.Sketch([]byte(begin+`],"functions":[{"name":"two"}],"n":2}`), known)
	if errOne != nil || errTwo != nil {
		t.Fatal(errOne, errTwo)
	}
	if one.Len() != 2 || len(one.Users) != 2 || one.Tools[1].Tool != "one" || one.Member("model").Len() == 0 || one.Member("n").Len() > 0 {
		t.Errorf("the first body changed: %+v", one)
	}
	if two.Len() != 1 || len(two.Users) != 1 || two.Tools[1].Tool != "two" || two.Member("model").Len() > 0 {
		t.Errorf("the second body: %+v", two)
	}
	if short := one.Known(2).Prefix(1); !cmp.Equal(short, known) {
		t.Errorf("a shorter beginning: %s", cmp.Diff(known, short))
	}
	if first.Known(0) != nil || known.Prefix(0) != nil || (*dialect.Known)(nil).Prefix(3) != nil {
		t.Error("something is known of nothing")
	}
}

// FuzzSketch reads bodies whole, and what the second argument makes of the end
// of one from each of its elements on.
func FuzzSketch(f *testing.F) {
	for _, s := range seeds() {
		f.Add([]byte(s), []byte(`]}`))
		f.Add([]byte(s), []byte(`,{"role":"user","content":"x"}],"tools":[]}`))
	}
	f.Fuzz(func(t *testing.T, body, rest []byte) {
		for _, format := range all.All() {
			checkSketch(t, format, body)
			s, err := format.Sketch(body, nil)
			if err != nil {
				continue
			}
			known := s.Known(s.Len() / 2)
			if known == nil {
				continue
			}
			other := append(bytes.Clone(body[:known.To]), rest...)
			whole, wrong := format.Sketch(other, nil)
			_, err = format.Sketch(other, known)
			if fmt.Sprint(err) != fmt.Sprint(wrong) {
				t.Fatalf("%s: %v, the whole is %v: %s", format.Name(), err, wrong, other)
			}
			if err == nil {
				checkKnown(t, whole, known, other)
			}
		}
	})
}
