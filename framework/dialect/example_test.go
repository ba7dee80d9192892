package dialect_test

import (
	"fmt"

	"github.com/compactor-host/compactor/framework/dialect/all"
	"github.com/compactor-host/compactor/sdk"
)

// A body is parsed, a script is applied to its list, and the body is written
// with what the script made of it. What the script does not touch keeps its
// bytes, odd as they may be.
func Example() {
	body := []byte(`{"model":"m", "messages":[
  {"role":"user","content":"What is in the file?"},
  {"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"read","arguments":"{}"}}]},
  {"role":"tool", "tool_call_id":"1", "x":1.0, "content":"a very long text"},
  {"role":"user","content":"Thanks. What time is it?"}
]}`)
	c, err := all.Parse(body)
	if err != nil {
		fmt.Println(err)
		return
	}
	script := sdk.Script{
		{Kind: sdk.OpKeep, From: 0, To: 2},
		{Kind: sdk.OpSet, From: 2, Part: 0, As: sdk.AsStub, Text: "[text left out]"},
		{Kind: sdk.OpKeep, From: 3, To: 4},
	}
	items, err := script.Apply(sdk.Originals(len(c.Messages)))
	if err != nil {
		fmt.Println(err)
		return
	}
	view, err := c.View(items)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range view.Neutral(sdk.NeedText, nil) {
		fmt.Printf("unit %d, exchange %d: %s, %s\n", m.Unit, m.Exchange, m.Role, m.Parts[0].Kind)
	}
	out, err := view.Render()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", out)
	// Output:
	// unit 0, exchange 0: user, text
	// unit 1, exchange 0: assistant, call
	// unit 1, exchange 0: tool, result
	// unit 2, exchange 1: user, text
	// {"model":"m", "messages":[
	//   {"role":"user","content":"What is in the file?"},
	//   {"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"read","arguments":"{}"}}]},
	//   {"role":"tool", "tool_call_id":"1", "x":1.0, "content":"[text left out]"},
	//   {"role":"user","content":"Thanks. What time is it?"}
	// ]}
}

// What a body holds that is not understood is told with its place.
func ExampleParseError() {
	_, err := all.Parse([]byte(`{"messages":[{"role":"user","content":[{"type":"text","text":7}]}]}`))
	fmt.Println(err)
	// Output: messages[0].content[0].text: is a number, not a string
}
