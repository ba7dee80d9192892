package dialect

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCheckAgreesWithTheOtherChecker holds Check against a checker of the same
// rules that was written independently, in Python, and lies beside the
// recorded bodies: on those bodies, on random mutations of them, and on this
// package's own mutations.
func TestCheckAgreesWithTheOtherChecker(t *testing.T) {
	python, script := otherChecker(t)
	bodies := recordedBodies(t)
	if len(bodies) == 0 {
		t.Fatal("no recorded bodies")
	}
	t.Logf("%d recorded bodies", len(bodies))
	bodies = append(bodies, randomMutations(t, bodies, 50)...)
	bodies = append(bodies, ownMutations(t)...)

	faulty := 0
	for name, want := range otherFindings(t, python, script, bodies) {
		i := slices.IndexFunc(bodies, func(b namedBody) bool { return b.file() == name })
		var got []string
		for _, f := range Check(bodies[i].dialect, bodies[i].body) {
			got = append(got, f.Place+" "+f.Rule)
		}
		slices.Sort(got)
		slices.Sort(want)
		if len(want) > 0 {
			faulty++
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: findings (-other +ours):\n%s", name, diff)
		}
	}
	t.Logf("%d bodies compared, %d of them faulty", len(bodies), faulty)
	if faulty < 50 {
		t.Errorf("only %d faulty bodies", faulty)
	}
}

// namedBody is a body to be read by both checkers.
type namedBody struct {
	name    string
	dialect Name
	body    []byte
}

// file is the body's path in the folder that the other checker reads; the
// folder's name tells it the dialect.
func (b namedBody) file() string { return filepath.Join(string(b.dialect), b.name+".json") }

func otherChecker(t *testing.T) (python, script string) {
	t.Helper()
	folder := os.Getenv("COMPACTOR_TRANSCRIPTS")
	if folder == "" {
		t.Skip("COMPACTOR_TRANSCRIPTS is not set: no recorded bodies to compare on")
	}
	script = filepath.Join(folder, "..", "tools", "validate-requests.py")
	if _, err := os.Stat(script); err != nil {
		t.Skipf("the other checker is not there: %v", err)
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skipf("the other checker cannot run: %v", err)
	}
	return python, script
}

