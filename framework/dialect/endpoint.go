package dialect

import (
	"net/http"
	"strings"
)

// Endpoint is what a request asks of a provider.
type Endpoint uint8

// The endpoints.
const (
	// Other is anything that has no prompt to be kept small.
	Other Endpoint = iota
	// Generate asks for an answer, streamed or not.
	Generate
	// CountTokens asks how long a prompt is.
	CountTokens
	// CompactNative asks the provider to compact a conversation.
	CompactNative
)

// routes are the ends of paths. None is the end of another.
var routes = []struct {
	path     string
	name     Name
	endpoint Endpoint
}{
	{"/chat/completions", OpenAIChat, Generate},
	{"/responses", OpenAIResponses, Generate},
	{"/responses/input_tokens", OpenAIResponses, CountTokens},
	{"/responses/compact", OpenAIResponses, CompactNative},
	{"/messages", Anthropic, Generate},
	{"/messages/count_tokens", Anthropic, CountTokens},
}

// Route tells the format and the purpose of a request by its method and path,
// as in url.URL.Path. What precedes the endpoint in the path is the server's
// own business (/v1, /openai/deployments/NAME), and so is a slash at the end.
// ok is false, and the endpoint Other, for a request that is not ours.
func Route(method, path string) (name Name, endpoint Endpoint, ok bool) {
	if method != http.MethodPost {
		return "", Other, false
	}
	path = strings.TrimRight(path, "/")
	if ofThread(path) {
		return "", Other, false
	}
	for _, r := range routes {
		if strings.HasSuffix(path, r.path) {
			return r.name, r.endpoint, true
		}
	}
	return "", Other, false
}

// ofThread reports whether the path is that of the messages in one of OpenAI's
// threads, /threads/ID/messages, which are no requests for an answer.
func ofThread(path string) bool {
	parent, ok := strings.CutSuffix(path, "/messages")
	if !ok {
		return false
	}
	return strings.HasSuffix(parent[:strings.LastIndexByte(parent, '/')+1], "/threads/")
}
