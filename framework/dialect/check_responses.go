package dialect

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// outputOf names the item that answers each kind of call, callOf the reverse.
var (
	outputOf = map[string]string{
		"function_call":    "function_call_output",
		"custom_tool_call": "custom_tool_call_output",
		"local_shell_call": "local_shell_call_output",
		"shell_call":       "shell_call_output",
		"apply_patch_call": "apply_patch_call_output",
		"computer_call":    "computer_call_output",
	}
	callOf = map[string]string{}
)

func init() {
	for c, o := range outputOf {
		callOf[o] = c
	}
}

// selfContained are items without rules of their own.
var selfContained = []string{
	"web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call",
	"mcp_call", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response",
	"tool_search_call", "tool_search_output", "additional_tools",
}

// responseCall is a call item or its output: where it stands, and its type.
type responseCall struct {
	at       int
	itemType string
}

// responsesCheck is what the rules of Responses remember between items.
type responsesCheck struct {
	*checker
	declared map[string]bool
	items    []any
	ids      map[string]bool
	calls    map[string]responseCall
	callIDs  []string // in order
	outputs  map[string]responseCall
	// chained bodies continue a history that the provider holds.
	chained bool
	// unstored bodies may not refer to items by id alone.
	unstored bool
}

// responses checks a Responses body.
func (c *checker) responses(o jsonObject) {
	c.model(o)
	if o["instructions"] != nil {
		c.text("instructions", o["instructions"])
	}
	previous, conversation := isSet(o, "previous_response_id"), isSet(o, "conversation")
	if previous && conversation {
		c.add("body", "two-histories", "previous_response_id and conversation exclude each other")
	}
	k := &responsesCheck{
		checker: c, declared: map[string]bool{}, ids: map[string]bool{},
		calls: map[string]responseCall{}, outputs: map[string]responseCall{},
		items: listAt(o, "input"), chained: previous || conversation, unstored: o["store"] == false,
	}
	tools := listAt(o, "tools")
	k.tools(tools)
	if s, ok := textAt(o, "input"); ok {
		c.text("input", s)
		return
	}
	if len(k.items) == 0 {
		if !k.chained {
			c.add("input", "no-messages", "missing or empty")
		}
		return
	}
	k.list()
	if len(k.calls) > 0 && len(tools) == 0 {
		c.add("tools", "no-tools", "calls used but no tools declared")
	}
}

// tools notes the declared tools, those loaded by items of the input included.
func (k *responsesCheck) tools(tools []any) {
	for i, v := range tools {
		place := placeAt("tools", i)
		t, _ := v.(jsonObject)
		switch t["type"] {
		case "function":
			k.parameters(place, t["parameters"])
			k.declare(place, t["name"], openAIName, k.declared)
		case "custom":
			k.declare(place, t["name"], openAIName, k.declared)
		}
	}
	for _, v := range k.items {
		if it, _ := v.(jsonObject); it["type"] == "additional_tools" || it["type"] == "tool_search_output" {
			k.loaded(listAt(it, "tools"))
		}
	}
}

// loaded notes tools, and those inside of namespaces.
func (k *responsesCheck) loaded(tools []any) {
	for _, v := range tools {
		t, _ := v.(jsonObject)
		if name, _ := textAt(t, "name"); name != "" {
			k.declared[name] = true
		}
		k.loaded(listAt(t, "tools"))
	}
}

func (k *responsesCheck) list() {
	for i, v := range k.items {
		place := placeAt("input", i)
		it, ok := v.(jsonObject)
		if !ok {
			k.add(place, "not-object", "item is not an object")
			continue
		}
		if it["id"] != nil {
			name := idText(it["id"])
			if k.ids[name] {
				k.add(place, "duplicate-id", "item id %s not unique", name)
			}
			k.ids[name] = true
		}
		k.item(i, place, it)
	}
	k.unanswered()
	k.interrupted()
}

// itemType is the item's type; a message may leave it out.
func itemType(it jsonObject) string {
	if t, _ := textAt(it, "type"); t != "" {
		return t
	}
	if _, ok := it["role"]; ok {
		return "message"
	}
	return ""
}

func (k *responsesCheck) item(i int, place string, it jsonObject) {
	t := itemType(it)
	switch {
	case t == "message":
		k.message(place, it)
	case outputOf[t] != "":
		k.call(i, place, t, it)
	case callOf[t] != "":
		k.output(i, place, t, it)
	case t == "reasoning":
		k.reasoning(i, place, it)
	case t == "compaction" || t == "compaction_summary" || t == "context_compaction":
		if s, _ := textAt(it, "encrypted_content"); s == "" {
			k.add(place, "empty-opaque", "compaction without encrypted_content")
		}
	case t == "compaction_trigger":
		if i != len(k.items)-1 {
			k.add(place, "trigger-not-last", "compaction_trigger must be the last item")
		}
	case t == "item_reference":
		if !isSet(it, "id") {
			k.add(place, "no-id", "item_reference without id")
		}
	case !slices.Contains(selfContained, t):
		k.add(place, "unknown-type", "item type %q unknown", t)
	}
}

