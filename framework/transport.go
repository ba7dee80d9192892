package framework

import (
	"net/http"

	"github.com/compactor-host/compactor/framework/transport"
)

// Transport returns an http.RoundTripper that keeps the model calls sent
// through it within the model's window. Hand it to a provider's SDK as its HTTP
// transport. A nil base is http.DefaultTransport.
//
// Calls of OpenAI's Chat Completions and Responses and of Anthropic's Messages
// are recognised by method and path. Everything else, and what needs nothing,
// leaves byte for byte as it came.
func (r *Runtime) Transport(base http.RoundTripper) http.RoundTripper { return r.shared.Over(base) }

// IsSummaryRequest reports whether a request that a base RoundTripper sees is
// one of the host's own, for a summary say, and no step of the agent.
func IsSummaryRequest(req *http.Request) bool { return transport.IsSideCall(req) }
