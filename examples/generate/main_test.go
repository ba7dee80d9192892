package main

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
)

func conversation(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestFileIsUpToDate(t *testing.T) {
	stored, err := os.ReadFile("../conversation.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(stored, conversation(t)) {
		t.Error("examples/conversation.json is not what the generator writes; run: go run ./examples/generate >examples/conversation.json")
	}
}

// TestConversation holds the body against what makes it a useful example: as
// long as a real session, valid, and in the middle of a step.
func TestConversation(t *testing.T) {
	text := conversation(t)
	if n := len(text); n < 60_000 || n > 120_000 {
		t.Errorf("%d bytes, want 60,000 to 120,000", n)
	}
	var b body
	if err := json.Unmarshal(text, &b); err != nil {
		t.Fatal(err)
	}
	if n := len(b.Messages); n < 60 || n > 100 {
		t.Errorf("%d messages, want 60 to 100", n)
	}
	for i, m := range b.Messages {
		if want := []string{"user", "assistant"}[i%2]; m.Role != want {
			t.Errorf("message %d is of %s, want %s", i, m.Role, want)
		}
		if i > 0 {
			checkPairs(t, i, b.Messages[i-1], m)
		}
	}
	if last := b.Messages[len(b.Messages)-1]; last.Content[0].Type != "tool_result" {
		t.Errorf("the last message is a %s, want results", last.Content[0].Type)
	}
}

// checkPairs reports results that do not answer the calls before them, in
// order.
func checkPairs(t *testing.T, i int, before, m message) {
	t.Helper()
	var calls, results []string
	for _, b := range before.Content {
		if b.Type == "tool_use" {
			calls = append(calls, b.ID)
		}
	}
	for _, b := range m.Content {
		switch {
		case b.Type == "tool_result":
			results = append(results, b.ToolUseID)
		case b.Type == "text" && b.Text == "":
			t.Errorf("message %d has an empty text", i)
		}
	}
	if len(calls) != len(results) {
		t.Fatalf("message %d has %d results for %d calls", i, len(results), len(calls))
	}
	for j := range calls {
		if calls[j] != results[j] {
			t.Errorf("message %d: result %s stands for call %s", i, results[j], calls[j])
		}
	}
}
