// Package sdk drives the host with the official Go SDKs of OpenAI and
// Anthropic, as an agent would: they build the requests, decode the answers,
// and keep the conversation. It is a module of its own, so that the host's does
// not depend on them.
package sdk

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/compactor-host/compactor/internal/fakeprovider"
)

const (
	model  = "agent-1"
	window = 32000
	system = "You are an agent that reads files and adds up what they say."
	task   = "Read every part of the log and tell how many parts there were."
	// reads is how many parts the log has, turns how many answers ask for them.
	// A part is about 2,500 tokens, so that all are twice what fits the window.
	reads, turns = 24, 12
)

// agent is a conversation in the types of one SDK.
type agent interface {
	// ask sends the conversation and adds the answer to it.
	ask(ctx context.Context, stream bool) (turn, error)
	// give adds the results of calls, by their ids.
	give(calls []call, results []string)
	// transcript is what the agent would send, as JSON, one element a message.
	transcript() ([]string, error)
	// overflowed tells whether an error is the provider's "too long", as the
	// SDK shows it.
	overflowed(err error) bool
}

// turn is an answer: words, and calls that want results.
type turn struct {
	text  string
	calls []call
}

type call struct{ id, name, arguments string }

// door is how an agent reaches its provider.
type door struct {
	// url is the base without a version.
	url    string
	client *http.Client
	key    string
	// model is the model's name.
	model string
}

// agents make an agent of each API.
var agents = []struct {
	name    string
	dialect fakeprovider.Dialect
	make    func(door) agent
	// binds is a model that takes reasoning only behind its own prefix.
	binds string
}{
	{"Chat", fakeprovider.Chat, newChat, "gpt-6-sol"},
	{"Responses", fakeprovider.Responses, newResponses, "gpt-6-sol"},
	{"Messages", fakeprovider.Messages, newMessages, "claude-opus-5-5"},
}

// work lets the agent go on until the model calls no more tools. It returns the
// last words, or the error that ended it.
func work(ctx context.Context, a agent, stream bool) (string, error) {
	for range 2 * turns {
		t, err := a.ask(ctx, stream)
		if err != nil {
			return "", err
		}
		if len(t.calls) == 0 {
			return t.text, nil
		}
		var results []string
		for _, c := range t.calls {
			results = append(results, part(c.arguments))
		}
		a.give(t.calls, results)
	}
	return "", fmt.Errorf("no end after %d calls", 2*turns)
}

// part is the tool: a text of about 2,500 tokens that differs from part to part.
func part(arguments string) string {
	var b strings.Builder
	for i := range 180 {
		fmt.Fprintf(&b, "%s line %d: request served in %d ms\n", arguments, i, (i*7919)%997)
	}
	return b.String()
}
