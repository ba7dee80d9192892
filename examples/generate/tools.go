package main

// toolSpec is a tool definition.
type toolSpec struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	InputSchema schema `json:"input_schema"`
}

type schema struct {
	Type       string            `json:"type"`
	Properties map[string]schema `json:"properties,omitempty"`
	Required   []string          `json:"required,omitempty"`
}

const systemText = `You are a careful programmer who works in the user's repository.

Work in small steps: look before you change anything, change one thing at a time, and check it. Paths are relative to the root of the repository. Files are shown with line numbers, which are no part of them. When a command fails, read what it printed before you try again. Say at the end, in two or three sentences, what you did and what you noticed; leave out what the user can see for themselves.`

func toolSpecs() []toolSpec {
	return []toolSpec{
		tool("list_files", "Lists the files below a folder.", "folder"),
		tool("read_file", "Returns a file with line numbers.", "path"),
		tool("search", "Finds the lines that contain a text, in all files.", "text"),
		tool("edit_file", "Replaces a text, which must be in the file exactly once, by another.", "path", "old", "new"),
		tool("write_file", "Writes a file, which may be new.", "path", "content"),
		tool("run", "Runs a command in the root of the repository and returns what it prints.", "command"),
	}
}

// tool is a tool whose inputs are all texts and all required.
func tool(name, description string, inputs ...string) toolSpec {
	s := schema{Type: "object", Properties: map[string]schema{}, Required: inputs}
	for _, in := range inputs {
		s.Properties[in] = schema{Type: "string"}
	}
	return toolSpec{Name: name, Description: description, InputSchema: s}
}
