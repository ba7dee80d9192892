package sdk_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"

	"github.com/compactor-host/compactor/sdk"
	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

// randomView makes n messages with texts and media data of up to size bytes.
func randomView(r *rand.Rand, n, size int) sdk.View {
	text := func(size int) string {
		letters := []rune("abc éß 漢字 😀\n\"")
		var b strings.Builder
		for range r.IntN(size + 1) {
			b.WriteRune(letters[r.IntN(len(letters))])
		}
		return b.String()
	}
	v := make(sdk.View, n)
	for i := range v {
		m := sdk.Message{
			Index: i, Role: pick(r, sdk.RoleSystem, sdk.RoleUser, sdk.RoleAssistant, sdk.RoleTool), Unit: r.IntN(n), Exchange: r.IntN(n) - 1,
			Tokens: sdk.Tokens(r.IntN(1e6)), Flags: sdk.Flags(r.IntN(256)), Name: text(12),
		}
		for range r.IntN(4) {
			p := sdk.Part{
				Kind: pick(r, sdk.PartText, sdk.PartReasoning, sdk.PartCall, sdk.PartResult, sdk.PartMedia, sdk.PartOther), Tool: text(12), Tokens: sdk.Tokens(r.IntN(1e6)),
				Error: r.IntN(2) == 0, Stub: r.IntN(2) == 0, Text: text(r.IntN(size + 1)),
			}
			for range r.IntN(3) {
				p.Media = append(p.Media, sdk.Media{
					Kind: "image", Type: "image/png", Name: text(12), Size: r.IntN(1e9), Data: text(r.IntN(size + 1)),
				})
			}
			m.Parts = append(m.Parts, p)
		}
		v[i] = m
	}
	return v
}

// pick returns one of the values.
func pick[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

// overTheWire encodes and decodes a frame.
func overTheWire[M proto.Message](t *testing.T, m M) M {
	t.Helper()
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	out := m.ProtoReflect().New().Interface()
	if err := proto.Unmarshal(b, out); err != nil {
		t.Fatal(err)
	}
	return out.(M)
}

// joined is the view that comes out of the frames of a view.
func joined(t *testing.T, view sdk.View, size int) (sdk.View, error) {
	t.Helper()
	var joiner sdk.ViewJoiner
	for f := range sdk.ViewFrames(view, size) {
		// Names are not cut: they may stand over.
		if n := proto.Size(f); n > size+200 {
			t.Errorf("a frame of %d bytes for %d", n, size)
		}
		addFrame(&joiner, overTheWire(t, f))
	}
	return joiner.View()
}

func addFrame(j *sdk.ViewJoiner, f *strategyv1.FromHost) {
	if o := f.GetOutline(); o != nil {
		j.AddOutline(o)
	}
	if c := f.GetContent(); c != nil {
		j.AddContent(c)
	}
}

func TestViewFramesAndJoiner(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 0))
		size := 1024 << r.IntN(7)
		view := randomView(r, r.IntN(200), 5_000)
		if seed%3 == 0 { // an outline
			for i := range view {
				for j := range view[i].Parts {
					view[i].Parts[j].Text = ""
				}
			}
		}
		got, err := joined(t, view, size)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if diff := cmp.Diff(view, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
	}
}

// What a view does not have takes no room.
func TestOutlineLeavesColumnsOut(t *testing.T) {
	view := make(sdk.View, 2000)
	for i := range view {
		view[i] = sdk.Message{
			Index: i, Role: sdk.RoleUser, Unit: i, Exchange: i, Tokens: 100,
			Parts: []sdk.Part{{Kind: sdk.PartText, Tokens: 96}},
		}
	}
	frames := slices.Collect(sdk.ViewFrames(view, sdk.ChunkBytes))
	if len(frames) != 1 {
		t.Fatalf("%d frames", len(frames))
	}
	if n := proto.Size(frames[0]) / len(view); n > 7 {
		t.Errorf("%d bytes for each message", n)
	}
}

