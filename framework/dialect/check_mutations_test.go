package dialect

import "strings"

// The functions below walk into a decoded body. They panic when the body is
// not of the shape that the mutation was written for.

func objectAt(o jsonObject, key string, i int) jsonObject { return o[key].([]any)[i].(jsonObject) }

// blockAt is content block j of message i.
func blockAt(o jsonObject, i, j int) jsonObject {
	return objectAt(objectAt(o, "messages", i), "content", j)
}

func insertAt(o jsonObject, key string, i int, v any) {
	l := o[key].([]any)
	o[key] = append(append(append([]any{}, l[:i]...), v), l[i:]...)
}

func removeAt(o jsonObject, key string, i int) {
	l := o[key].([]any)
	o[key] = append(append([]any{}, l[:i]...), l[i+1:]...)
}

func swapAt(o jsonObject, key string, i, j int) {
	l := o[key].([]any)
	l[i], l[j] = l[j], l[i]
}

func setKey(key string, v any) func(jsonObject) { return func(o jsonObject) { o[key] = v } }

const cleanChat = `{"model":"m","tools":[
	{"type":"function","function":{"name":"read","parameters":{"type":"object"}}},
	{"type":"custom","custom":{"name":"patch"}}],
"messages":[
	{"role":"system","content":"be brief"},
	{"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}},
		{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,AAAA"}},{"type":"input_audio","input_audio":{"data":"AAAA","format":"wav"}}]},
	{"role":"assistant","content":null,"tool_calls":[
		{"id":"a","type":"function","function":{"name":"read","arguments":"{\"path\":\"x\"}"}},
		{"id":"b","type":"custom","custom":{"name":"patch","input":"p"}}]},
	{"role":"tool","tool_call_id":"b","content":""},
	{"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"r"}]},
	{"role":"assistant","content":"done"},
	{"role":"user","content":"more"}]}`

