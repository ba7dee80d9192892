package sdk_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"

	"github.com/compactor-host/compactor/sdk"
	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

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
			got, err := sdk.ScriptFromProto(overTheWire(t, sdk.Script{op}.Proto()))
			if err != nil || len(got) != 1 {
				t.Fatal(got, err)
			}
			if got[0].Kind == sdk.OpSet {
				if got[0].Part < 1<<31 {
					t.Errorf("part %d", got[0].Part)
				}
				return
			}
			if _, err := got.Apply(sdk.Originals(1)); err == nil {
				t.Errorf("%+v passes as %+v", op, got)
			}
		})
	}
}

func TestScriptFromProtoRefusesShortColumns(t *testing.T) {
	script := sdk.Script{
		{Kind: sdk.OpKeep, To: 1},
		{Kind: sdk.OpSet, From: 1, As: sdk.AsText, Text: "x"},
		{Kind: sdk.OpInsert, Insert: &sdk.Insert{Role: sdk.RoleUser, Text: []string{"y"}}},
	}
	for name, cut := range map[string]func(*strategyv1.Script){
		"at":      func(p *strategyv1.Script) { p.At = p.At[1:] },
		"to":      func(p *strategyv1.Script) { p.To = nil },
		"parts":   func(p *strategyv1.Script) { p.Parts = nil },
		"forms":   func(p *strategyv1.Script) { p.Forms = append(p.Forms, 0) },
		"texts":   func(p *strategyv1.Script) { p.Texts = nil },
		"inserts": func(p *strategyv1.Script) { p.Inserts = nil },
	} {
		t.Run(name, func(t *testing.T) {
			p := script.Proto()
			cut(p)
			if _, err := sdk.ScriptFromProto(p); err == nil || !strings.Contains(err.Error(), "the column "+name) {
				t.Errorf("error %v", err)
			}
			if _, err := new(sdk.ResultJoiner).Add(&strategyv1.Result{Script: p}); err == nil {
				t.Error("the joiner took it")
			}
		})
	}
}

func FuzzScriptFromProto(f *testing.F) {
	b, err := proto.Marshal(sdk.Script{{Kind: sdk.OpKeep, To: 1}, {Kind: sdk.OpSet, From: 1, Text: "x"}}.Proto())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		p := &strategyv1.Script{}
		if proto.Unmarshal(b, p) != nil {
			return
		}
		if s, err := sdk.ScriptFromProto(p); err == nil && len(s) != len(p.GetKinds()) {
			t.Errorf("%d operations out of %d", len(s), len(p.GetKinds()))
		}
	})
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
