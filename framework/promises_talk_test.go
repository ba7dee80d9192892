package framework_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/internal/fakeprovider"
)

// models are the names that the provider knows; no catalogue lists them.
var models = []string{"m", "small", "large"}

var paths = map[fakeprovider.Dialect]string{
	fakeprovider.Chat: "/v1/chat/completions", fakeprovider.Responses: "/v1/responses", fakeprovider.Messages: "/v1/messages",
}

// tokens remembers texts for all tests.
var tokens = fakeprovider.NewTokens()

// chat is a Chat conversation: texts of user and assistant in turn, the user's
// first, and what else is in the body.
type chat struct {
	texts []string
	more  map[string]any
}

// talk is n exchanges of two messages of 100 tokens, 400 characters each, and a
// last question of 100.
func talk(n int) chat {
	var c chat
	for i := range n {
		c.texts = append(c.texts, text(fmt.Sprintf("question %d", i), 100), text(fmt.Sprintf("answer %d", i), 100))
	}
	c.texts = append(c.texts, text(fmt.Sprintf("question %d", n), 100))
	return c
}

// text begins with a label and is n tokens long at 4 characters a token. A
// provider counts about 80 for 100.
func text(label string, n int) string {
	return (label + strings.Repeat(" word", n))[:4*n]
}

// and adds messages at the end.
func (c chat) and(texts ...string) chat {
	c.texts = append(append([]string(nil), c.texts...), texts...)
	return c
}

// with sets a member of the body.
func (c chat) with(name string, value any) chat {
	c.more = maps.Clone(c.more)
	if c.more == nil {
		c.more = map[string]any{}
	}
	c.more[name] = value
	return c
}

// body is the request. A "system" among the members is the first message.
func (c chat) body(t *testing.T) []byte {
	t.Helper()
	body := map[string]any{"model": "m"}
	var messages []any
	for name, v := range c.more {
		if name == "system" {
			messages = append(messages, map[string]any{"role": "system", "content": v})
		} else {
			body[name] = v
		}
	}
	for i, s := range c.texts {
		messages = append(messages, map[string]any{"role": []string{"user", "assistant"}[i%2], "content": s})
	}
	body["messages"] = messages
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
