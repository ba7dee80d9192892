package transport_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/compactor-host/compactor/framework/store"
	"github.com/compactor-host/compactor/framework/store/memory"
	"github.com/compactor-host/compactor/internal/fakeprovider"
	"github.com/compactor-host/compactor/sdk"
)

// TestATamperedCheckpointBreaksNoRule: a host that comes after finds a record
// that no host has written, and the request is sent validly all the same.
func TestATamperedCheckpointBreaksNoRule(t *testing.T) {
	tests := []struct {
		name   string
		tamper func(*store.Checkpoint)
	}{
		{"no JSON", func(c *store.Checkpoint) { c.Script = []byte("{") }},
		{"nothing", func(c *store.Checkpoint) { c.Script = nil }},
		{"null", func(c *store.Checkpoint) { c.Script = []byte("null") }},
		{"another length", func(c *store.Checkpoint) { c.Messages++ }},
		{"no length", func(c *store.Checkpoint) { c.Messages = -1 }},
		{"a huge length", func(c *store.Checkpoint) { c.Messages = 1 << 30 }},
		{"everything dropped", scripted(func(n int, _ sdk.Script) sdk.Script {
			return sdk.Script{{Kind: sdk.OpDrop, To: n}}
		})},
		{"the first message dropped", scripted(func(n int, _ sdk.Script) sdk.Script {
			return sdk.Script{{Kind: sdk.OpDrop, To: 1}, {Kind: sdk.OpKeep, From: 1, To: n}}
		})},
		{"an empty text", inserting(sdk.Insert{Role: sdk.RoleUser, Text: []string{""}})},
		{"no text", inserting(sdk.Insert{Role: sdk.RoleUser})},
		{"no role", inserting(sdk.Insert{Role: "nobody", Text: []string{"hello"}})},
		{"text that is no UTF-8", inserting(sdk.Insert{Role: sdk.RoleUser, Text: []string{"a\xffb\x00"}})},
		{"an unknown item", inserting(sdk.Insert{Item: "nowhere"})},
		{"a part that is not there", scripted(func(n int, _ sdk.Script) sdk.Script {
			return sdk.Script{{Kind: sdk.OpKeep, To: n - 1}, {Kind: sdk.OpSet, From: n - 1, To: n, Part: 99, As: sdk.AsText, Text: "x"}}
		})},
		{"an empty part", scripted(func(n int, _ sdk.Script) sdk.Script {
			return sdk.Script{{Kind: sdk.OpKeep, To: n - 1}, {Kind: sdk.OpSet, From: n - 1, To: n, As: sdk.AsText}}
		})},
		{"a key of another chain", func(c *store.Checkpoint) { c.Key = "" }},
		{"what steps stored is no JSON", func(c *store.Checkpoint) { c.Previous = []byte("[") }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			every(t, func(t *testing.T, d fakeprovider.Dialect, stream bool) {
				kept := memory.New(memory.Options{})
				healthy := func(context.Context, string) error { return nil }
				before := storeRig(t, &faulty{Store: kept, fault: healthy})
				if got := before.post(t, d, talk(t, d, stream, long...)); got.status != http.StatusOK {
					t.Fatalf("status %d", got.status)
				}
				if err := before.Close(t.Context()); err != nil {
					t.Fatal(err)
				}
				tampered := 0
				after := storeRig(t, &faulty{Store: kept, fault: healthy, tamper: func(c *store.Checkpoint) {
					test.tamper(c)
					tampered++
				}})
				body := talk(t, d, stream, grown(long)...)
				if got := after.post(t, d, body); got.err != nil || got.status != http.StatusOK {
					t.Fatalf("status %d, error %v: %s", got.status, got.err, got.text())
				}
				if tampered == 0 {
					t.Fatal("no checkpoint was read")
				}
				notWorse(t, d, body, after.tap.requests[0].body)
			})
		})
	}
}

// scripted changes a checkpoint's script of n messages.
func scripted(edit func(n int, s sdk.Script) sdk.Script) func(*store.Checkpoint) {
	return func(c *store.Checkpoint) {
		var p map[string]json.RawMessage
		var s sdk.Script
		if json.Unmarshal(c.Script, &p) != nil || json.Unmarshal(p["script"], &s) != nil {
			panic("the script of a host cannot be read")
		}
		p["script"], _ = json.Marshal(edit(c.Messages, s))
		c.Script, _ = json.Marshal(p)
	}
}

// inserting adds a message to the view.
func inserting(m sdk.Insert) func(*store.Checkpoint) {
	return scripted(func(n int, s sdk.Script) sdk.Script { return append(s, sdk.Op{Kind: sdk.OpInsert, Insert: &m}) })
}