func chatMutations() []mutation {
	call := func(o jsonObject, i int) jsonObject { return objectAt(objectAt(o, "messages", 2), "tool_calls", i) }
	function := func(o jsonObject) jsonObject { return call(o, 0)["function"].(jsonObject) }
	message := func(i int, key string, v any) func(jsonObject) {
		return func(o jsonObject) { objectAt(o, "messages", i)[key] = v }
	}
	return []mutation{
		{"model missing", "no-model", setKey("model", nil)},
		{"no messages", "no-messages", setKey("messages", []any{})},
		{"result dropped", "missing-result", func(o jsonObject) { removeAt(o, "messages", 4) }},
		{"both results dropped", "missing-result", func(o jsonObject) { removeAt(o, "messages", 3); removeAt(o, "messages", 3) }},
		{"conversation ends in a call", "missing-result", func(o jsonObject) { o["messages"] = o["messages"].([]any)[:3] }},
		{"call dropped", "orphan-result", func(o jsonObject) { removeAt(o, "messages", 2) }},
		{"result before its call", "orphan-result", func(o jsonObject) { swapAt(o, "messages", 2, 3) }},
		{"user between call and result", "orphan-result", func(o jsonObject) { insertAt(o, "messages", 3, jsonObject{"role": "user", "content": "x"}) }},
		{"result twice", "orphan-result", func(o jsonObject) { insertAt(o, "messages", 5, objectAt(o, "messages", 4)) }},
		{"result of another id", "orphan-result", message(3, "tool_call_id", "z")},
		{"result without id", "orphan-result", message(3, "tool_call_id", nil)},
		{"call ids alike", "duplicate-id", func(o jsonObject) { call(o, 1)["id"] = "a" }},
		{"call id empty", "no-id", func(o jsonObject) { call(o, 1)["id"] = "" }},
		{"call id of 41 characters", "long-id", func(o jsonObject) { call(o, 1)["id"] = strings.Repeat("ä", 41) }},
		{"call of unknown type", "unknown-type", func(o jsonObject) { call(o, 1)["type"] = "magic" }},
		{"tool of unknown type", "unknown-type", func(o jsonObject) { objectAt(o, "tools", 1)["type"] = "magic" }},
		{"tool calls an empty list", "bad-tool-calls", message(5, "tool_calls", []any{})},
		{"tool calls an object", "bad-tool-calls", message(5, "tool_calls", jsonObject{})},
		{"tool result an object", "bad-content", message(3, "content", jsonObject{})},
		{"image in a tool result", "bad-part", message(4, "content", []any{jsonObject{"type": "image_url"}})},
		{"output text of another dialect", "bad-part", message(5, "content", []any{jsonObject{"type": "output_text", "text": "x"}})},
		{"user text empty", "empty-text", message(6, "content", "")},
		{"assistant text empty", "empty-text", message(5, "content", "")},
		{"text a number", "text-type", message(6, "content", []any{jsonObject{"type": "text", "text": 1}})},
		{"refusal empty", "empty-text", message(5, "content", []any{jsonObject{"type": "refusal", "refusal": ""}})},
		{"user without content", "no-content", message(6, "content", nil)},
		{"user with an empty list", "no-content", message(6, "content", []any{})},
		{"assistant with nothing", "no-content", message(5, "content", nil)},
		{"role unknown", "bad-role", message(6, "role", "narrator")},
		{"system at the end", "late-system", message(6, "role", "system")},
		{"key of its own", "unknown-key", message(5, "mood", "good")},
		{"key of its own on a result", "unknown-key", message(3, "is_error", true)},
		{"tools dropped", "no-tools", func(o jsonObject) { delete(o, "tools") }},
		{"tool twice", "duplicate-tool", func(o jsonObject) { insertAt(o, "tools", 1, objectAt(o, "tools", 0)) }},
		{"tool name with a blank", "bad-tool-name", func(o jsonObject) { objectAt(o, "tools", 0)["function"].(jsonObject)["name"] = "a b" }},
		{"schema no object", "bad-schema", func(o jsonObject) {
			objectAt(o, "tools", 0)["function"].(jsonObject)["parameters"] = jsonObject{"type": "string"}
		}},
		{"call of a bad name", "bad-tool-name", func(o jsonObject) { function(o)["name"] = "" }},
		{"call of an undeclared tool", "undeclared-tool", func(o jsonObject) { function(o)["name"] = "write" }},
		{"arguments an object", "bad-arguments", func(o jsonObject) { function(o)["arguments"] = jsonObject{} }},
		{"arguments a list", "arguments-object", func(o jsonObject) { function(o)["arguments"] = "[]" }},
		{"arguments cut", "arguments-json", func(o jsonObject) { function(o)["arguments"] = `{"path":` }},
		{"image without url", "no-url", func(o jsonObject) { blockAt(o, 1, 1)["image_url"] = jsonObject{} }},
		{"image of another scheme", "bad-url", func(o jsonObject) { blockAt(o, 1, 1)["image_url"] = jsonObject{"url": "file:///x"} }},
		{"image data not in base64", "bad-data-url", func(o jsonObject) { blockAt(o, 1, 1)["image_url"] = jsonObject{"url": "data:image/png,x"} }},
		{"image of another type", "media-type", func(o jsonObject) {
			blockAt(o, 1, 1)["image_url"] = jsonObject{"url": "data:image/tiff;base64,AAAA"}
		}},
		{"image cut", "bad-base64", func(o jsonObject) {
			blockAt(o, 1, 1)["image_url"] = jsonObject{"url": "data:image/png;base64,AAA"}
		}},
		{"file without data", "no-file", func(o jsonObject) { blockAt(o, 1, 2)["file"] = jsonObject{"filename": "a"} }},
		{"sound without data", "no-data", func(o jsonObject) { blockAt(o, 1, 3)["input_audio"] = jsonObject{} }},
		{"sound over two lines", "bad-base64", func(o jsonObject) { blockAt(o, 1, 3)["input_audio"] = jsonObject{"data": "AA\nAA"} }},
	}
}

