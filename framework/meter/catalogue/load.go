package catalogue

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"

	"github.com/compactor-host/compactor/sdk"
)

// fileModel is a model in the form of models.dev's api.json, as far as it is
// read: provider → "models" → id → this. What is absent stays as it was.
type fileModel struct {
	Limit struct {
		Context *int `json:"context"`
		Input   *int `json:"input"`
		Output  *int `json:"output"`
	} `json:"limit"`
	Cost *struct {
		fileRates
		Long *fileRates `json:"context_over_200k"`
	} `json:"cost"`
	Reasoning  *bool `json:"reasoning"`
	Modalities struct {
		Input []string `json:"input"`
	} `json:"modalities"`
}

type fileRates struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cache_read"`
	CacheWrite float64 `json:"cache_write"`
}

// longAbove is the limit that models.dev's "context_over_200k" names.
const longAbove sdk.Tokens = 200_000

// Load returns the built-in catalogue with the models of a file added, or put
// in place of its own, field by field. The file has the form of
// https://models.dev/api.json:
//
//	{"openai": {"models": {"gpt-5": {
//	    "limit": {"context": 400000, "input": 272000, "output": 128000},
//	    "cost":  {"input": 1.25, "output": 10, "cache_read": 0.125}
//	}}}}
//
// Other keys are passed over. Errors name the place.
func Load(r io.Reader) (*Catalogue, error) {
	var file map[string]json.RawMessage
	raw, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("models file: %w", err)
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, misread("models file", err)
	}
	b := Builtin()
	c := &Catalogue{models: maps.Clone(b.models), providers: slices.Clone(b.providers)}
	for _, provider := range slices.Sorted(maps.Keys(file)) {
		if err := c.read(provider, file[provider]); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// read takes the models of one provider in.
func (c *Catalogue) read(provider string, raw []byte) error {
	var listed struct {
		Models map[string]json.RawMessage `json:"models"`
	}
	if err := json.Unmarshal(raw, &listed); err != nil {
		return misread(provider, err)
	}
	for _, id := range slices.Sorted(maps.Keys(listed.Models)) {
		m, ok := c.models[key{fold(provider), fold(id)}]
		if !ok {
			m = Model{Provider: provider, ID: id}
		}
		if err := m.read(provider+".models."+id, listed.Models[id]); err != nil {
			return err
		}
		c.add(m)
	}
	return nil
}

// misread says where JSON is not as it should be.
func misread(place string, err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		if kind.Field != "" {
			place += "." + kind.Field
		}
		return fmt.Errorf("%s: a JSON %s cannot be read as %s", place, kind.Value, wanted(kind.Type.Kind()))
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("%s: not JSON at byte %d: %w", place, syntax.Offset, err)
	}
	return fmt.Errorf("%s: %w", place, err)
}

// wanted is a kind of value in words.
func wanted(kind reflect.Kind) string {
	switch kind {
	case reflect.Map, reflect.Struct:
		return "an object"
	case reflect.Slice:
		return "a list"
	case reflect.Int:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	}
	return "a string"
}

// read sets what the file says of a model.
func (m *Model) read(place string, raw []byte) error {
	var f fileModel
	if err := json.Unmarshal(raw, &f); err != nil {
		return misread(place, err)
	}
	for _, limit := range []struct {
		name string
		from *int
		to   *sdk.Tokens
	}{{"context", f.Limit.Context, &m.Context}, {"input", f.Limit.Input, &m.Input}, {"output", f.Limit.Output, &m.Output}} {
		if limit.from == nil {
			continue
		}
		if *limit.from < 0 {
			return fmt.Errorf("%s.limit.%s: %d is less than 0", place, limit.name, *limit.from)
		}
		*limit.to = sdk.Tokens(*limit.from)
	}
	if f.Cost != nil {
		m.Prices = Prices{Rates: Rates(f.Cost.fileRates)}
		if f.Cost.Long != nil {
			m.Prices.LongAbove, m.Prices.Long = longAbove, Rates(*f.Cost.Long)
		}
		if err := m.Prices.check(place); err != nil {
			return err
		}
	}
	if f.Reasoning != nil {
		m.Reasoning = *f.Reasoning
	}
	if f.Modalities.Input != nil {
		m.Images = slices.Contains(f.Modalities.Input, "image")
	}
	return nil
}

// check refuses prices under nothing.
func (p Prices) check(place string) error {
	for _, r := range []struct {
		name string
		Rates
	}{{"cost", p.Rates}, {"cost.context_over_200k", p.Long}} {
		if min(r.Input, r.Output, r.CacheRead, r.CacheWrite) < 0 {
			return fmt.Errorf("%s.%s: a price is less than 0", place, r.name)
		}
	}
	return nil
}
