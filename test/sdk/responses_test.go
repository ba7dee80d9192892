package sdk

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
)

// response is an agent of OpenAI's Responses that keeps its conversation itself.
type response struct {
	client openai.Client
	params responses.ResponseNewParams
}

func newResponses(d door) agent {
	return &response{newOpenAI(d), responses.ResponseNewParams{
		Model:        d.model,
		Instructions: openai.String(system),
		Store:        openai.Bool(false),
		Input: responses.ResponseNewParamsInputUnion{OfInputItemList: responses.ResponseInputParam{
			responses.ResponseInputItemParamOfMessage(task, responses.EasyInputMessageRoleUser),
		}},
		Tools: []responses.ToolUnionParam{responses.ToolParamOfFunction("read_log", schema, false)},
	}}
}

func (a *response) ask(ctx context.Context, stream bool) (turn, error) {
	answer, err := a.respond(ctx, stream)
	if err != nil {
		return turn{}, err
	}
	t := turn{text: answer.OutputText()}
	for _, item := range answer.Output {
		a.add(param.Override[responses.ResponseInputItemUnionParam](json.RawMessage(item.RawJSON())))
		if item.Type == "function_call" {
			c := item.AsFunctionCall()
			t.calls = append(t.calls, call{c.CallID, c.Name, c.Arguments})
		}
	}
	return t, nil
}

func (a *response) add(item responses.ResponseInputItemUnionParam) {
	a.params.Input.OfInputItemList = append(a.params.Input.OfInputItemList, item)
}

// respond puts the words of a stream together and compares them with the
// response at its end.
func (a *response) respond(ctx context.Context, stream bool) (*responses.Response, error) {
	if !stream {
		return a.client.Responses.New(ctx, a.params)
	}
	events := a.client.Responses.NewStreaming(ctx, a.params)
	defer events.Close()
	text := ""
	var whole *responses.Response
	for events.Next() {
		switch e := events.Current(); e.Type {
		case "response.output_text.delta":
			text += e.Delta
		case "response.completed":
			whole = &e.Response
		case "error", "response.failed":
			return nil, errors.New("the stream failed: " + e.RawJSON())
		}
	}
	switch {
	case events.Err() != nil:
		return nil, events.Err()
	case whole == nil:
		return nil, errors.New("a stream without an end")
	case whole.OutputText() != text:
		return nil, errors.New("the words are " + text + ", and at the end " + whole.OutputText())
	}
	return whole, nil
}

func (a *response) give(calls []call, results []string) {
	for i, c := range calls {
		item := responses.ResponseInputItemParamOfFunctionCallOutput(results[i])
		item.OfFunctionCallOutput.CallID = openai.String(c.id)
		a.add(item)
	}
}

func (a *response) transcript() ([]string, error) { return lines(a.params.Input.OfInputItemList) }

func (a *response) overflowed(err error) bool { return tooLong(err) }