const cleanResponses = `{"model":"m","store":false,"instructions":"be brief","tools":[
	{"type":"function","name":"read","parameters":{"type":"object"}},{"type":"custom","name":"patch"},{"type":"web_search"}],
"input":[
	{"type":"message","role":"developer","content":"rules"},
	{"type":"compaction","encrypted_content":"c"},
	{"role":"user","content":[{"type":"input_text","text":"look"},{"type":"input_image","image_url":"https://h/x.png"},{"type":"input_file","file_id":"f"}]},
	{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"e"},
	{"type":"function_call","id":"fc_1","call_id":"a","name":"read","arguments":"{}"},
	{"type":"custom_tool_call","id":"ct_1","call_id":"b","name":"patch","input":"p"},
	{"type":"custom_tool_call_output","call_id":"b","output":""},
	{"type":"function_call_output","call_id":"a","output":[{"type":"input_text","text":"r"}]},
	{"type":"web_search_call","id":"ws_1","status":"completed"},
	{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"done"}]},
	{"type":"additional_tools","tools":[{"type":"namespace","name":"n","tools":[{"type":"function","name":"late"}]}]},
	{"role":"user","content":"more"},
	{"type":"function_call","call_id":"c","name":"late","arguments":"{}"},
	{"type":"function_call_output","call_id":"c","output":"r"}]}`

