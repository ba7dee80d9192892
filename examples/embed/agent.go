package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"

	"github.com/compactor-host/compactor/framework"
)

// steps is how many model calls an answer may take.
const steps = 100

// agent is a model with one tool.
type agent struct {
	client openai.Client
	model  string
	folder *os.Root
	out    io.Writer
	host   *framework.Runtime
	// told is the compaction that was printed last.
	told string
}

// readFile is the tool.
var readFile = openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
	Name:        "read_file",
	Description: openai.String("Returns the text of a file, or the names in a folder."),
	Parameters: shared.FunctionParameters{
		"type":       "object",
		"properties": map[string]any{"path": map[string]any{"type": "string", "description": "a relative path; . is the top"}},
		"required":   []string{"path"},
	},
})

// answer asks the model, and does what it asks for, until it has an answer.
func (a *agent) answer(ctx context.Context, question string) error {
	p := openai.ChatCompletionNewParams{
		Model:    a.model,
		Tools:    []openai.ChatCompletionToolUnionParam{readFile},
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(question)},
	}
	for range steps {
		reply, err := a.client.Chat.Completions.New(ctx, p)
		if err != nil {
			return err
		}
		if len(reply.Choices) == 0 {
			return errors.New("the model said nothing")
		}
		a.report()
		m := reply.Choices[0].Message
		if len(m.ToolCalls) == 0 {
			fmt.Fprintln(a.out, m.Content)
			return nil
		}
		// The agent keeps everything: only what is sent is made smaller.
		p.Messages = append(p.Messages, m.ToParam())
		for _, c := range m.ToolCalls {
			p.Messages = append(p.Messages, openai.ToolMessage(a.read(c.Function.Arguments), c.ID))
		}
	}
	return fmt.Errorf("no answer after %d steps", steps)
}

// report prints the last compaction, once.
func (a *agent) report() {
	e, ok := a.host.Last()
	if !ok || e.ID == a.told {
		return
	}
	a.told = e.ID
	fmt.Fprintf(a.out, "compacted (%s): %d → %d tokens, %d → %d messages\n",
		e.Reason, e.Before.Tokens, e.After.Tokens, e.Before.Messages, e.After.Messages)
}

// read runs the tool. What goes wrong is told to the model.
func (a *agent) read(arguments string) string {
	var in struct{ Path string }
	if err := json.Unmarshal([]byte(arguments), &in); err != nil {
		return "error: " + err.Error()
	}
	text, err := a.look(in.Path)
	if err != nil {
		return "error: " + err.Error()
	}
	return text
}

// look returns what is at a path of the folder.
func (a *agent) look(path string) (string, error) {
	f, err := a.folder.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.IsDir() {
		text, err := io.ReadAll(f)
		return string(text), err
	}
	names := ""
	entries, err := f.ReadDir(-1)
	for _, e := range entries {
		names += e.Name() + "\n"
	}
	return names, err
}
