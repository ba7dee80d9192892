// Command generate writes examples/conversation.json: the request body of a
// coding agent in the middle of a long session, in the format of Anthropic
// Messages.
//
//	go run ./examples/generate >examples/conversation.json
//
// The project that the agent works on is made up and exists in memory only; the
// agent's tools really read, search and edit it, so that what they say fits
// together.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := write(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// body is a request to the Messages API.
type body struct {
	Model     string     `json:"model"`
	MaxTokens int        `json:"max_tokens"`
	System    []block    `json:"system"`
	Tools     []toolSpec `json:"tools"`
	Messages  []message  `json:"messages"`
	Stream    bool       `json:"stream"`
}

type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

// block is a text, a call or a result, by Type.
type block struct {
	Type      string            `json:"type"`
	Text      string            `json:"text,omitempty"`
	ID        string            `json:"id,omitempty"`
	Name      string            `json:"name,omitempty"`
	Input     map[string]string `json:"input,omitempty"`
	ToolUseID string            `json:"tool_use_id,omitempty"`
	Content   string            `json:"content,omitempty"`
	IsError   bool              `json:"is_error,omitempty"`
}

// write tells the whole story and writes its body.
func write(w io.Writer) error {
	files, err := newProject()
	if err != nil {
		return err
	}
	s := &session{files: files}
	for _, chapter := range story {
		chapter(s)
	}
	if s.err != nil {
		return s.err
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(body{
		Model:     "claude-sonnet-4-5",
		MaxTokens: 8192,
		System:    []block{{Type: "text", Text: systemText}},
		Tools:     toolSpecs(),
		Messages:  s.messages,
		Stream:    true,
	})
}