func responsesMutations() []mutation {
	item := func(i int, key string, v any) func(jsonObject) {
		return func(o jsonObject) { objectAt(o, "input", i)[key] = v }
	}
	drop := func(i int) func(jsonObject) { return func(o jsonObject) { removeAt(o, "input", i) } }
	add := func(i int, v jsonObject) func(jsonObject) { return func(o jsonObject) { insertAt(o, "input", i, v) } }
	return []mutation{
		{"model missing", "no-model", setKey("model", "")},
		{"instructions a list", "text-type", setKey("instructions", []any{})},
		{"two histories", "two-histories", func(o jsonObject) { o["previous_response_id"] = "r"; o["conversation"] = jsonObject{"id": "c"} }},
		{"input missing", "no-messages", func(o jsonObject) { delete(o, "input") }},
		{"output dropped", "missing-result", drop(7)},
		{"last output dropped", "missing-result", drop(13)},
		{"call dropped", "orphan-result", drop(5)},
		{"output before its call", "result-first", func(o jsonObject) { swapAt(o, "input", 12, 13) }},
		{"output twice", "second-result", func(o jsonObject) { insertAt(o, "input", 8, objectAt(o, "input", 7)) }},
		{"output of another type", "wrong-result-type", item(6, "type", "function_call_output")},
		{"output a number", "bad-content", item(7, "output", 3)},
		{"output with model text", "bad-part", item(7, "output", []any{jsonObject{"type": "output_text", "text": "x"}})},
		{"call ids alike", "duplicate-id", item(5, "call_id", "a")},
		{"item ids alike", "duplicate-id", item(5, "id", "fc_1")},
		{"call id missing", "no-id", item(5, "call_id", nil)},
		{"call id of 65 characters", "long-id", item(5, "call_id", strings.Repeat("x", 65))},
		{"user between call and output", "open-call", add(6, jsonObject{"role": "user", "content": "x"})},
		{"assistant between call and output", "open-call", add(6, jsonObject{"role": "assistant", "content": "x"})},
		{"reasoning at the end", "reasoning-last", func(o jsonObject) {
			insertAt(o, "input", 14, jsonObject{"type": "reasoning", "summary": []any{}, "encrypted_content": "e"})
		}},
		{"reasoning before the user", "reasoning-alone", func(o jsonObject) { swapAt(o, "input", 2, 3) }},
		{"reasoning before an output", "reasoning-alone", func(o jsonObject) {
			insertAt(o, "input", 13, jsonObject{"type": "reasoning", "summary": []any{}, "encrypted_content": "e"})
		}},
		{"reasoning unreadable later", "reasoning-unstored", item(3, "encrypted_content", nil)},
		{"reasoning without a name", "reasoning-unnamed", func(o jsonObject) {
			delete(objectAt(o, "input", 3), "id")
			delete(objectAt(o, "input", 3), "encrypted_content")
		}},
		{"reasoning without summary", "bad-summary", item(3, "summary", nil)},
		{"compaction emptied", "empty-opaque", item(1, "encrypted_content", "")},
		{"trigger in the middle", "trigger-not-last", add(2, jsonObject{"type": "compaction_trigger"})},
		{"reference to nothing", "no-id", add(2, jsonObject{"type": "item_reference"})},
		{"item of unknown type", "unknown-type", add(2, jsonObject{"type": "magic"})},
		{"role unknown", "bad-role", item(11, "role", "tool")},
		{"user text empty", "empty-text", item(11, "content", "")},
		{"user without content", "no-content", item(11, "content", nil)},
		{"user with an empty list", "no-content", item(11, "content", []any{})},
		{"model text of a user", "bad-part", item(11, "content", []any{jsonObject{"type": "output_text", "text": "x"}})},
		{"user text of the model", "bad-part", item(9, "content", []any{jsonObject{"type": "input_text", "text": "x"}})},
		{"refusal empty", "empty-text", item(9, "content", []any{jsonObject{"type": "refusal", "refusal": ""}})},
		{"tools dropped", "no-tools", setKey("tools", nil)},
		{"tool twice", "duplicate-tool", func(o jsonObject) { objectAt(o, "tools", 1)["name"] = "read" }},
		{"tool name with a dot", "bad-tool-name", func(o jsonObject) { objectAt(o, "tools", 1)["name"] = "a.b" }},
		{"schema no object", "bad-schema", func(o jsonObject) { objectAt(o, "tools", 0)["parameters"] = jsonObject{} }},
		{"call of an undeclared tool", "undeclared-tool", drop(10)},
		{"arguments missing", "bad-arguments", item(4, "arguments", nil)},
		{"custom input an object", "bad-arguments", item(5, "input", jsonObject{})},
		{"arguments cut", "arguments-json", item(4, "arguments", "{")},
		{"arguments a string", "arguments-object", item(4, "arguments", `"x"`)},
		{"image without url", "no-url", func(o jsonObject) { delete(objectAt(objectAt(o, "input", 2), "content", 1), "image_url") }},
		{"file without reference", "no-file", func(o jsonObject) { delete(objectAt(objectAt(o, "input", 2), "content", 2), "file_id") }},
	}
}

const cleanAnthropic = `{"model":"m","max_tokens":4096,"thinking":{"type":"enabled","budget_tokens":1024},
"system":[{"type":"text","text":"be brief","cache_control":{"type":"ephemeral"}}],
"tools":[{"name":"read","input_schema":{"type":"object"}},{"type":"web_search_20250305","name":"web_search","cache_control":{"type":"ephemeral"}}],
"messages":[
	{"role":"user","content":[{"type":"text","text":"look"},
		{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}},
		{"type":"document","source":{"type":"url","url":"https://h/x.pdf"}}]},
	{"role":"assistant","content":[{"type":"redacted_thinking","data":"d"},
		{"type":"server_tool_use","id":"s1","name":"web_search","input":{}},{"type":"web_search_tool_result","tool_use_id":"s1","content":[]},
		{"type":"text","text":"done"}]},
	{"role":"user","content":"more"},
	{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},
		{"type":"tool_use","id":"a","name":"read","input":{}},{"type":"tool_use","id":"b","name":"read","input":{}}]},
	{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":""},
		{"type":"tool_result","tool_use_id":"a","is_error":true,"content":[{"type":"text","text":"r"}]},{"type":"text","text":"and"}]}]}`

