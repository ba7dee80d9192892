package sdk

import (
	"bytes"
	"encoding/json"
)

// schemaDialect is the draft of JSON Schema that Definition.Schema is written
// in.
const schemaDialect = "https://json-schema.org/draft/2020-12/schema"

// durationPattern is what time.ParseDuration reads, without a sign.
const durationPattern = `^(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h))+)$`

// schema is the part of JSON Schema that options need.
type schema struct {
	Dialect     string     `json:"$schema,omitempty"`
	Type        string     `json:"type"`
	Description string     `json:"description,omitempty"`
	Default     any        `json:"default,omitempty"`
	Enum        []string   `json:"enum,omitempty"`
	Minimum     *float64   `json:"minimum,omitempty"`
	Maximum     *float64   `json:"maximum,omitempty"`
	Pattern     string     `json:"pattern,omitempty"`
	Items       *schema    `json:"items,omitempty"`
	Properties  properties `json:"properties,omitzero"`
	// Additional is false, or the schema of a map's values.
	Additional any      `json:"additionalProperties,omitempty"`
	Required   []string `json:"required,omitempty"`
}

// properties keep the order of the struct's fields, which is the order in
// which people want to read them.
type properties []property

type property struct {
	name   string
	schema schema
}

// MarshalJSON writes the properties as an object.
func (ps properties) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, p := range ps {
		if i > 0 {
			out.WriteByte(',')
		}
		name, err := json.Marshal(p.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(p.schema)
		if err != nil {
			return nil, err
		}
		out.Write(name)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// schemaOf describes options as a JSON Schema object.
func schemaOf(options []option) ([]byte, error) {
	s := objectSchema(options)
	s.Dialect = schemaDialect
	return json.Marshal(s)
}

func objectSchema(options []option) schema {
	s := schema{Type: "object", Properties: properties{}, Additional: false}
	for _, o := range options {
		s.Properties = append(s.Properties, property{o.name, o.schema()})
		if o.required {
			s.Required = append(s.Required, o.name)
		}
	}
	return s
}

// schema describes one option.
func (o option) schema() schema {
	s := schema{}
	switch o.shape {
	case shapeBool:
		s.Type = "boolean"
	case shapeInt, shapeUint:
		s.Type = "integer"
	case shapeFloat:
		s.Type = "number"
	case shapeString:
		s.Type = "string"
	case shapeDuration:
		s.Type, s.Pattern = "string", durationPattern
	case shapeList:
		s.Type, s.Items = "array", &schema{Type: "string", Enum: o.enum}
	case shapeMap:
		s.Type, s.Additional = "object", &schema{Type: "string"}
	case shapeObject:
		s = objectSchema(o.options)
	}
	s.Description = o.help
	if o.shape == shapeString {
		s.Enum = o.enum
	}
	if o.shape != shapeDuration {
		s.Minimum, s.Maximum = o.min, o.max
	}
	s.Default = o.defaultJSON()
	return s
}

// defaultJSON is the default as it would stand in JSON; nil for none.
func (o option) defaultJSON() any {
	switch {
	case o.required, o.shape == shapeObject, o.shape == shapeMap:
		return nil
	case o.shape == shapeList && o.fallback.Len() == 0:
		return nil
	case o.shape == shapeString && o.fallback.Len() == 0:
		return nil
	case o.shape == shapeDuration:
		return o.fallback.Interface().(interface{ String() string }).String()
	}
	return o.fallback.Interface()
}
