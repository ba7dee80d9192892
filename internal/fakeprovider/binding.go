package fakeprovider

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
)

// Binding is what a model does with reasoning that stands behind another prefix
// than the one it was made behind, or that was not made here at all.
type Binding int

const (
	// None checks only that reasoning of this provider was not edited.
	None Binding = iota
	// Drop loses it in silence and lists it in input_transformations.
	Drop
	// Refuse answers 400: Anthropic unless the request asks for drop_block;
	// OpenAI only for items that it cannot open, the others are dropped.
	Refuse
)

// sealKey is the same in every provider, so that a conversation can be
// continued at another one and runs repeat byte for byte.
var sealKey = []byte("the fake provider's own key, which is no secret")

// sealMagic begins every seal, so that foreign ones are told apart.
const sealMagic = "fp1\x00"

const tagSize = 16

type tag [tagSize]byte

// thought is a block of reasoning in a request.
type thought struct {
	id   string
	seal string
	// text is what the client can read of it; sealed reasoning has none.
	text   string
	hidden bool
}

// seal is a signature or an encrypted content, opened.
type seal struct {
	content, prefix, before tag
	text                    string
}

// anchor is the place in a conversation that reasoning is bound to: all that
// comes before but reasoning, and the last reasoning that counts. The two are
// apart because a client may leave out a leading run of reasoning, or all of it.
type anchor struct {
	prefix digest
	last   tag
}

// pass moves the anchor behind a block.
func (a *anchor) pass(b *block) {
	if !b.frame {
		a.prefix = sha256.Sum256(append(a.prefix[:], b.key[:]...))
	}
}

func mac(parts ...[]byte) tag {
	h := hmac.New(sha256.New, sealKey)
	for _, part := range parts {
		h.Write(part)
		h.Write([]byte{0})
	}
	return tag(h.Sum(nil))
}

// bind seals reasoning to the anchor and moves the anchor behind it.
func (a *anchor) bind(text string, hidden bool) string {
	s := seal{content: mac([]byte("content"), []byte(text)), prefix: mac(a.prefix[:], []byte(text)), before: a.last}
	a.last = s.content
	raw := append([]byte(sealMagic), s.content[:]...)
	raw = append(append(raw, s.prefix[:]...), s.before[:]...)
	if hidden {
		raw = append(raw, text...)
	}
	return base64.StdEncoding.EncodeToString(raw)
}

// open reads a seal; ok is false for one that was not made here.
func open(sealed string) (s seal, ok bool) {
	raw, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil || !bytes.HasPrefix(raw, []byte(sealMagic)) || len(raw) < len(sealMagic)+3*tagSize {
		return seal{}, false
	}
	raw = raw[len(sealMagic):]
	s = seal{tag(raw), tag(raw[tagSize:]), tag(raw[2*tagSize:]), string(raw[3*tagSize:])}
	return s, true
}

// state is what a check of reasoning has found.
type state int

const (
	intact state = iota
	foreign
	edited
	moved
)

// check compares a thought with the place where it stands.
func (a *anchor) check(t *thought) (state, tag) {
	s, ok := open(t.seal)
	if !ok {
		return foreign, tag{}
	}
	text := t.text
	if t.hidden {
		text = s.text
	}
	switch {
	case s.content != mac([]byte("content"), []byte(text)):
		return edited, tag{}
	case s.prefix != mac(a.prefix[:], []byte(text)):
		return moved, tag{}
	case a.last != tag{} && a.last != s.before:
		return moved, tag{}
	}
	return intact, s.content
}

// loss is reasoning that was not read.
type loss struct {
	block *block
	state state
}

// judge walks over a prompt, takes the reasoning out that the model does not
// accept, and returns it, with what is refused apart, and the anchor of the reply.
func judge(d Dialect, binding Binding, q *prompt) (dropped, refused []loss, a anchor) {
	kept := q.blocks[:0:0]
	for _, b := range q.blocks {
		if b.thought == nil {
			a.pass(b)
			kept = append(kept, b)
			continue
		}
		state, content := a.check(b.thought)
		switch {
		case state == intact:
			a.last = content
			kept = append(kept, b)
		case binding == None && state != edited:
			kept = append(kept, b)
		case drops(d, binding, state, q.drop):
			dropped = append(dropped, loss{b, state})
		default:
			refused = append(refused, loss{b, state})
		}
	}
	q.blocks = kept
	return dropped, refused, a
}

// drops tells whether reasoning that is not accepted is lost rather than refused.
func drops(d Dialect, binding Binding, s state, wish bool) bool {
	switch binding {
	case Drop:
		return true
	case Refuse:
		return s == moved && (wish || d != Messages)
	default:
		return false
	}
}
