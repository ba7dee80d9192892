package anthropic

import (
	"errors"
	"strings"

	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
)

// verdict is what a look at a body has shown so far.
type verdict int

const (
	unknown verdict = iota
	yes
	no
)

var errDecided = errors.New("decided")

// Matches reports whether the body has a list "messages" and something that
// only this format has: a system text beside the list, a version, tools with
// an input schema, blocks of its own kinds, or, where nothing speaks against
// it, a Claude model. It reads no further than it must.
func (Format) Matches(body []byte) bool {
	s := jsonspan.NewScanner(body)
	var list, claude bool
	var is verdict
	err := s.Members(func(key string) (err error) {
		switch {
		case key == "messages" && s.Peek() == jsonspan.Array:
			list = true
			if is == unknown {
				is, err = signsOfList(s)
			} else {
				_, err = s.Value()
			}
		default:
			var v jsonspan.Value
			v, err = s.Value()
			if is == unknown {
				is = sign(key, v)
			}
			claude = claude || key == "model" && strings.HasPrefix(v.Text(), "claude")
		}
		if err == nil && (is == no || is == yes && list) {
			return errDecided
		}
		return err
	})
	if err != nil && !errors.Is(err, errDecided) {
		return false
	}
	return list && (is == yes || is == unknown && claude)
}

// sign is what a member beside the list shows.
func sign(key string, v jsonspan.Value) verdict {
	switch key {
	case "system", "anthropic_version", "thinking":
		if !v.Missing() {
			return yes
		}
	case "tools":
		for _, t := range v.Elements() {
			if !t.Get("input_schema").Missing() {
				return yes
			}
			if !t.Get("function").Missing() {
				return no
			}
		}
	case "input":
		return no
	}
	return unknown
}

// signsOfList is what the messages show. It stops at the first sign.
func signsOfList(s *jsonspan.Scanner) (is verdict, err error) {
	_, err = s.Elements(func(i int) error {
		m, err := s.Value()
		if err != nil {
			return err
		}
		if is = signOfMessage(i, m); is != unknown {
			return errDecided
		}
		return nil
	})
	return is, err
}

func signOfMessage(i int, m jsonspan.Value) verdict {
	switch role := string(m.Get("role").Bytes()); {
	case role == "tool", role == "function", role == "developer", role == "system" && i == 0:
		return no
	}
	if !m.Get("tool_calls").Missing() {
		return no
	}
	for _, b := range m.Get("content").Elements() {
		switch string(b.Get("type").Bytes()) {
		case "tool_use", "tool_result", "thinking", "redacted_thinking", "image", "document", "compaction":
			return yes
		}
	}
	return unknown
}
