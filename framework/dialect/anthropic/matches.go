package anthropic

import (
	"errors"
	"strings"

	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
)

// verdict is what a look at a body has shown so far.
type verdict int

const (
	undecided verdict = iota
	ours
	foreign
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
			if list = true; is == ours {
				return errDecided
			}
			is, err = signsOfList(s)
		default:
			var v jsonspan.Value
			v, err = s.Value()
			if is == undecided {
				is = sign(key, v)
			}
			claude = claude || key == "model" && strings.HasPrefix(v.Text(), "claude")
		}
		if err == nil && (is == foreign || is == ours && list) {
			err = errDecided
		}
		return err
	})
	if err != nil && !errors.Is(err, errDecided) {
		return false
	}
	return list && (is == ours || is == undecided && claude)
}

// sign is what a member beside the list shows.
func sign(key string, v jsonspan.Value) verdict {
	switch key {
	case "system", "anthropic_version", "thinking":
		if !v.Missing() {
			return ours
		}
	case "tools":
		for _, t := range v.Elements() {
			if !t.Get("input_schema").Missing() {
				return ours
			}
			if !t.Get("function").Missing() {
				return foreign
			}
		}
	case "input":
		return foreign
	}
	return undecided
}

// signsOfList is what the messages show. It stops at the first sign.
func signsOfList(s *jsonspan.Scanner) (is verdict, err error) {
	_, err = s.Elements(func(i int) error {
		m, err := s.Value()
		if err != nil {
			return err
		}
		if is = signOfMessage(i, m); is != undecided {
			return errDecided
		}
		return nil
	})
	return is, err
}

func signOfMessage(i int, m jsonspan.Value) verdict {
	switch role := string(m.Get("role").Bytes()); {
	case role == "tool", role == "function", role == "developer", role == "system" && i == 0:
		return foreign
	}
	if !m.Get("tool_calls").Missing() {
		return foreign
	}
	for _, b := range m.Get("content").Elements() {
		switch string(b.Get("type").Bytes()) {
		case "tool_use", "tool_result", "thinking", "redacted_thinking", "image", "document", "compaction":
			return ours
		}
	}
	return undecided
}
