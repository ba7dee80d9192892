package config

import (
	"bytes"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// breakLines lets a block with several keys stand on one line, as in
//
//	pin { roles = ["user"]  pattern = "never" }
//
// which HCL allows for one key only. It turns the spaces between the keys into
// line ends, so that every offset stays what it was. Other text is returned as
// it is.
func breakLines(b []byte) []byte {
	tokens, diags := hclsyntax.LexConfig(b, "", hcl.InitialPos)
	if diags.HasErrors() {
		return b
	}
	l := liner{out: bytes.Clone(b), bodies: []frame{{body: true}}}
	for i := 1; i < len(tokens); i++ {
		l.token(tokens[i-1], tokens[i], tokens[min(i+1, len(tokens)-1)].Type)
	}
	return l.out
}

// liner is the state of breakLines.
type liner struct {
	out    []byte
	bodies []frame
}

// frame is an open bracket; the file itself is the first.
type frame struct {
	// body is set when keys and blocks stand in it, rather than an expression.
	body bool
	// value is set behind the "=" of a key.
	value bool
}

func (l *liner) token(before, t hclsyntax.Token, after hclsyntax.TokenType) {
	top := &l.bodies[len(l.bodies)-1]
	switch t.Type {
	case hclsyntax.TokenIdent:
		if len(l.bodies) > 1 && top.body && top.begins(before, after) {
			l.lineBreak(t)
			top.value = false
		}
	case hclsyntax.TokenEqual:
		top.value = true
	case hclsyntax.TokenNewline:
		top.value = false
	case hclsyntax.TokenOBrace:
		l.bodies = append(l.bodies, frame{body: top.body && !top.value})
	case hclsyntax.TokenOBrack, hclsyntax.TokenOParen, hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
		l.bodies = append(l.bodies, frame{})
	case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen, hclsyntax.TokenTemplateSeqEnd:
		if top.body && before.Type != hclsyntax.TokenOBrace && before.Type != hclsyntax.TokenNewline {
			l.lineBreak(t)
		}
		if len(l.bodies) > 1 {
			l.bodies = l.bodies[:len(l.bodies)-1]
		}
	}
}

// begins reports whether a name begins a key or a block right behind another
// one, or behind the brace of the block it is in.
func (f *frame) begins(before hclsyntax.Token, after hclsyntax.TokenType) bool {
	switch after {
	case hclsyntax.TokenEqual, hclsyntax.TokenOBrace, hclsyntax.TokenOQuote:
		return f.value || before.Type == hclsyntax.TokenOBrace || before.Type == hclsyntax.TokenCBrace
	}
	return false
}

// lineBreak ends the line in front of a token, where there is a space.
func (l *liner) lineBreak(t hclsyntax.Token) {
	if at := t.Range.Start.Byte - 1; l.out[at] == ' ' || l.out[at] == '\t' {
		l.out[at] = '\n'
	}
}
