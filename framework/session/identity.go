package session

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/compactor-host/compactor/framework/store"
)

// localTenant is the tenant of requests on loopback that do not carry a key
// which lasts: there is one user.
const localTenant = "local"

// Identity says whose a request is.
type Identity struct {
	// Tenant is a keyed hash, never a credential.
	Tenant store.Tenant
	// Scope is the tenant and the organisation or project that is billed: what
	// a provider binds its opaque items and limits to.
	Scope string
	// Hint is a keyed hash of the session id that the client sent, empty when
	// it sent none. It chooses among threads and never joins two.
	Hint string
}

// scopeHeaders choose who is billed.
var scopeHeaders = []string{"Openai-Organization", "Openai-Project", "Anthropic-Workspace-Id"}

// hintHeaders are the session ids of known clients (Claude Code, Codex,
// opencode, pi). An agent's own id goes before that of the session which its
// sub-agents share.
var hintHeaders = []string{
	"X-Claude-Code-Agent-Id", "X-Claude-Code-Session-Id", "Thread-Id", "Session-Id", "Session_id",
	"X-Session-Id", "X-Session-Affinity",
}

// Identify tells whose a request is by its headers. tenant, where not empty,
// is what a route says.
func (s *Sessions) Identify(ctx context.Context, h http.Header, tenant string) (Identity, error) {
	key, err := s.key(ctx)
	if err != nil {
		return Identity{}, err
	}
	id := Identity{Tenant: store.Tenant(seal(key, "tenant", s.tenant(h, tenant)))}
	scope := []string{"scope", string(id.Tenant)}
	for _, name := range scopeHeaders {
		scope = append(scope, h.Get(name))
	}
	id.Scope = seal(key, scope...)
	for _, name := range hintHeaders {
		if v := h.Get(name); v != "" {
			id.Hint = seal(key, "hint", name, v)
			break
		}
	}
	return id, nil
}

// tenant is what tells the request's tenant from others, not yet hashed.
func (s *Sessions) tenant(h http.Header, routed string) string {
	switch {
	case routed != "":
		return "route " + routed
	case s.header != "" && h.Get(s.header) != "":
		return "header " + h.Get(s.header)
	}
	credential, lasts := credential(h)
	if s.local && !lasts {
		return localTenant
	}
	return "key " + credential
}

// credential returns what the request proves itself with, and whether that
// lasts: a key does, a token that is renewed every hour does not.
func credential(h http.Header) (_ string, lasts bool) {
	for _, name := range []string{"X-Api-Key", "Api-Key", "X-Goog-Api-Key"} {
		if v := h.Get(name); v != "" {
			return v, true
		}
	}
	token, ok := strings.CutPrefix(h.Get("Authorization"), "Bearer ")
	if !ok {
		return h.Get("Authorization"), false
	}
	return token, strings.HasPrefix(token, "sk-") && !strings.HasPrefix(token, "sk-ant-oat")
}

// seal is a keyed hash of parts, as text.
func seal(key []byte, parts ...string) string {
	mac := hmac.New(sha256.New, key)
	for _, p := range parts {
		mac.Write([]byte{byte(len(p) >> 16), byte(len(p) >> 8), byte(len(p))})
		mac.Write([]byte(p))
	}
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16])
}
