package replay

import (
	"encoding/json"
	"errors"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/internal/fakeprovider"
)

// sideText is the answer to a call of the host's own.
const sideText = "Summary: the work so far is as the messages before this one say."

// answer is the provider's reply to a call, in the form that was recorded.
func (t *turn) answer(name dialect.Name) (fakeprovider.Reply, error) {
	switch {
	case t.reply == nil:
		return fakeprovider.Reply{Text: "Done."}, nil
	case name != dialect.Anthropic:
		return fakeprovider.Reply{Items: t.reply}, nil
	}
	var items []json.RawMessage
	for _, message := range t.reply {
		blocks, err := blocks(message)
		if err != nil {
			return fakeprovider.Reply{}, err
		}
		items = append(items, blocks...)
	}
	return fakeprovider.Reply{Items: items}, nil
}

// blocks are the content of a message of Messages.
func blocks(message []byte) ([]json.RawMessage, error) {
	var m struct{ Content json.RawMessage }
	if err := json.Unmarshal(message, &m); err != nil {
		return nil, err
	}
	if len(m.Content) > 0 && m.Content[0] == '"' {
		block, err := json.Marshal(map[string]any{"type": "text", "text": m.Content})
		return []json.RawMessage{block}, err
	}
	var list []json.RawMessage
	err := json.Unmarshal(m.Content, &list)
	return list, err
}

// received are the elements that an agent adds to its list for an answer.
func received(name dialect.Name, answer []byte) ([]json.RawMessage, error) {
	var a struct {
		Content json.RawMessage
		Output  []json.RawMessage
		Choices []struct{ Message json.RawMessage }
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return nil, err
	}
	switch {
	case name == dialect.OpenAIResponses && len(a.Output) > 0:
		return a.Output, nil
	case name == dialect.OpenAIChat && len(a.Choices) > 0:
		return []json.RawMessage{a.Choices[0].Message}, nil
	case name == dialect.Anthropic && len(a.Content) > 0:
		return []json.RawMessage{append(append([]byte(`{"role":"assistant","content":`), a.Content...), '}')}, nil
	}
	return nil, errors.New("there is no reply in it")
}
