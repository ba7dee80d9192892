package sdk_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compactor-host/compactor/sdk"
)

// everyOption has an option of each type and tag.
type everyOption struct {
	Loud     bool              `json:"loud" default:"true" help:"say more"`
	Keep     int               `json:"keep" default:"2" min:"0" max:"50" help:"exchanges kept word for word"`
	Room     sdk.Tokens        `json:"room" default:"1e3"`
	Small    uint8             `json:"small"`
	Tiny     int8              `json:"tiny"`
	Share    float64           `json:"share" default:"0.5" min:"0" max:"1"`
	Style    string            `json:"style" default:"plain" enum:"plain,ornate"`
	Model    string            `json:"model" required:"true" help:"the model that writes"`
	Exclude  []string          `json:"exclude" default:"read,write" help:"tools left alone"`
	Senses   []string          `json:"senses" enum:"sight,smell"`
	Headings map[string]string `json:"headings" help:"titles by section"`
	Wait     time.Duration     `json:"wait" default:"90s" max:"1h" help:"for how long"`
	Limits   everyLimit        `json:"limits" help:"bounds"`
	Untagged int
	Ignored  func() `json:"-"`
	hidden   int
}

type everyLimit struct {
	Depth int    `json:"depth" default:"7" min:"1"`
	Note  string `json:"note" required:"true"`
}

// passed catches what build is given.
func passed(got *everyOption) *sdk.Definition {
	return sdk.New("every", "1.0.0", func(o everyOption) (sdk.Strategy, error) {
		*got = o
		return sdk.StrategyFunc(func(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) { return nil, nil }), nil
	})
}

func TestConfigureFillsDefaults(t *testing.T) {
	var got everyOption
	_, found := passed(&got).Configure([]byte(`{"model": "m", "limits": {"note": "n"}}`))
	if found != nil {
		t.Fatal(found)
	}
	want := everyOption{
		Loud: true, Keep: 2, Room: 1000, Share: 0.5, Style: "plain", Model: "m", Exclude: []string{"read", "write"},
		Wait: 90 * time.Second, Limits: everyLimit{Depth: 7, Note: "n"},
		hidden: 0, // which is no option
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(everyOption{})); diff != "" {
		t.Error(diff)
	}
}

func TestConfigureTakesEveryType(t *testing.T) {
	var got everyOption
	_, found := passed(&got).Configure([]byte(`{
		"loud": false, "keep": 3.0, "room": 12, "small": 255, "share": 1, "style": "ornate", "model": "m",
		"exclude": [], "senses": ["smell"], "headings": {"goal": "Goal"}, "wait": "1m", "Untagged": -4,
		"limits": {"depth": 1, "note": ""}}`))
	if found != nil {
		t.Fatal(found)
	}
	want := everyOption{
		Keep: 3, Room: 12, Small: 255, Share: 1, Style: "ornate", Model: "m", Exclude: []string{},
		Senses: []string{"smell"}, Headings: map[string]string{"goal": "Goal"}, Wait: time.Minute,
		Limits: everyLimit{Depth: 1}, Untagged: -4,
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(everyOption{})); diff != "" {
		t.Error(diff)
	}
}

