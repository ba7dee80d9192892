package fakeprovider

import "encoding/json"

func (responsesFormat) opening(a *answer) []event {
	b := responseBody(a, "in_progress", []any{}, nil)
	return []event{
		named("response.created", obj{"response": b, "sequence_number": 0}),
		named("response.in_progress", obj{"response": b, "sequence_number": 1}),
	}
}

// itemStream numbers the events of the items of a reply.
type itemStream struct {
	events []event
	index  int
	id     string
}

func (s *itemStream) say(name string, data obj) {
	data["sequence_number"] = len(s.events) + 2 // behind those of the opening
	s.events = append(s.events, named(name, data))
}

// part says something of a part of the item at hand.
func (s *itemStream) part(name string, data obj) {
	data["item_id"], data["output_index"] = s.id, s.index
	s.say(name, data)
}

func (responsesFormat) events(a *answer) []event {
	s := &itemStream{}
	for i, raw := range a.items {
		f := object(raw)
		s.index, s.id = i, f.str("id")
		s.say("response.output_item.added", obj{"output_index": i, "item": begun(f)})
		s.middle(f)
		s.say("response.output_item.done", obj{"output_index": i, "item": raw})
	}
	b := ended(a)
	s.say("response."+b["status"].(string), obj{"response": b})
	return s.events
}

// begun is an item before anything of it was said.
func begun(f fields) fields {
	start := fields{}
	for name, v := range f {
		start[name] = v
	}
	switch f.str("type") {
	case "message":
		start["content"], start["status"] = json.RawMessage("[]"), json.RawMessage(`"in_progress"`)
	case "function_call":
		start["arguments"], start["status"] = json.RawMessage(`""`), json.RawMessage(`"in_progress"`)
	case "custom_tool_call":
		start["input"] = json.RawMessage(`""`)
	case "reasoning":
		start["summary"] = json.RawMessage("[]")
		delete(start, "encrypted_content")
	}
	return start
}

// middle says the item piece by piece. Items of other types come whole.
func (s *itemStream) middle(f fields) {
	switch f.str("type") {
	case "message":
		for i, raw := range listOf(f["content"]) {
			s.content(i, raw)
		}
	case "function_call":
		arguments := f.str("arguments")
		for _, piece := range chunks(arguments) {
			s.part("response.function_call_arguments.delta", obj{"delta": piece})
		}
		s.part("response.function_call_arguments.done", obj{"arguments": arguments, "name": f.str("name")})
	case "custom_tool_call":
		input := f.str("input")
		for _, piece := range chunks(input) {
			s.part("response.custom_tool_call_input.delta", obj{"delta": piece})
		}
		s.part("response.custom_tool_call_input.done", obj{"input": input})
	case "reasoning":
		for i, raw := range listOf(f["summary"]) {
			s.summary(i, raw)
		}
	}
}

// content says a part of a message.
func (s *itemStream) content(i int, raw json.RawMessage) {
	f := object(raw)
	member, name := "text", "response.output_text"
	if f.str("type") == "refusal" {
		member, name = "refusal", "response.refusal"
	}
	whole := f.str(member)
	start := obj{"type": f.str("type"), member: ""}
	if member == "text" {
		start["annotations"], start["logprobs"] = []any{}, []any{}
	}
	s.part("response.content_part.added", obj{"content_index": i, "part": start})
	for _, piece := range chunks(whole) {
		s.part(name+".delta", obj{"content_index": i, "delta": piece})
	}
	s.part(name+".done", obj{"content_index": i, member: whole})
	s.part("response.content_part.done", obj{"content_index": i, "part": raw})
}

// summary says a part of the summary of reasoning.
func (s *itemStream) summary(i int, raw json.RawMessage) {
	whole := object(raw).str("text")
	s.part("response.reasoning_summary_part.added", obj{"summary_index": i, "part": obj{"type": "summary_text", "text": ""}})
	for _, piece := range chunks(whole) {
		s.part("response.reasoning_summary_text.delta", obj{"summary_index": i, "delta": piece})
	}
	s.part("response.reasoning_summary_text.done", obj{"summary_index": i, "text": whole})
	s.part("response.reasoning_summary_part.done", obj{"summary_index": i, "part": raw})
}