func anthropicMutations() []mutation {
	message := func(i int, key string, v any) func(jsonObject) {
		return func(o jsonObject) { objectAt(o, "messages", i)[key] = v }
	}
	content := func(i, j int, key string, v any) func(jsonObject) {
		return func(o jsonObject) { blockAt(o, i, j)[key] = v }
	}
	drop := func(i, j int) func(jsonObject) {
		return func(o jsonObject) { removeAt(objectAt(o, "messages", i), "content", j) }
	}
	add := func(i, j int, v jsonObject) func(jsonObject) {
		return func(o jsonObject) { insertAt(objectAt(o, "messages", i), "content", j, v) }
	}
	marked := func(j int, kind string) func(jsonObject) {
		return content(3, j, "cache_control", jsonObject{"type": kind})
	}
	return append(anthropicMediaMutations(content, add), []mutation{
		{"model missing", "no-model", setKey("model", nil)},
		{"max_tokens zero", "max-tokens", setKey("max_tokens", 0)},
		{"max_tokens a fraction", "max-tokens", setKey("max_tokens", 1.5)},
		{"no messages", "no-messages", setKey("messages", nil)},
		{"system a number", "bad-system", setKey("system", 1)},
		{"system with an image", "bad-system", func(o jsonObject) { objectAt(o, "system", 0)["type"] = "image" }},
		{"system empty", "empty-text", setKey("system", "")},
		{"tool name with a dot", "bad-tool-name", func(o jsonObject) { objectAt(o, "tools", 0)["name"] = "a.b" }},
		{"tool twice", "duplicate-tool", func(o jsonObject) { insertAt(o, "tools", 0, objectAt(o, "tools", 0)) }},
		{"schema missing", "bad-schema", func(o jsonObject) { delete(objectAt(o, "tools", 0), "input_schema") }},
		{"tools dropped", "no-tools", setKey("tools", nil)},
		{"call of an undeclared tool", "undeclared-tool", content(3, 1, "name", "write")},
		{"result dropped", "missing-result", drop(4, 0)},
		{"results message dropped", "missing-result", func(o jsonObject) { removeAt(o, "messages", 4) }},
		{"assistant before the results", "missing-result", func(o jsonObject) { insertAt(o, "messages", 4, jsonObject{"role": "assistant", "content": "x"}) }},
		{"call dropped", "orphan-result", drop(3, 1)},
		{"result of another id", "orphan-result", content(4, 0, "tool_use_id", "z")},
		{"result twice", "second-result", content(4, 0, "tool_use_id", "a")},
		{"text before the results", "result-after-content", add(4, 0, jsonObject{"type": "text", "text": "x"})},
		{"call ids alike", "duplicate-id", content(3, 2, "id", "a")},
		{"call id with a dot", "bad-id", content(3, 2, "id", "a.b")},
		{"input a string", "bad-arguments", content(3, 1, "input", "{}")},
		{"call by the user", "wrong-role", message(3, "role", "user")},
		{"result by the assistant", "wrong-role", message(4, "role", "assistant")},
		{"error mark a string", "bad-is-error", content(4, 1, "is_error", "yes")},
		{"result an object", "bad-content", content(4, 0, "content", jsonObject{})},
		{"result holding a call", "bad-part", content(4, 0, "content", []any{jsonObject{"type": "tool_use"}})},
		{"first message of the assistant", "first-role", func(o jsonObject) { removeAt(o, "messages", 0) }},
		{"first message of the system", "bad-role", message(0, "role", "system")},
		{"system within a round", "system-in-round", func(o jsonObject) { insertAt(o, "messages", 4, jsonObject{"role": "system", "content": "x"}) }},
		{"role unknown", "bad-role", message(2, "role", "tool")},
		{"key of its own", "unknown-key", message(2, "name", "x")},
		{"content missing", "bad-content", message(2, "content", nil)},
		{"content an empty list", "no-content", message(2, "content", []any{})},
		{"user text empty", "empty-text", message(2, "content", "")},
		{"user text blank", "blank-text", message(2, "content", " \n\t\u2003")},
		{"text missing", "text-type", content(0, 0, "text", nil)},
		{"prefill ends in a blank", "trailing-space", func(o jsonObject) { insertAt(o, "messages", 5, jsonObject{"role": "assistant", "content": "so "}) }},
		{"prefill while thinking", "thinking-prefill", func(o jsonObject) { insertAt(o, "messages", 5, jsonObject{"role": "assistant", "content": "so"}) }},
		{"thinking moved to the end", "thinking-last", func(o jsonObject) {
			swapAt(objectAt(o, "messages", 3), "content", 0, 2)
		}},
		{"redacted thinking moved to the end", "thinking-last", func(o jsonObject) { swapAt(objectAt(o, "messages", 1), "content", 0, 3) }},
		{"thinking of the running turn dropped", "thinking-dropped", drop(3, 0)},
		{"thinking without text", "no-thinking", content(3, 0, "thinking", nil)},
		{"signature removed", "no-signature", content(3, 0, "signature", nil)},
		{"redacted thinking emptied", "no-data", content(1, 0, "data", "")},
		{"thinking by the user", "wrong-role", message(1, "role", "user")},
		{"thinking budget low", "thinking-budget", setKey("thinking", jsonObject{"type": "enabled", "budget_tokens": 1023})},
		{"thinking budget over the output", "thinking-budget", setKey("max_tokens", 1024)},
		{"thinking with a temperature", "thinking-temperature", setKey("temperature", 0.5)},
		{"breakpoint of another type", "bad-breakpoint", marked(1, "lasting")},
		{"breakpoint on thinking", "breakpoint-on-thinking", marked(0, "ephemeral")},
		{"five breakpoints", "breakpoints", func(o jsonObject) {
			marked(1, "ephemeral")(o)
			marked(2, "ephemeral")(o)
			content(4, 1, "cache_control", jsonObject{"type": "ephemeral"})(o)
		}},
		{"server result dropped from its call", "orphan-server-result", drop(1, 1)},
		{"server result twice", "second-result", add(1, 3, jsonObject{"type": "web_search_tool_result", "tool_use_id": "s1"})},
		{"server call by the user", "wrong-role", add(4, 2, jsonObject{"type": "server_tool_use", "id": "s2"})},
		{"compaction by the user", "wrong-role", add(4, 2, jsonObject{"type": "compaction", "content": "c"})},
		{"compaction a list", "bad-content", add(1, 3, jsonObject{"type": "compaction", "content": []any{}})},
		{"block of unknown type", "unknown-type", add(1, 3, jsonObject{"type": "magic"})},
	}...)
}

func anthropicMediaMutations(content func(i, j int, key string, v any) func(jsonObject), add func(i, j int, v jsonObject) func(jsonObject)) []mutation {
	source := func(j int, key string, v any) func(jsonObject) {
		return func(o jsonObject) { blockAt(o, 0, j)["source"].(jsonObject)[key] = v }
	}
	return []mutation{
		{"image without source", "no-source", content(0, 1, "source", nil)},
		{"image of another type", "media-type", source(1, "media_type", "image/tiff")},
		{"image data missing", "no-data", source(1, "data", nil)},
		{"image cut", "bad-base64", source(1, "data", "AAA")},
		{"document of another scheme", "bad-url", source(2, "url", "ftp://h/x")},
		{"source of unknown type", "unknown-type", source(2, "type", "magic")},
		{"image by the assistant", "wrong-role", add(1, 3, jsonObject{"type": "image", "source": jsonObject{"type": "file", "file_id": "f"}})},
		{"plain text as a result's document", "media-type", content(4, 0, "content", []any{jsonObject{
			"type": "document", "source": jsonObject{"type": "base64", "media_type": "text/plain", "data": "AAAA"},
		}})},
	}
}
