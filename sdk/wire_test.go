package sdk_test

import (
	"math/rand/v2"
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
			Index: i, Role: sdk.RoleTool, Unit: r.IntN(n), Exchange: r.IntN(n) - 1,
			Tokens: sdk.Tokens(r.IntN(1e6)), Flags: sdk.Flags(r.IntN(256)), Name: text(12),
		}
		for range r.IntN(4) {
			p := sdk.Part{
				Kind: sdk.PartResult, Tool: text(12), Tokens: sdk.Tokens(r.IntN(1e6)),
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

func TestViewChunksAndJoiner(t *testing.T) {
	for seed := range uint64(25) {
		r := rand.New(rand.NewPCG(seed, 0))
		size := 1024 << r.IntN(7)
		view := randomView(r, r.IntN(30), 20_000)
		var joiner sdk.ViewJoiner
		for c := range sdk.ViewChunks(view, size) {
			// Names are not cut: they may stand over.
			if n := proto.Size(c); n > size+200 {
				t.Fatalf("seed %d: a chunk of %d bytes for %d", seed, n, size)
			}
			if err := joiner.Add(overTheWire(t, c).GetMessages()); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		got, err := joiner.View()
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if diff := cmp.Diff(view, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
	}
}

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

func TestViewChunksFillChunks(t *testing.T) {
	view := sdk.View{{Role: sdk.RoleUser, Parts: []sdk.Part{{Kind: sdk.PartText, Text: strings.Repeat("x", 1<<20)}}}}
	n := 0
	for range sdk.ViewChunks(view, sdk.ChunkBytes) {
		n++
	}
	if n != 17 {
		t.Errorf("1 MiB went into %d chunks of 64 KiB, want 17", n)
	}
}

func TestViewChunksStop(t *testing.T) {
	view := randomView(rand.New(rand.NewPCG(1, 1)), 10, 4000)
	all := 0
	for range sdk.ViewChunks(view, 1024) {
		all++
	}
	for stop := 1; stop < all; stop++ {
		n := 0
		for range sdk.ViewChunks(view, 1024) {
			if n++; n == stop {
				break
			}
		}
		if n != stop {
			t.Fatalf("%d chunks after a stop at %d", n, stop)
		}
	}
}

func TestViewChunksReplaceInvalidUTF8(t *testing.T) {
	view := sdk.View{{
		Role: sdk.RoleUser, Name: "\xff",
		Parts: []sdk.Part{{Kind: sdk.PartText, Tool: "\xfe", Text: "a\xffb", Media: []sdk.Media{{Kind: "image", Data: "\xc3"}}}},
	}}
	var joiner sdk.ViewJoiner
	for c := range sdk.ViewChunks(view, sdk.ChunkBytes) {
		if err := joiner.Add(overTheWire(t, c).GetMessages()); err != nil {
			t.Fatal(err)
		}
	}
	got, _ := joiner.View()
	want := sdk.View{{
		Role: sdk.RoleUser, Name: "\uFFFD",
		Parts: []sdk.Part{{Kind: sdk.PartText, Tool: "\uFFFD", Text: "a\uFFFDb", Media: []sdk.Media{{Kind: "image", Data: "\uFFFD"}}}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestViewJoinerRefuses(t *testing.T) {
	type m = strategyv1.Message
	type p = strategyv1.Part
	type media = strategyv1.Media
	tests := map[string]struct {
		pieces []*m
		want   string
	}{
		"another message in the middle": {
			[]*m{{Index: 1, More: true}, {Index: 2}}, "message 1 goes on as message 2",
		},
		"a part that goes on in the middle of a piece": {
			[]*m{{More: true, Parts: []*p{{More: true}, {}}}}, "message 0: a part goes on, but is not the last of a piece",
		},
		"a part that goes on after its message": {
			[]*m{{Parts: []*p{{More: true}}}}, "message 0: a part goes on, but is not the last of a piece",
		},
		"a part that does not go on": {
			[]*m{{More: true, Parts: []*p{{More: true}}}, {}}, "message 0: a part ends in the middle",
		},
		"media that goes on after its part": {
			[]*m{{Parts: []*p{{Media: []*media{{More: true}}}}}}, "message 0: media goes on, but is not the last of a piece",
		},
		"media that does not go on": {
			[]*m{{More: true, Parts: []*p{{More: true, Media: []*media{{More: true}}}}}, {Parts: []*p{{}}}},
			"message 0: media ends in the middle",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var j sdk.ViewJoiner
			if err := j.Add(test.pieces); err == nil || err.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func FuzzViewJoiner(f *testing.F) {
	for c := range sdk.ViewChunks(randomView(rand.New(rand.NewPCG(2, 2)), 5, 2000), 1024) {
		b, err := proto.Marshal(c)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c := &strategyv1.ViewChunk{}
		if proto.Unmarshal(b, c) != nil {
			return
		}
		var j sdk.ViewJoiner
		if j.Add(c.GetMessages()) != nil {
			return
		}
		if _, err := j.View(); err == nil && j.Len() > len(c.GetMessages()) {
			t.Errorf("%d messages out of %d", j.Len(), len(c.GetMessages()))
		}
	})
}

func TestFetchedFrames(t *testing.T) {
	for _, n := range []int{0, 1, 40} {
		want := randomView(rand.New(rand.NewPCG(3, 3)), n, 3000)
		var joiner sdk.ViewJoiner
		more := true
		for f := range sdk.FetchedFrames(want, 1024) {
			if !more {
				t.Fatalf("%d messages: a frame after the last", n)
			}
			more = f.GetMore()
			if err := joiner.Add(f.GetMessages()); err != nil {
				t.Fatal(err)
			}
		}
		got, err := joiner.View()
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || err != nil || more {
			t.Errorf("%d messages: more %v, error %v, %s", n, more, err, diff)
		}
	}
}

func TestResultFramesAndJoiner(t *testing.T) {
	insert := sdk.Insert{Role: sdk.RoleUser, Text: []string{"a", "b"}, Flags: sdk.FlagSummary}
	script := sdk.Script{
		{Kind: sdk.OpKeep, From: 0, To: 2},
		{Kind: sdk.OpSet, From: 2, Part: 1, As: sdk.AsStub, Text: "gone"},
		{Kind: sdk.OpInsert, Insert: &insert},
		{Kind: sdk.OpInsert, Insert: &sdk.Insert{Item: "h"}},
		{Kind: sdk.OpDrop, From: 3, To: 9},
	}
	for i := range 200 {
		script = append(script, sdk.Op{Kind: sdk.OpKeep, From: 9 + i, To: 10 + i})
	}
	tests := map[string]*sdk.Result{
		"unchanged": sdk.Unchanged("why"),
		"empty":     {},
		"all":       {Script: script, Reason: "r", Store: &sdk.Previous{Summary: "s", Record: []byte{0}}, Account: []string{"x", "y"}},
	}
	for name, want := range tests {
		for _, size := range []int{1, 100, 1 << 20} {
			var joiner sdk.ResultJoiner
			n := 0
			for f := range sdk.ResultFrames(want, size) {
				n++
				if _, err := joiner.Add(overTheWire(t, f)); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(want, joiner.Result(), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s in %d frames: %s", name, n, diff)
			}
			if name == "all" && size < 1000 && n < 2 {
				t.Errorf("size %d: one frame", size)
			}
		}
	}
}

func TestResultJoinerRefusesASecondResult(t *testing.T) {
	var j sdk.ResultJoiner
	if j.Result() != nil {
		t.Error("a result out of nothing")
	}
	if done, err := j.Add(&strategyv1.Result{}); !done || err != nil {
		t.Fatal(done, err)
	}
	if _, err := j.Add(&strategyv1.Result{}); err == nil {
		t.Error("a second result passed")
	}
}

func TestOpsOutOfRangeStayRefused(t *testing.T) {
	tests := map[string]sdk.Op{
		"negative":             {Kind: sdk.OpKeep, From: -1, To: 1},
		"beyond 32 bits":       {Kind: sdk.OpKeep, From: 0, To: 1<<32 + 1},
		"negative part":        {Kind: sdk.OpSet, From: 0, Part: -1},
		"strip":                {Kind: sdk.OpStrip, From: 0, Part: 0},
		"no kind":              {},
		"insert of no message": {Kind: sdk.OpInsert},
	}
	for name, op := range tests {
		t.Run(name, func(t *testing.T) {
			got := sdk.OpFromProto(overTheWire(t, op.Proto()))
			if got.Kind == sdk.OpSet {
				if got.Part < 1<<31 {
					t.Errorf("part %d", got.Part)
				}
				return
			}
			if _, err := (sdk.Script{got}).Apply(sdk.Originals(1)); err == nil {
				t.Errorf("%+v passes as %+v", op, got)
			}
		})
	}
}

func TestHostQuestionsCrossTheWire(t *testing.T) {
	generate := &sdk.GenerateRequest{
		Base: sdk.Base{First: 3}, Messages: []sdk.Insert{{Role: sdk.RoleUser, Text: []string{"x"}}},
		IncludeTools: true, MaxOutput: 4, Model: "m", System: "s",
	}
	usage := sdk.Usage{Input: 4, CacheRead: 3, CacheWrite: 2, Output: 1}
	generated := &sdk.GenerateResponse{Text: "t", Finish: sdk.FinishLength, Usage: usage}
	native := &sdk.NativeRequest{Mode: sdk.NativeTrigger, Base: sdk.Base{All: true}, Keep: 5}
	compacted := &sdk.NativeResponse{Items: []string{"a"}, Usage: usage}
	layer, indices := sdk.FetchFromProto(overTheWire(t, sdk.FetchProto(sdk.LayerStart, []int{4, 2})))
	for _, test := range []struct{ want, got any }{
		{generate, sdk.GenerateRequestFromProto(overTheWire(t, generate.Proto()))},
		{generated, sdk.GenerateResponseFromProto(overTheWire(t, generated.Proto()))},
		{native, sdk.NativeRequestFromProto(overTheWire(t, native.Proto()))},
		{compacted, sdk.NativeResponseFromProto(overTheWire(t, compacted.Proto()))},
		{[]sdk.Tokens{1, 2}, sdk.CountedFromProto(overTheWire(t, sdk.CountedProto([]sdk.Tokens{1, 2})))},
		{sdk.LayerStart, layer},
		{[]int{4, 2}, indices},
	} {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestMessageCrossesTheWireInOnePiece(t *testing.T) {
	for _, want := range randomView(rand.New(rand.NewPCG(4, 4)), 20, 100) {
		got := sdk.MessageFromProto(overTheWire(t, want.Proto()))
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	}
}

func TestNeedCrossesTheWire(t *testing.T) {
	for _, want := range []sdk.Need{sdk.NeedOutline, sdk.NeedText, sdk.NeedFull} {
		if got := sdk.NeedFromProto(want.Proto()); got != want {
			t.Errorf("need %d became %d", want, got)
		}
	}
	if got := sdk.NeedFromProto(sdk.Need(9).Proto()); got != sdk.NeedText {
		t.Errorf("an unknown need became %d", got)
	}
}

func TestLimitsLeftOutAreTheDefaults(t *testing.T) {
	if diff := cmp.Diff(sdk.DefaultLimits(), sdk.LimitsFromProto(nil)); diff != "" {
		t.Error(diff)
	}
	want := sdk.Limits{OpenQuestions: 1, FrameBytes: 2, ResultBytes: 3}
	if diff := cmp.Diff(want, sdk.LimitsFromProto(want.Proto())); diff != "" {
		t.Error(diff)
	}
}
