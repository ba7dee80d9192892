package sdk_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/compactor-host/compactor/sdk"
	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

var update = flag.Bool("update", false, "write what is seen into testdata")

// TestConversation plays the host's half of each file in testdata/frames and
// compares what the plugin says. A file has one line per frame, in order:
//
//	# a comment
//	host {…}        a frame from the host
//	host raw 7a00   the same in bytes, for what JSON cannot say
//	host close      the host sends no more
//	host cancel     the stream's context ends
//	host step       nothing is sent; the strategy goes on from its next step
//	plugin {…}      a frame from the plugin
//	end ok          how the stream ended: ok, or the error
//
// After each line of the host the plugin is left alone until it waits again,
// so that a file also tells what the plugin does not say yet. The strategy is
// the one that scripted has under the file's name.
func TestConversation(t *testing.T) {
	files, err := filepath.Glob("testdata/frames/*.txt")
	if err != nil || len(files) != len(scripted) {
		t.Fatalf("%d conversations for %d strategies (%v)", len(files), len(scripted), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(name, func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			strategy, ok := scripted[name]
			if !ok {
				t.Fatalf("no strategy for %s", file)
			}
			var got string
			synctest.Test(t, func(t *testing.T) { got = play(t, define(name, strategy), string(want)) })
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(want), got); diff != "" && !*update {
				t.Errorf("conversation (-want +got):\n%s", diff)
			}
		})
	}
}

// play runs the host's lines of a script and returns the script with what the
// plugin said to them.
func play(t *testing.T, d *sdk.Definition, script string) string {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	steps := make(chan struct{})
	stream := newMemoryStream(context.WithValue(ctx, stepsKey{}, steps))
	ended := make(chan error, 1)
	go func() { ended <- sdk.NewServer(d).Compact(stream) }()

	var out strings.Builder
	end := ""
	for line := range strings.Lines(script) {
		command, isHost := strings.CutPrefix(strings.TrimSpace(line), "host ")
		if !isHost {
			if strings.HasPrefix(line, "#") {
				out.WriteString(line)
			}
			continue
		}
		out.WriteString(line)
		switch command {
		case "close":
			close(stream.toward)
		case "cancel":
			cancel()
		case "step":
			steps <- struct{}{}
		default:
			stream.toward <- hostFrame(t, command)
		}
		synctest.Wait()
		for _, f := range stream.take() {
			fmt.Fprintf(&out, "plugin %s\n", frameText(t, f))
		}
		select {
		case err := <-ended:
			end = endText(err)
		default:
		}
	}
	if end == "" {
		t.Fatalf("the plugin still waits after\n%s", out.String())
	}
	return out.String() + "end " + end + "\n"
}

func hostFrame(t *testing.T, text string) *strategyv1.FromHost {
	t.Helper()
	f := &strategyv1.FromHost{}
	var err error
	if raw, ok := strings.CutPrefix(text, "raw "); ok {
		var b []byte
		if b, err = hex.DecodeString(raw); err == nil {
			err = proto.Unmarshal(b, f)
		}
	} else {
		err = protojson.Unmarshal([]byte(text), f)
	}
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return f
}

// frameText is a frame in JSON, without the spaces that protojson puts in at
// will. Stacks differ from run to run and are left out.
func frameText(t *testing.T, f *strategyv1.FromPlugin) string {
	t.Helper()
	if fields := f.GetLog().GetFields(); len(fields) > 0 {
		for i := 0; i+1 < len(fields); i += 2 {
			if fields[i] == "stack" {
				fields[i+1] = "…"
			}
		}
	}
	b, err := protojson.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := json.Compact(&out, b); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// endText is how a host would read the end of a stream.
func endText(err error) string {
	if err == nil {
		return "ok"
	}
	e := sdk.ErrorOf(err)
	wire := sdk.ErrorFromStatus(e.GRPCStatus().Err())
	if diff := cmp.Diff(e, wire); diff != "" {
		return "differently over the wire: " + diff
	}
	if wire.Limit > 0 {
		return fmt.Sprintf("%v (limit %d)", wire, wire.Limit)
	}
	return wire.Error()
}