func TestConfigureDiagnoses(t *testing.T) {
	// model and limits.note are required; rest adds what a case is about.
	with := func(rest string) string { return `{"model":"m","limits":{"note":""},` + rest + `}` }
	tests := map[string]struct {
		options string
		want    []string
	}{
		"not JSON":            {`{"keep":`, []string{`the options are not JSON: unexpected EOF`}},
		"more than JSON":      {`{} {}`, []string{`the options are not JSON: something follows the object`}},
		"not an object":       {`[]`, []string{`must be an object, not a list`}},
		"null":                {`null`, []string{`must be an object, not null`}},
		"required":            {``, []string{`model: is required`, `limits: is required`}},
		"near miss":           {with(`"keeep":1`), []string{`keeep: unknown option; did you mean "keep"?`}},
		"far miss":            {with(`"banana":1`), []string{`banana: unknown option`}},
		"nested near miss":    {`{"model":"m","limits":{"note":"","dept":1}}`, []string{`limits.dept: unknown option; did you mean "depth"?`}},
		"wrong type of bool":  {with(`"loud":1`), []string{`loud: must be true or false, not 1`}},
		"wrong type of int":   {with(`"keep":"3"`), []string{`keep: must be a whole number, not a string`}},
		"null for an int":     {with(`"keep":null`), []string{`keep: must be a whole number, not null`}},
		"fraction":            {with(`"keep":1.5`), []string{`keep: must be a whole number, not 1.5`}},
		"too small":           {with(`"keep":-1`), []string{`keep: -1 is less than 0`}},
		"too large":           {with(`"keep":51`), []string{`keep: 51 is more than 50`}},
		"beyond the type":     {with(`"small":256`), []string{`small: 256 is out of range`}},
		"below the type":      {with(`"tiny":-129`), []string{`tiny: -129 is out of range`}},
		"beyond any int":      {with(`"room":1e30`), []string{`room: 1e30 is out of range`}},
		"beyond any number":   {with(`"share":1e999`), []string{`share: 1e999 is out of range`}},
		"negative unsigned":   {with(`"small":-1`), []string{`small: -1 is less than 0`}},
		"wrong type of float": {with(`"share":[]`), []string{`share: must be a number, not a list`}},
		"wrong type of text":  {with(`"style":true`), []string{`style: must be a string, not true`}},
		"wrong word":          {with(`"style":"plane"`), []string{`style: "plane" is not one of plain, ornate; did you mean "plain"?`}},
		"wrong item":          {with(`"exclude":["a",2]`), []string{`exclude.1: must be a string, not 2`}},
		"wrong word in list":  {with(`"senses":["sight","taste"]`), []string{`senses.1: "taste" is not one of sight, smell`}},
		"not a list":          {with(`"exclude":"a"`), []string{`exclude: must be a list of strings, not a string`}},
		"not a map":           {with(`"headings":1`), []string{`headings: must be an object of strings, not 1`}},
		"wrong map value":     {with(`"headings":{"a":{}}`), []string{`headings.a: must be a string, not an object`}},
		"number for duration": {with(`"wait":90`), []string{`wait: must be a duration in a string, such as "90s", not 90`}},
		"bad duration":        {with(`"wait":"soon"`), []string{`wait: "soon" is not a duration, such as "90s" or "1h30m"`}},
		"negative duration":   {with(`"wait":"-1s"`), []string{`wait: -1s is less than 0s`}},
		"long duration":       {with(`"wait":"2h"`), []string{`wait: 2h is more than 1h0m0s`}},
		"hidden field":        {with(`"hidden":1`), []string{`hidden: unknown option`}},
		"all at once": {`{"keep":99,"loud":"x","exlude":[],"limits":{"depth":0}}`, []string{
			`loud: must be true or false, not a string`,
			`keep: 99 is more than 50`,
			`model: is required`,
			`limits.depth: 0 is less than 1`,
			`limits.note: is required`,
			`exlude: unknown option; did you mean "exclude"?`,
		}},
	}
	d := passed(new(everyOption))
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			in, found := d.Configure([]byte(test.options))
			if in != nil {
				t.Error("an instance all the same")
			}
			var got []string
			for _, f := range found {
				got = append(got, f.String())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestConfigureDiagnosesErrorsOfBuild(t *testing.T) {
	type options struct {
		Fail string `json:"fail"`
	}
	d := sdk.New("picky", "1.0.0", func(o options) (sdk.Strategy, error) {
		switch o.Fail {
		case "plain":
			return nil, errors.New("it does not go together")
		case "named":
			return nil, &sdk.OptionError{Path: []string{"fail"}, Message: "is wrong"}
		case "panic":
			panic("at the build")
		}
		return nil, nil
	})
	tests := map[string]sdk.Diagnostic{
		"plain": {Message: "it does not go together"},
		"named": {Path: []string{"fail"}, Message: "is wrong"},
		"panic": {Message: "the strategy panicked while it was built: at the build"},
		"":      {Message: "the strategy was not built"},
	}
	for fail, want := range tests {
		t.Run(fail, func(t *testing.T) {
			options, _ := json.Marshal(map[string]string{"fail": fail})
			_, found := d.Configure(options)
			if diff := cmp.Diff([]sdk.Diagnostic{want}, found); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDigestIsOfOptionsWithDefaults(t *testing.T) {
	d := passed(new(everyOption))
	digest := func(options string) string {
		t.Helper()
		in, found := d.Configure([]byte(options))
		if found != nil {
			t.Fatal(found)
		}
		return in.Digest
	}
	base := digest(`{"model":"m","limits":{"note":"n"}}`)
	for name, options := range map[string]string{
		"other order":       `{"limits":{"note":"n"},"model":"m"}`,
		"defaults spelled":  `{"model":"m","limits":{"note":"n","depth":7},"keep":2,"wait":"1m30s","exclude":["read","write"]}`,
		"empty map spelled": `{"model":"m","limits":{"note":"n"},"headings":{}}`,
	} {
		if digest(options) != base {
			t.Errorf("%s: another digest", name)
		}
	}
	for name, options := range map[string]string{
		"another value":        `{"model":"m","limits":{"note":"n"},"keep":3}`,
		"another nested value": `{"model":"m","limits":{"note":"o"}}`,
		"an emptied list":      `{"model":"m","limits":{"note":"n"},"exclude":[]}`,
	} {
		if digest(options) == base {
			t.Errorf("%s: the same digest", name)
		}
	}
}

func TestDefaultsAreNotShared(t *testing.T) {
	var got everyOption
	d := passed(&got)
	options := []byte(`{"model":"m","limits":{"note":""}}`)
	d.Configure(options)
	got.Exclude[0] = "changed by a strategy"
	d.Configure(options)
	if got.Exclude[0] != "read" {
		t.Errorf("default is now %q", got.Exclude[0])
	}
}

func TestSchema(t *testing.T) {
	var got bytes.Buffer
	if err := json.Indent(&got, passed(new(everyOption)).Schema, "", "  "); err != nil {
		t.Fatal(err)
	}
	got.WriteByte('\n')
	const file = "testdata/schema.json"
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Error(diff)
	}
}

// refused calls New and returns what it panics with.
func refused[O any]() (text string) {
	defer func() { text, _ = recover().(string) }()
	sdk.New("wrong", "1.0.0", func(O) (sdk.Strategy, error) { return nil, nil })
	return ""
}

// Options structs that New refuses.
type (
	notAStruct int
	hasChannel struct {
		C chan int
	}
	hasPointer struct {
		P *int
	}
	hasNumbers struct {
		L []int
	}
	hasNested struct {
		N hasChannel
	}
	hasEmbedded struct {
		hasChannel
	}
	hasTwice struct {
		A int `json:"B"`
		B int
	}
	badDefault struct {
		A int `default:"x"`
	}
	hugeDefault struct {
		A int `default:"9" max:"8"`
	}
	wordDefault struct {
		A string `default:"c" enum:"a,b"`
	}
	mapDefault struct {
		A map[string]string `default:"x"`
	}
	requiredDefault struct {
		A int `default:"1" required:"true"`
	}
	badRequired struct {
		A int `required:"perhaps"`
	}
	badBound struct {
		A int `min:"low"`
	}
	textBound struct {
		A string `max:"3"`
	}
	numberEnum struct {
		A int `enum:"1,2"`
	}
	isReserved struct {
		A int `json:"timeout"`
	}
)

func TestNewRefuses(t *testing.T) {
	tests := []struct{ got, want string }{
		{refused[notAStruct](), `options are a sdk_test.notAStruct, not a struct`},
		{refused[hasChannel](), `option "C": type chan int is not supported`},
		{refused[hasPointer](), `option "P": type *int is not supported`},
		{refused[hasNumbers](), `option "L": type []int is not supported`},
		{refused[hasNested](), `option "N": option "C": type chan int is not supported`},
		{refused[hasEmbedded](), `embedded sdk_test.hasChannel has no name of its own`},
		{refused[hasTwice](), `option "B" is there twice`},
		{refused[badDefault](), `option "A": tag default: "x" is not a number`},
		{refused[hugeDefault](), `option "A": tag default: 9 is more than 8`},
		{refused[wordDefault](), `option "A": tag default: "c" is not one of a, b`},
		{refused[mapDefault](), `option "A": tag default: a map[string]string takes none`},
		{refused[requiredDefault](), `option "A": required, yet with a default`},
		{refused[badRequired](), `option "A": tag required: "perhaps" is neither true nor false`},
		{refused[badBound](), `option "A": tag min: "low" is not a number`},
		{refused[textBound](), `option "A": tag max: a string has no bounds`},
		{refused[numberEnum](), `option "A": tag enum on a int`},
		{refused[isReserved](), `option "timeout" is reserved by the host`},
	}
	for _, test := range tests {
		if want := `sdk.New("wrong"): ` + test.want; test.got != want {
			t.Errorf("New panicked with %q, want %q", test.got, want)
		}
	}
}

type reservedBelow struct{ N isReserved }

func TestReservedNamesAreFreeBelowTheTop(t *testing.T) {
	if got := refused[reservedBelow](); got != "" {
		t.Error(got)
	}
}

func FuzzConfigure(f *testing.F) {
	f.Add([]byte(`{"model":"m","limits":{"note":""},"keep":3.0,"wait":"1m","headings":{"a":"b"},"exclude":["x"]}`))
	f.Add([]byte(`{"keep":1e400,"small":-0,"wait":"-","limits":[]}`))
	f.Add([]byte(`[{}]`))
	d := passed(new(everyOption))
	f.Fuzz(func(t *testing.T, options []byte) {
		in, found := d.Configure(options)
		if (in == nil) != (len(found) > 0) {
			t.Errorf("instance %v with diagnostics %v", in, found)
		}
	})
}