func recordedBodies(t *testing.T) []namedBody {
	t.Helper()
	var bodies []namedBody
	for _, d := range []Name{Anthropic, OpenAIChat, OpenAIResponses} {
		files, err := filepath.Glob(filepath.Join(os.Getenv("COMPACTOR_TRANSCRIPTS"), "requests", string(d), "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			body, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			bodies = append(bodies, namedBody{strings.TrimSuffix(filepath.Base(f), ".json"), d, body})
		}
	}
	return bodies
}

// ownMutations are the clean bodies of this package's tests and their
// mutations.
func ownMutations(t *testing.T) []namedBody {
	t.Helper()
	var bodies []namedBody
	for _, c := range checkCases() {
		bodies = append(bodies, namedBody{"own-clean", c.dialect, []byte(c.clean)})
		for i, m := range c.mutations {
			o := decoded(t, c.clean)
			m.change(o)
			bodies = append(bodies, namedBody{fmt.Sprintf("own-%d-%s", i, strings.ReplaceAll(m.name, " ", "-")), c.dialect, encoded(t, o)})
		}
	}
	return bodies
}

// randomMutations returns n bodies, each a recorded one of moderate size with
// up to three random changes to its list.
func randomMutations(t *testing.T, recorded []namedBody, n int) []namedBody {
	t.Helper()
	rng := rand.New(rand.NewPCG(11, 7))
	small := slices.DeleteFunc(slices.Clone(recorded), func(b namedBody) bool { return len(b.body) > 700_000 })
	bodies := make([]namedBody, n)
	for i := range bodies {
		b := small[rng.IntN(len(small))]
		o := decoded(t, string(b.body))
		for range 1 + rng.IntN(3) {
			mutateList(rng, o)
		}
		bodies[i] = namedBody{fmt.Sprintf("random-%d-%s", i, b.name), b.dialect, encoded(t, o)}
	}
	return bodies
}

// mutateList makes one random change to the body's messages.
func mutateList(rng *rand.Rand, o jsonObject) {
	key := "messages"
	if _, ok := o["input"]; ok {
		key = "input"
	}
	l, _ := o[key].([]any)
	if len(l) < 3 {
		return
	}
	i := rng.IntN(len(l))
	switch rng.IntN(6) {
	case 0:
		removeAt(o, key, i)
	case 1:
		insertAt(o, key, rng.IntN(len(l)), l[i])
	case 2:
		swapAt(o, key, i, rng.IntN(len(l)))
	case 3:
		insertAt(o, key, i, jsonObject{"role": []string{"user", "assistant", "system", "tool", "narrator"}[rng.IntN(5)], "content": ""})
	default:
		mutateMessage(rng, l[i].(jsonObject))
	}
}

// mutateMessage changes a key of the message, or of one of its blocks.
func mutateMessage(rng *rand.Rand, m jsonObject) {
	for _, key := range []string{"content", "tool_calls", "output"} {
		if blocks, ok := m[key].([]any); ok && len(blocks) > 0 && rng.IntN(3) > 0 {
			if rng.IntN(3) == 0 {
				swapAt(m, key, 0, len(blocks)-1)
				return
			}
			m = blocks[rng.IntN(len(blocks))].(jsonObject)
			break
		}
	}
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	k := keys[rng.IntN(len(keys))]
	if _, ok := m[k].(string); ok && rng.IntN(2) == 0 {
		m[k] = []string{"", " ", "\u2003x\n"}[rng.IntN(3)]
		return
	}
	delete(m, k)
}

// otherFindings runs the other checker once over all bodies and returns place
// and rule of its findings by file.
func otherFindings(t *testing.T, python, script string, bodies []namedBody) map[string][]string {
	t.Helper()
	folder := t.TempDir()
	for _, b := range bodies {
		file := filepath.Join(folder, b.file())
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, b.body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// The exit status only repeats that some bodies are faulty.
	out, err := exec.Command(python, script, "--json", folder).Output()
	var rows []struct {
		File   string
		Errors []string
	}
	if jsonErr := json.Unmarshal(out, &rows); jsonErr != nil {
		t.Fatalf("the other checker's answer: %v (%v)", jsonErr, err)
	}
	if len(rows) != len(bodies) {
		t.Fatalf("the other checker read %d bodies of %d", len(rows), len(bodies))
	}
	found := map[string][]string{}
	for _, r := range rows {
		name, err := filepath.Rel(folder, r.File)
		if err != nil {
			t.Fatal(err)
		}
		found[name] = nil
		for _, e := range r.Errors {
			found[name] = append(found[name], ruleOfMessage(t, e))
		}
	}
	return found
}

// ruleOfMessage turns a finding of the other checker into place and rule.
func ruleOfMessage(t *testing.T, e string) string {
	t.Helper()
	place, message, _ := strings.Cut(e, ": ")
	for _, r := range otherMessages {
		if r.message.MatchString(place + ": " + message) {
			return place + " " + r.rule
		}
	}
	t.Errorf("the other checker says what no rule of ours says: %s", e)
	return e
}

// wording is how the other checker puts a rule of ours.
type wording struct {
	rule    string
	message *regexp.Regexp
}

// otherMessages are the other checker's wordings; the first match counts.
var otherMessages = func() (out []wording) {
	for line := range strings.Lines(strings.TrimSpace(otherWordings)) {
		rule, pattern, _ := strings.Cut(line, " ")
		out = append(out, wording{rule, regexp.MustCompile(strings.TrimSpace(pattern))})
	}
	return out
}()

const otherWordings = `
no-model              ^model: missing
max-tokens            ^max_tokens: missing or < 1
no-messages           ^(messages|input): missing or empty
empty-text            : empty text$
text-type             : text is not a string
lone-surrogate        : lone surrogate
no-data               : missing base64 data|redacted_thinking without data
bad-base64            : invalid base64
no-url                : missing url
bad-data-url          : malformed data url
media-type            : (image type|media_type) .* not accepted
bad-url               : url is neither|: bad url
bad-breakpoint        : cache_control.type must be
breakpoint-on-thinking : cache_control on a thinking
breakpoints           breakpoints, at most 4
no-source             : source missing
unknown-type          : (source\.type|block type|tool type|item type|type) .* unknown
bad-part              : (block|part) type .* not allowed
bad-content           : (tool_result content must|content must be|compaction content must|tool content must|output must be)
bad-system            ^system.*: (must be a text block|string or list)
bad-tool-name         : bad (tool |function )?name
bad-schema            (input_schema|parameters)\.type must be
duplicate-tool        : duplicate tool
system-in-round       : system message between
bad-role              : role .* (not allowed|unknown)
first-role            : first message must be
unknown-key           : unknown keys
no-content            : (empty content|content missing|assistant message without content)
blank-text            : text blocks must contain
trailing-space        : final assistant text
wrong-role            : \w+ outside an? (assistant|user) message
bad-id                : bad tool_use id
duplicate-id          : .* not unique
undeclared-tool       : .* not declared in tools
bad-arguments         : (input must be an object|input must be a string|arguments must be)
arguments-json        : arguments is not valid JSON
arguments-object      : arguments is not a JSON object
result-after-content  : tool_result after other content
orphan-server-result  : orphan (mcp_|\w+_)tool_result$
orphan-result         : orphan
second-result         : second (tool_result|output)|: server tool call .* results
bad-is-error          : is_error must
no-thinking           : thinking text missing
no-signature          : thinking without signature
thinking-last         : assistant message ends with a
missing-result        : missing (tool_result|tool message|\w+_output) for
no-tools              ^tools: .* no tools declared
thinking-budget       ^thinking: budget_tokens
thinking-temperature  ^thinking: temperature
thinking-dropped      ^thinking: thinking is on
thinking-prefill      ^thinking: prefill
too-large             ^body: over 32 MB
no-file               : (file|input_file) needs
late-system           : (system|developer) message after
bad-tool-calls        : tool_calls must be
no-id                 : (id missing|call_id missing|item_reference without id)
long-id               : (id|call_id) longer than
two-histories         ^body: previous_response_id and
wrong-result-type     : \w+ answers a
bad-summary           : summary must
reasoning-unnamed     : reasoning needs
reasoning-unstored    : store is false
reasoning-last        : reasoning without its following
reasoning-alone       : reasoning must be followed
empty-opaque          : compaction without
trigger-not-last      : compaction_trigger must
result-first          : output of .* comes before
open-call             message while call
not-object            : (item|block) is not an object`
