package fakeprovider

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// digest is the identity of a block or of a whole prefix.
type digest [sha256.Size]byte

// block is a piece of what a model reads: a tool, a paragraph of the system
// prompt, a part of a message, the frame of a message.
type block struct {
	// key is the block's canonical form: cache marks, nulls and what a client
	// may leave out when it sends a reply back are not in it.
	key digest
	ids []uint32
	// frame marks the tokens between messages, which no seal covers.
	frame bool
	// mark tells that the block carries a cache_control mark.
	mark bool
	// thought is set on reasoning.
	thought *thought
	// place is where the block stands in the request, e.g. messages.3.content.0.
	place string
}

// prompt is a request that has been read.
type prompt struct {
	header       http.Header
	model        string
	stream       bool
	includeUsage bool
	counting     bool
	maxTokens    int
	messages     []json.RawMessage
	blocks       []*block
	findings     []finding
	// prefill tells that the assistant's own words come last.
	prefill bool
	// drop is the client's wish to lose reasoning rather than be refused.
	drop bool
}

// finding is a rule that a request breaks, in the vendor's words.
type finding struct {
	message, param, code string
}

func (p *prompt) find(format string, a ...any) {
	p.findings = append(p.findings, finding{message: fmt.Sprintf(format, a...)})
}

// reject notes a finding in the form that names a parameter and a code.
func (p *prompt) reject(param, code, format string, a ...any) {
	p.findings = append(p.findings, finding{fmt.Sprintf(format, a...), param, code})
}

// add puts blocks at the end, at places below where.
func (p *prompt) add(where string, blocks ...*block) {
	for i, b := range blocks {
		if b.thought != nil {
			placed := *b
			placed.place = where
			if !strings.HasPrefix(where, "input") {
				placed.place = fmt.Sprintf("%s.content.%d", where, i)
			}
			b = &placed
		}
		p.blocks = append(p.blocks, b)
	}
}

// size is what the model reads, in tokens.
func (p *prompt) size() int { return sizeOf(p.blocks) }

func sizeOf(blocks []*block) int {
	n := 0
	for _, b := range blocks {
		n += len(b.ids)
	}
	return n
}

// marked is the prompt up to its last cache mark.
func (p *prompt) marked() []*block {
	for i, b := range slices.Backward(p.blocks) {
		if b.mark {
			return p.blocks[:i+1]
		}
	}
	return nil
}

// fields are the members of a JSON object.
type fields map[string]json.RawMessage

// str is a member that is a string, else empty.
func (f fields) str(name string) string {
	s, _ := text(f[name])
	return s
}

// has tells whether a member is there and not null.
func (f fields) has(name string) bool {
	v, ok := f[name]
	return ok && !isNull(v)
}

// object reads a JSON object; it is nil for anything else.
func object(raw json.RawMessage) fields {
	var f fields
	if json.Unmarshal(raw, &f) != nil {
		return nil
	}
	return f
}

// list reads a JSON array.
func list(raw json.RawMessage) ([]json.RawMessage, bool) {
	var l []json.RawMessage
	if isNull(raw) || json.Unmarshal(raw, &l) != nil {
		return nil, false
	}
	return l, true
}

// text reads a JSON string.
func text(raw json.RawMessage) (string, bool) {
	var s string
	if isNull(raw) || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

func isNull(raw json.RawMessage) bool {
	return len(raw) == 0 || string(bytes.TrimSpace(raw)) == "null"
}

// keyOf is the identity of a value in a role. Members named in volatile are
// left out at the top and within content; values keep their bytes otherwise.
func keyOf(role string, raw json.RawMessage, volatile ...string) digest {
	h := sha256.New()
	h.Write([]byte(role + "\x00"))
	h.Write(canonical(raw, volatile))
	return digest(h.Sum(nil))
}

func canonical(raw json.RawMessage, volatile []string) []byte {
	f := object(raw)
	if f == nil {
		var b bytes.Buffer
		if json.Compact(&b, raw) != nil {
			return raw
		}
		return b.Bytes()
	}
	for name, v := range f {
		if isNull(v) || slices.Contains(volatile, name) {
			delete(f, name)
		}
	}
	if parts, ok := list(f["content"]); ok {
		for i, part := range parts {
			parts[i] = canonical(part, volatile)
		}
		f["content"] = must(parts)
	}
	return must(f)
}

// must encodes what cannot fail to be encoded.
func must(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("fakeprovider: " + err.Error())
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// frame is what stands before the parts of a message: three tokens for its role.
func frame(role []byte) *block {
	return &block{key: keyOf("frame", role), ids: pieces(3, string(role)), frame: true}
}
