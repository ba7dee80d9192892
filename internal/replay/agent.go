package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/compactor-host/compactor/framework/dialect"
)

// agent sends a conversation call by call, as whoever was recorded did: what
// it has, what it was answered, and what came next.
type agent struct {
	*Recording
	client http.RoundTripper
	list   []byte // elements and the commas between them
}

// endpoints are where the calls of a dialect go.
var endpoints = map[dialect.Name]string{
	dialect.OpenAIChat:      "http://provider.invalid/v1/chat/completions",
	dialect.OpenAIResponses: "http://provider.invalid/v1/responses",
	dialect.Anthropic:       "http://provider.invalid/v1/messages",
}

// add puts elements at the end of the list.
func (a *agent) add(elements []json.RawMessage) {
	for _, e := range elements {
		if len(a.list) > 0 {
			a.list = append(a.list, ',')
		}
		a.list = append(a.list, e...)
	}
}

// body is the request with all that the list has.
func (a *agent) body() []byte {
	return bytes.Join([][]byte{a.head, a.list, a.tail}, nil)
}

// call sends a body and adds what was received. A call that is refused goes on
// as the recording did; refused is then the answer.
func (a *agent) call(ctx context.Context, body []byte, t turn) (refused string, err error) {
	req, err := request(ctx, a.Dialect, body)
	if err != nil {
		return "", err
	}
	resp, err := a.client.RoundTrip(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", err
	}
	if resp.StatusCode != http.StatusOK {
		a.add(t.reply)
		return fmt.Sprintf("%d %s", resp.StatusCode, bytes.TrimSpace(answer)), nil
	}
	elements, err := received(a.Dialect, answer)
	if err != nil {
		return "", fmt.Errorf("an answer cannot be read: %w", err)
	}
	a.add(elements)
	return "", nil
}

// request makes a call with a key that is nobody's.
func request(ctx context.Context, name dialect.Name, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoints[name], bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if name == dialect.Anthropic {
		req.Header.Set("Anthropic-Version", "2023-06-01")
		req.Header.Set("X-Api-Key", "sk-replay")
		return req, nil
	}
	req.Header.Set("Authorization", "Bearer sk-replay")
	return req, nil
}
