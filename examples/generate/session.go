package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// session is a conversation that grows, and the project it is about.
type session struct {
	files    map[string]string
	messages []message
	calls    int
	// err is the first use of a tool that a story did not mean to fail.
	err error
}

// call is one use of a tool with its outcome.
type call struct {
	name   string
	input  map[string]string
	output string
	failed bool
}

// user adds what the user asks.
func (s *session) user(text string) {
	s.messages = append(s.messages, message{"user", []block{{Type: "text", Text: text}}})
}

// say ends a turn of the agent.
func (s *session) say(text string) {
	s.messages = append(s.messages, message{"assistant", []block{{Type: "text", Text: text}}})
}

// do adds a step of the agent: what it says, its calls, and their results.
func (s *session) do(text string, calls ...call) {
	step, results := message{Role: "assistant"}, message{Role: "user"}
	if text != "" {
		step.Content = append(step.Content, block{Type: "text", Text: text})
	}
	for _, c := range calls {
		s.calls++
		id := fmt.Sprintf("toolu_%04d", s.calls)
		step.Content = append(step.Content, block{Type: "tool_use", ID: id, Name: c.name, Input: c.input})
		results.Content = append(results.Content, block{Type: "tool_result", ToolUseID: id, Content: c.output, IsError: c.failed})
	}
	s.messages = append(s.messages, step, results)
}

// list lists the files below a folder with their sizes.
func (s *session) list(folder string) call {
	var out strings.Builder
	for _, path := range slices.Sorted(maps.Keys(s.files)) {
		if strings.HasPrefix(path, folder) {
			fmt.Fprintf(&out, "%6d  %s\n", len(s.files[path]), path)
		}
	}
	return call{name: "list_files", input: map[string]string{"folder": folder}, output: out.String()}
}

// read shows a file.
func (s *session) read(path string) call {
	text, ok := s.files[path]
	if !ok {
		s.fail("read %s: there is no such file", path)
	}
	var out strings.Builder
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		fmt.Fprintf(&out, "%4d  %s\n", i+1, line)
	}
	return call{name: "read_file", input: map[string]string{"path": path}, output: out.String()}
}

// search finds lines.
func (s *session) search(text string) call {
	var out strings.Builder
	for _, path := range slices.Sorted(maps.Keys(s.files)) {
		for i, line := range strings.Split(s.files[path], "\n") {
			if strings.Contains(line, text) {
				fmt.Fprintf(&out, "%s:%d: %s\n", path, i+1, strings.TrimSpace(line))
			}
		}
	}
	if out.Len() == 0 {
		s.fail("search %q: nothing found", text)
	}
	return call{name: "search", input: map[string]string{"text": text}, output: out.String()}
}

// edit replaces a text.
func (s *session) edit(path, before, after string) call {
	c := call{name: "edit_file", input: map[string]string{"path": path, "old": before, "new": after}}
	if n := strings.Count(s.files[path], before); n != 1 {
		s.fail("edit %s: %q is there %d times", path, before, n)
	}
	s.files[path] = strings.Replace(s.files[path], before, after, 1)
	c.output = "Edited " + path + "."
	return c
}

// write makes a file.
func (s *session) write(path, content string) call {
	s.files[path] = content
	return call{
		name:   "write_file",
		input:  map[string]string{"path": path, "content": content},
		output: fmt.Sprintf("Wrote %s, %d bytes.", path, len(content)),
	}
}

// run shows what a command prints.
func run(command, output string) call {
	return call{name: "run", input: map[string]string{"command": command}, output: output}
}

// fails marks a call as one that failed.
func (c call) fails() call {
	c.failed = true
	return c
}

func (s *session) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf(format, args...)
	}
}
