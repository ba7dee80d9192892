package sdk

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"
)

// chat is an agent of OpenAI's Chat Completions.
type chat struct {
	client openai.Client
	params openai.ChatCompletionNewParams
}

func newOpenAI(d door) openai.Client {
	return openai.NewClient(option.WithBaseURL(d.url+"/v1"), option.WithAPIKey(d.key), option.WithHTTPClient(d.client), option.WithMaxRetries(0))
}

func newChat(d door) agent {
	return &chat{newOpenAI(d), openai.ChatCompletionNewParams{
		Model:    d.model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(system), openai.UserMessage(task)},
		Tools: []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: "read_log", Parameters: schema,
		})},
	}}
}

// schema is that of the tool's input.
var schema = map[string]any{
	"type":       "object",
	"properties": map[string]any{"part": map[string]any{"type": "integer"}},
	"required":   []string{"part"},
}

func (a *chat) ask(ctx context.Context, stream bool) (turn, error) {
	answer, err := a.complete(ctx, stream)
	if err != nil {
		return turn{}, err
	}
	m := answer.Choices[0].Message
	a.params.Messages = append(a.params.Messages, m.ToParam())
	t := turn{text: m.Content}
	for _, c := range m.ToolCalls {
		t.calls = append(t.calls, call{c.ID, c.Function.Name, c.Function.Arguments})
	}
	return t, nil
}

func (a *chat) complete(ctx context.Context, stream bool) (*openai.ChatCompletion, error) {
	if !stream {
		return a.client.Chat.Completions.New(ctx, a.params)
	}
	chunks := a.client.Chat.Completions.NewStreaming(ctx, a.params)
	defer chunks.Close()
	var acc openai.ChatCompletionAccumulator
	for chunks.Next() {
		// A client that did not ask for usage must not see a chunk without choices.
		if len(chunks.Current().Choices) == 0 {
			return nil, errors.New("a chunk without a choice: " + chunks.Current().RawJSON())
		}
		if !acc.AddChunk(chunks.Current()) {
			return nil, errors.New("a chunk that does not fit: " + chunks.Current().RawJSON())
		}
	}
	if err := chunks.Err(); err != nil {
		return nil, err
	}
	if len(acc.Choices) == 0 {
		return nil, errors.New("a stream without a choice")
	}
	return &acc.ChatCompletion, nil
}

func (a *chat) give(calls []call, results []string) {
	for i, c := range calls {
		a.params.Messages = append(a.params.Messages, openai.ToolMessage(results[i], c.id))
	}
}

func (a *chat) transcript() ([]string, error) { return lines(a.params.Messages) }

func (a *chat) overflowed(err error) bool { return tooLong(err) }

// tooLong tells whether OpenAI's SDK shows an overflow.
func tooLong(err error) bool {
	var e *openai.Error
	return errors.As(err, &e) && e.Code == "context_length_exceeded" && e.StatusCode == 400
}

// lines are the elements of a list as JSON.
func lines[T any](list []T) ([]string, error) {
	var out []string
	for _, e := range list {
		b, err := json.Marshal(e)
		if err != nil {
			return nil, err
		}
		out = append(out, string(b))
	}
	return out, nil
}
