package sdk

import (
	"context"
	"errors"
	"strings"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
)

// claude is an agent of Anthropic's Messages.
type claude struct {
	client anthropic.Client
	params anthropic.MessageNewParams
}

func newMessages(d door) agent {
	client := anthropic.NewClient(option.WithBaseURL(d.url), option.WithAPIKey(d.key), option.WithHTTPClient(d.client), option.WithMaxRetries(0))
	return &claude{client, anthropic.MessageNewParams{
		Model:     d.model,
		MaxTokens: 1000,
		Thinking:  anthropic.ThinkingConfigParamUnion{OfAdaptive: &anthropic.ThinkingConfigAdaptiveParam{}},
		System:    []anthropic.TextBlockParam{{Text: system}},
		Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(task))},
		Tools: []anthropic.ToolUnionParam{anthropic.ToolUnionParamOfTool(anthropic.ToolInputSchemaParam{
			Properties: schema["properties"], Required: []string{"part"},
		}, "read_log")},
	}}
}

func (a *claude) ask(ctx context.Context, stream bool) (turn, error) {
	m, err := a.message(ctx, stream)
	if err != nil {
		return turn{}, err
	}
	a.params.Messages = append(a.params.Messages, m.ToParam())
	var t turn
	for _, block := range m.Content {
		switch block.Type {
		case "text":
			t.text += block.Text
		case "tool_use":
			t.calls = append(t.calls, call{block.ID, block.Name, string(block.Input)})
		}
	}
	return t, nil
}

func (a *claude) message(ctx context.Context, stream bool) (*anthropic.Message, error) {
	if !stream {
		return a.client.Messages.New(ctx, a.params)
	}
	events := a.client.Messages.NewStreaming(ctx, a.params)
	defer events.Close()
	var m anthropic.Message
	for events.Next() {
		if err := m.Accumulate(events.Current()); err != nil {
			return nil, err
		}
	}
	if err := events.Err(); err != nil {
		return nil, err
	}
	if m.StopReason == "" {
		return nil, errors.New("a stream without an end")
	}
	return &m, nil
}

func (a *claude) give(calls []call, results []string) {
	var blocks []anthropic.ContentBlockParamUnion
	for i, c := range calls {
		blocks = append(blocks, anthropic.NewToolResultBlock(c.id, results[i], false))
	}
	a.params.Messages = append(a.params.Messages, anthropic.NewUserMessage(blocks...))
}

func (a *claude) transcript() ([]string, error) { return lines(a.params.Messages) }

// overflowed goes by the words: Anthropic has no code for it.
func (a *claude) overflowed(err error) bool {
	var e *anthropic.Error
	return errors.As(err, &e) && e.StatusCode == 400 && strings.Contains(e.RawJSON(), "prompt is too long")
}