// Parts, media and strings beyond any frame come in frames all the same.
func TestOutlineOfManyRowsIsCut(t *testing.T) {
	part := sdk.Part{Kind: sdk.PartCall, Tokens: 1 << 40, Media: make([]sdk.Media, 3)}
	tests := map[string]func(i int) sdk.Message{
		"parts":   func(i int) sdk.Message { return sdk.Message{Index: i, Parts: slices.Repeat([]sdk.Part{part}, 40)} },
		"strings": func(i int) sdk.Message { return sdk.Message{Index: i, Name: fmt.Sprint(i, strings.Repeat("x", 900))} },
		"same":    func(int) sdk.Message { return sdk.Message{} },
		"indices": func(i int) sdk.Message { return sdk.Message{Index: 1<<32 - 2 - i, Unit: i % 2 << 30, Exchange: -i} },
	}
	for name, message := range tests {
		t.Run(name, func(t *testing.T) {
			view := make(sdk.View, 100)
			for i := range view {
				view[i] = message(i)
				view[i].Role = sdk.RoleAssistant
			}
			got, err := joined(t, view, 1024)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(view, got, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestViewFramesFillFrames(t *testing.T) {
	view := sdk.View{{Role: sdk.RoleUser, Parts: []sdk.Part{{Kind: sdk.PartText, Text: strings.Repeat("x", 1<<20)}}}}
	n := 0
	for range sdk.ViewFrames(view, sdk.ChunkBytes) {
		n++
	}
	if n != 18 {
		t.Errorf("an outline and 1 MiB went into %d frames of 64 KiB, want 18", n)
	}
}

func TestViewFramesStop(t *testing.T) {
	view := randomView(rand.New(rand.NewPCG(1, 1)), 100, 4000)
	all := 0
	for range sdk.ViewFrames(view, 1024) {
		all++
	}
	for stop := 1; stop < all; stop++ {
		n := 0
		for range sdk.ViewFrames(view, 1024) {
			if n++; n == stop {
				break
			}
		}
		if n != stop {
			t.Fatalf("%d frames after a stop at %d", n, stop)
		}
	}
}

func TestViewFramesReplaceInvalidUTF8(t *testing.T) {
	view := sdk.View{{
		Role: sdk.RoleUser, Name: "\xff",
		Parts: []sdk.Part{{Kind: sdk.PartText, Tool: "\xfe", Text: "a\xffb", Media: []sdk.Media{{Kind: "image", Data: "\xc3"}}}},
	}}
	got, err := joined(t, view, sdk.ChunkBytes)
	if err != nil {
		t.Fatal(err)
	}
	want := sdk.View{{
		Role: sdk.RoleUser, Name: "\uFFFD",
		Parts: []sdk.Part{{Kind: sdk.PartText, Tool: "\uFFFD", Text: "a\uFFFDb", Media: []sdk.Media{{Kind: "image", Data: "\uFFFD"}}}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A strategy may append to the parts of a message without writing into the
// next one.
func TestPartsOfAViewHaveNoRoomBehindThem(t *testing.T) {
	part := sdk.Part{Kind: sdk.PartText, Media: []sdk.Media{{Kind: "image"}}}
	got, err := joined(t, sdk.View{{Parts: []sdk.Part{part}}, {Index: 1, Parts: []sdk.Part{part}}}, sdk.ChunkBytes)
	if err != nil {
		t.Fatal(err)
	}
	_ = append(got[0].Parts, sdk.Part{Tool: "other"})
	_ = append(got[0].Parts[0].Media, sdk.Media{Kind: "other"})
	if p := got[1].Parts[0]; p.Tool != "" || p.Media[0].Kind != "image" {
		t.Errorf("the next part is %+v", p)
	}
}

func TestViewJoinerRefuses(t *testing.T) {
	roles, kinds := make([]strategyv1.Role, 2), make([]strategyv1.PartKind, 2)
	whole := func() *strategyv1.Outline {
		return &strategyv1.Outline{Roles: roles, Parts: []uint32{2, 0}, Kinds: kinds, MediaParts: []uint32{0}}
	}
	with := func(f func(*strategyv1.Outline)) *strategyv1.Outline {
		o := whole()
		f(o)
		return o
	}
	at := func(part, media uint32) *strategyv1.Content {
		return &strategyv1.Content{Parts: []uint32{part}, Media: []uint32{media}, Texts: []string{"x"}}
	}
	tests := map[string]struct {
		outline  *strategyv1.Outline
		contents []*strategyv1.Content
		want     string
	}{
		"long column of messages": {
			with(func(o *strategyv1.Outline) { o.Units = make([]int32, 3) }), nil, "the column units has 3 entries, not 2",
		},
		"short column of parts": {
			with(func(o *strategyv1.Outline) { o.PartMarks = []uint32{1} }), nil, "the column part_marks has 1 entries, not 2",
		},
		"long column of media": {
			with(func(o *strategyv1.Outline) { o.MediaSizes = []uint64{1, 1} }), nil, "the column media_sizes has 2 entries, not 1",
		},
		"missing parts": {
			with(func(o *strategyv1.Outline) { o.Parts[1] = 1 }), nil, "the messages have 3 parts, but 2 came",
		},
		"parts beyond all numbers": {
			with(func(o *strategyv1.Outline) { o.Parts = []uint32{1<<32 - 1, 3} }), nil, "the messages have 4294967298 parts, but 2 came",
		},
		"parts of no message": {
			with(func(o *strategyv1.Outline) { o.Parts = nil }), nil, "the messages have 0 parts, but 2 came",
		},
		"string that is not there": {
			with(func(o *strategyv1.Outline) { o.Tools, o.Strings = []uint32{0, 2}, []string{"", "a"} }), nil, "string 2 is not in the table of 2",
		},
		"media of no part": {
			with(func(o *strategyv1.Outline) { o.MediaParts[0] = 2 }), nil, "media does not follow the order of the parts",
		},
		"media out of order": {
			with(func(o *strategyv1.Outline) { o.MediaParts = []uint32{1, 0} }), nil, "media does not follow the order of the parts",
		},
		"media without parts": {
			&strategyv1.Outline{MediaParts: []uint32{0}}, nil, "media does not follow the order of the parts",
		},
		"text of no part":         {whole(), []*strategyv1.Content{at(2, 0)}, "a text for part 2 of 2"},
		"text without an outline": {nil, []*strategyv1.Content{at(0, 0)}, "a text for part 0 of 0"},
		"data of no media":        {whole(), []*strategyv1.Content{at(0, 2)}, "data for media 2 of 1 in part 0"},
		"text that comes twice":   {whole(), []*strategyv1.Content{at(0, 0), at(1, 0), at(0, 0)}, "a text came twice"},
		"text without a place": {
			whole(), []*strategyv1.Content{{Parts: []uint32{0}, Texts: []string{"x"}}}, "1 texts for 1 parts and 0 media",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var j sdk.ViewJoiner
			if test.outline != nil {
				j.AddOutline(test.outline)
			}
			for _, c := range test.contents {
				j.AddContent(c)
			}
			if _, err := j.View(); err == nil || err.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func FuzzViewJoiner(f *testing.F) {
	var seed [][]byte // an outline and its contents
	for frame := range sdk.FetchedFrames(randomView(rand.New(rand.NewPCG(2, 2)), 5, 60), sdk.ChunkBytes) {
		b, err := proto.Marshal(frame)
		if err != nil {
			f.Fatal(err)
		}
		seed = append(seed, b)
	}
	f.Add(seed[0], seed[1])
	f.Fuzz(func(t *testing.T, outline, content []byte) {
		var o, c strategyv1.Fetched
		if proto.Unmarshal(outline, &o) != nil || proto.Unmarshal(content, &c) != nil {
			return
		}
		var j sdk.ViewJoiner
		if o.GetOutline() != nil {
			j.AddOutline(o.GetOutline())
		}
		if c.GetContent() != nil {
			j.AddContent(c.GetContent())
		}
		if v, err := j.View(); err == nil && len(v) != len(o.GetOutline().GetRoles()) {
			t.Errorf("%d messages out of %d", len(v), len(o.GetOutline().GetRoles()))
		}
	})
}

func TestFetchedFrames(t *testing.T) {
	for _, n := range []int{0, 1, 40} {
		want := randomView(rand.New(rand.NewPCG(3, 3)), n, 3000)
		for i := range want {
			want[i].Index = 100 - 2*i // as it was asked for
		}
		var joiner sdk.ViewJoiner
		more := true
		for f := range sdk.FetchedFrames(want, 1024) {
			if !more {
				t.Fatalf("%d messages: a frame after the last", n)
			}
			more = f.GetMore()
			if f.GetOutline() != nil {
				joiner.AddOutline(f.GetOutline())
			}
			if f.GetContent() != nil {
				joiner.AddContent(f.GetContent())
			}
		}
		got, err := joiner.View()
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || err != nil || more {
			t.Errorf("%d messages: more %v, error %v, %s", n, more, err, diff)
		}
	}
}
