package dialect

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// mutation is one way to break a clean body, and the rule it breaks.
type mutation struct {
	name   string
	rule   string
	change func(o jsonObject)
}

// checkCase is a clean body of a dialect and what breaks it.
type checkCase struct {
	dialect   Name
	clean     string
	mutations []mutation
}

func checkCases() []checkCase {
	return []checkCase{
		{OpenAIChat, cleanChat, chatMutations()},
		{OpenAIResponses, cleanResponses, responsesMutations()},
		{Anthropic, cleanAnthropic, anthropicMutations()},
	}
}

// decoded returns a fresh copy of a body for a mutation to change.
func decoded(t *testing.T, body string) jsonObject {
	t.Helper()
	o, err := new(checker).decode([]byte(body))
	if err != nil || o == nil {
		t.Fatalf("test body is not a JSON object: %v", err)
	}
	return o
}

func encoded(t *testing.T, o jsonObject) []byte {
	t.Helper()
	b, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestCheckPassesCleanBodies(t *testing.T) {
	for _, c := range checkCases() {
		if found := Check(c.dialect, []byte(c.clean)); len(found) > 0 {
			t.Errorf("%s: %v", c.dialect, found)
		}
	}
}

func TestCheckFindsEachMutation(t *testing.T) {
	total := 0
	for _, c := range checkCases() {
		for _, m := range c.mutations {
			total++
			t.Run(string(c.dialect)+"/"+m.name, func(t *testing.T) {
				o := decoded(t, c.clean)
				m.change(o)
				found := Check(c.dialect, encoded(t, o))
				if !slices.ContainsFunc(found, func(f Finding) bool { return f.Rule == m.rule && f.Place != "" && f.Message != "" }) {
					t.Errorf("want rule %s, got %v", m.rule, found)
				}
			})
		}
	}
	if total < 50 {
		t.Errorf("%d mutations, want at least 50", total)
	}
}

func TestCheckReadsWhatJSONAllows(t *testing.T) {
	chat := func(text string) string {
		return `{"model":"m","messages":[{"role":"user","content":"` + text + `"}]}`
	}
	for name, c := range map[string]struct {
		dialect Name
		body    string
		want    []string
	}{
		"not JSON":                     {OpenAIChat, `{"model":`, []string{"not-json"}},
		"text behind the value":        {OpenAIChat, chat("hi") + "x", []string{"not-json"}},
		"invalid UTF-8":                {OpenAIChat, chat("\xff"), []string{"not-json"}},
		"a list":                       {OpenAIChat, `[1]`, []string{"not-object"}},
		"null":                         {Anthropic, `null`, []string{"not-object"}},
		"an unknown dialect":           {"gopher", `{}`, []string{"unknown-dialect"}},
		"a lone high surrogate":        {OpenAIChat, chat(`a\ud83d b`), []string{"lone-surrogate"}},
		"a lone low surrogate":         {OpenAIChat, chat(`\uDE00`), []string{"lone-surrogate"}},
		"two high surrogates":          {OpenAIChat, chat(`\ud83d\ud83d\ude00`), []string{"lone-surrogate"}},
		"a surrogate pair":             {OpenAIChat, chat(`\ud83d\ude00`), nil},
		"an escaped backslash and u":   {OpenAIChat, chat(`\\ud83d`), nil},
		"the mark itself":              {OpenAIChat, chat(`\ufdd0 \ud83d\ude00`), nil},
		"the mark beside a lone":       {OpenAIChat, `{"model":"m","messages":[{"role":"user","content":"\ufdd0"},{"role":"user","content":"\ud83d"}]}`, []string{"lone-surrogate"}},
		"the replacement character":    {OpenAIChat, chat(`\ufffd`), nil},
		"messages that are no objects": {OpenAIChat, `{"model":"m","messages":[1,null]}`, []string{"not-object", "not-object"}},
		"blocks that are no objects":   {Anthropic, `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[1]}]}`, []string{"not-object"}},
		"items that are no objects":    {OpenAIResponses, `{"model":"m","input":[1]}`, []string{"not-object"}},
		"input as a string":            {OpenAIResponses, `{"model":"m","input":"hi"}`, nil},
		"an empty input string":        {OpenAIResponses, `{"model":"m","input":""}`, []string{"empty-text"}},
		"only a previous response":     {OpenAIResponses, `{"model":"m","previous_response_id":"r"}`, nil},
		"an output of held history":    {OpenAIResponses, `{"model":"m","previous_response_id":"r","input":[{"type":"function_call_output","call_id":"a","output":""}]}`, nil},
		"begins with a compaction":     {Anthropic, `{"model":"m","max_tokens":1,"messages":[{"role":"assistant","content":[{"type":"compaction","content":"s"}]},{"role":"user","content":"x"}]}`, nil},
		"a mid-way system message":     {Anthropic, `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"},{"role":"system","content":"y"}]}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, f := range Check(c.dialect, []byte(c.body)) {
				got = append(got, f.Rule)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("rules (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCheckRefusesABodyOver32MBOfAnthropic(t *testing.T) {
	for size, want := range map[int]int{anthropicBodyLimit: 0, anthropicBodyLimit + 1: 1} {
		c := &checker{}
		c.anthropic(decoded(t, cleanAnthropic), size)
		if len(c.found) != want || want == 1 && c.found[0].Rule != "too-large" {
			t.Errorf("%d bytes: got %v", size, c.found)
		}
	}
}

func TestNewFindings(t *testing.T) {
	had := []Finding{
		{Place: "messages[3].content[0]", Rule: "empty-text"},
		{Place: "messages", Rule: "missing-result"},
	}
	moved := Finding{Place: "messages[1].content[7]", Rule: "empty-text"}
	elsewhere := Finding{Place: "messages[1]", Rule: "empty-text"}
	other := Finding{Place: "messages[3].content[0]", Rule: "orphan-result"}
	got := NewFindings(had, []Finding{moved, elsewhere, had[1], other})
	if diff := cmp.Diff([]Finding{elsewhere, other}, got); diff != "" {
		t.Errorf("new findings (-want +got):\n%s", diff)
	}
	if got := NewFindings(had, had); got != nil {
		t.Errorf("the same findings are new: %v", got)
	}
}

// TestEveryRuleIsBroken reads the rules' names from the source: a rule that no
// case breaks is a rule that nobody has seen work.
func TestEveryRuleIsBroken(t *testing.T) {
	broken := map[string]bool{"not-json": true, "not-object": true, "unknown-dialect": true, "lone-surrogate": true, "too-large": true}
	for _, c := range checkCases() {
		for _, m := range c.mutations {
			broken[m.rule] = true
		}
	}
	named := 0
	for _, file := range []string{"check.go", "check_content.go", "check_chat.go", "check_responses.go", "check_anthropic.go", "check_blocks.go"} {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if rule := ruleOf(n); rule != "" {
				named++
				if !broken[rule] {
					t.Errorf("%s: no mutation breaks rule %s", file, rule)
				}
			}
			return true
		})
	}
	if named == 0 {
		t.Error("no rule found in the source")
	}
}

// ruleOf returns the rule's name when the node is a call of checker.add.
func ruleOf(n ast.Node) string {
	made, ok := n.(*ast.CallExpr)
	if !ok || len(made.Args) < 3 {
		return ""
	}
	if f, ok := made.Fun.(*ast.SelectorExpr); !ok || f.Sel.Name != "add" {
		return ""
	}
	lit, ok := made.Args[1].(*ast.BasicLit)
	if !ok {
		return ""
	}
	rule, _ := strconv.Unquote(lit.Value)
	return rule
}