func (k *responsesCheck) message(place string, it jsonObject) {
	role, _ := textAt(it, "role")
	kinds := []string{"input_text", "input_image", "input_file", "input_audio"}
	switch role {
	case "user", "system", "developer":
	case "assistant":
		kinds = []string{"output_text", "refusal"}
	default:
		k.add(place, "bad-role", "role %q unknown", idText(it["role"]))
	}
	switch c := it["content"].(type) {
	case string:
		k.text(place, c)
		return
	case []any:
		if len(c) > 0 {
			k.parts(place, c, kinds...)
			return
		}
	}
	k.add(place, "no-content", "content missing")
}

func (k *responsesCheck) call(i int, place, t string, it jsonObject) {
	id, _ := textAt(it, "call_id")
	if id == "" {
		k.add(place, "no-id", "call_id missing")
		return
	}
	if n := utf8.RuneCountInString(id); n > 64 {
		k.add(place, "long-id", "call_id longer than 64 characters (%d)", n)
	}
	if _, ok := k.calls[id]; ok {
		k.add(place, "duplicate-id", "call_id %s not unique", id)
	} else {
		k.callIDs = append(k.callIDs, id)
	}
	k.calls[id] = responseCall{i, t}
	switch t {
	case "function_call":
		k.toolName(place, it["name"], openAIName, k.declared)
		k.arguments(place, it["arguments"])
	case "custom_tool_call":
		k.toolName(place, it["name"], openAIName, k.declared)
		if _, ok := textAt(it, "input"); !ok {
			k.add(place, "bad-arguments", "input must be a string")
		}
	}
}

func (k *responsesCheck) output(i int, place, t string, it jsonObject) {
	id := idText(it["call_id"])
	if _, ok := k.outputs[id]; ok {
		k.add(place, "second-result", "second output for %s", id)
	}
	k.outputs[id] = responseCall{i, t}
	if made, ok := k.calls[id]; !ok {
		if !k.chained {
			k.add(place, "orphan-result", "orphan output %q: no call with that id before it", id)
		}
	} else if made.itemType != callOf[t] {
		k.add(place, "wrong-result-type", "%s answers a %s", t, made.itemType)
	}
	switch o := it["output"].(type) {
	case string:
		k.mayBeEmpty(place, o)
	case []any:
		k.parts(place, o, "input_text", "input_image", "input_file")
	default:
		if t == "function_call_output" || t == "custom_tool_call_output" {
			k.add(place, "bad-content", "output must be string or list")
		}
	}
}

func (k *responsesCheck) reasoning(i int, place string, it jsonObject) {
	if _, ok := it["summary"].([]any); !ok {
		k.add(place, "bad-summary", "summary must be a list")
	}
	encrypted := isSet(it, "encrypted_content")
	if !encrypted && !isSet(it, "id") {
		k.add(place, "reasoning-unnamed", "reasoning needs an id or encrypted_content")
	}
	if !encrypted && k.unstored {
		k.add(place, "reasoning-unstored", "store is false: reasoning must carry encrypted_content")
	}
	for i++; i < len(k.items); i++ {
		next, _ := k.items[i].(jsonObject)
		t := cmp.Or(itemType(next), "message")
		if t == "reasoning" {
			continue
		}
		if callOf[t] != "" || t == "message" && next["role"] != "assistant" || t == "compaction" || t == "compaction_summary" {
			k.add(place, "reasoning-alone", "reasoning must be followed by the assistant item it led to, found %s", t)
		}
		return
	}
	k.add(place, "reasoning-last", "reasoning without its following item (end of input)")
}

// unanswered reports calls without an output behind them.
func (k *responsesCheck) unanswered() {
	for _, id := range k.callIDs {
		made := k.calls[id]
		answer, ok := k.outputs[id]
		switch place := placeAt("input", made.at); {
		case !ok:
			k.add(place, "missing-result", "missing %s for %s", outputOf[made.itemType], id)
		case answer.at < made.at:
			k.add(place, "result-first", "output of %s comes before its call", id)
		}
	}
}

// interrupted reports messages between a call and its output, once for each
// batch of calls.
func (k *responsesCheck) interrupted() {
	open := map[string]bool{}
	for i, v := range k.items {
		it, _ := v.(jsonObject)
		id := idText(it["call_id"])
		switch t := itemType(it); {
		case outputOf[t] != "":
			open[id] = true
		case callOf[t] != "":
			delete(open, id)
		case t == "message" && len(open) > 0 && (it["role"] == "user" || it["role"] == "assistant"):
			k.add(placeAt("input", i), "open-call", "%s message while a call is unanswered", it["role"])
			clear(open)
		}
	}
}

// parts checks a list of content parts of which some types are allowed.
func (k *responsesCheck) parts(place string, parts []any, kinds ...string) {
	for j, v := range parts {
		p, _ := v.(jsonObject)
		place := placeAt(place+".content", j)
		kind, _ := textAt(p, "type")
		if !slices.Contains(kinds, kind) {
			k.add(place, "bad-part", "part type %q not allowed here", kind)
			continue
		}
		switch kind {
		case "input_text", "output_text":
			k.text(place, p["text"])
		case "refusal":
			k.text(place, p["refusal"])
		case "input_image":
			if !isSet(p, "file_id") {
				k.url(place, p["image_url"], true)
			}
		case "input_file":
			k.file(place, p, "file_id", "file_url")
		}
	}
}
