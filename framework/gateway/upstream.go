package gateway

import (
	"net/url"
	"strings"
)

// upstreamURL is where a request goes: the path that came, behind the base URL.
// Segments that the base ends with and the path begins with count once, so that
// a client may have /v1 in its own base URL or not:
//
//	https://api.openai.com/v1     /v1/chat/completions  /v1/chat/completions
//	https://api.openai.com/v1     /chat/completions     /v1/chat/completions
//	https://openrouter.ai/api/v1  /v1/chat/completions  /api/v1/chat/completions
//
// Escapes and the query stay as they were written.
func upstreamURL(base, in *url.URL) *url.URL {
	out := *in
	out.Scheme, out.Host, out.User = base.Scheme, base.Host, nil
	raw := join(base.EscapedPath(), in.EscapedPath())
	path, err := url.PathUnescape(raw)
	if err != nil { // cannot be: both were parsed
		path = raw
	}
	out.Path, out.RawPath = path, raw
	return &out
}

// join puts base in front of path.
func join(base, path string) string {
	base = strings.TrimRight(base, "/")
	for at := 0; at < len(base); at++ {
		if base[at] != '/' {
			continue
		}
		if shared := base[at:]; path == shared || strings.HasPrefix(path, shared+"/") {
			return base[:at] + path
		}
	}
	return base + path
}
