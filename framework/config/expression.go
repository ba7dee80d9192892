package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// secret is a mark that travels with a value through every expression. It
// names what the value was taken from.
type secret string

// functions are what expressions may call besides file.
var functions = map[string]function.Function{
	"abs": stdlib.AbsoluteFunc, "ceil": stdlib.CeilFunc, "floor": stdlib.FloorFunc,
	"max": stdlib.MaxFunc, "min": stdlib.MinFunc,

	"upper": stdlib.UpperFunc, "lower": stdlib.LowerFunc, "title": stdlib.TitleFunc,
	"trim": stdlib.TrimFunc, "trimspace": stdlib.TrimSpaceFunc,
	"trimprefix": stdlib.TrimPrefixFunc, "trimsuffix": stdlib.TrimSuffixFunc,
	"replace": stdlib.ReplaceFunc, "substr": stdlib.SubstrFunc, "strlen": stdlib.StrlenFunc,
	"split": stdlib.SplitFunc, "join": stdlib.JoinFunc, "format": stdlib.FormatFunc,

	"concat": stdlib.ConcatFunc, "length": stdlib.LengthFunc, "contains": stdlib.ContainsFunc,
	"distinct": stdlib.DistinctFunc, "flatten": stdlib.FlattenFunc, "sort": stdlib.SortFunc,
	"reverse": stdlib.ReverseListFunc, "keys": stdlib.KeysFunc, "values": stdlib.ValuesFunc,
	"merge": stdlib.MergeFunc, "lookup": stdlib.LookupFunc, "coalesce": stdlib.CoalesceFunc,

	"jsondecode": stdlib.JSONDecodeFunc, "jsonencode": stdlib.JSONEncodeFunc,
	"tonumber": stdlib.MakeToFunc(cty.Number), "tostring": stdlib.MakeToFunc(cty.String),
	"tobool": stdlib.MakeToFunc(cty.Bool),
}

// scope is what expressions see: the environment, and functions.
func scope(folder string, vars map[string]string) *hcl.EvalContext {
	env := make(map[string]cty.Value, len(vars))
	for name, v := range vars {
		env[name] = cty.StringVal(v).Mark(secret("env." + name))
	}
	all := map[string]function.Function{"file": fileFunc(folder)}
	for name, f := range functions {
		all[name] = f
	}
	return &hcl.EvalContext{Variables: map[string]cty.Value{"env": cty.ObjectVal(env)}, Functions: all}
}

// fileFunc reads a text file; a relative path starts at the folder.
func fileFunc(folder string) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "path", Type: cty.String, AllowMarked: true}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			arg, marks := args[0].Unmark()
			name, shown := arg.AsString(), arg.AsString()
			if len(marks) > 0 {
				shown = "the file"
			}
			if !filepath.IsAbs(name) {
				name = filepath.Join(folder, name)
			}
			b, err := readText(name)
			if err != nil {
				return cty.NilVal, fmt.Errorf("%s %w", shown, err)
			}
			return cty.StringVal(string(b)).WithMarks(marks, cty.NewValueMarks(secret("file "+shown))), nil
		},
	})
}

// expression evaluates what stands behind a key.
func (p *hclParser) expression(at string, e hclsyntax.Expression) (any, bool) {
	if !p.variables(at, e) {
		return nil, false
	}
	v, diags := e.Value(p.context(at, e))
	if p.add(at, diags); diags.HasErrors() {
		return nil, false
	}
	p.literals(at, e)
	return p.value(at, v, "")
}

// context is what the expression at a path sees. In a route's tenant the name of
// a header, "${header.X-Team}", is no variable to fill in yet: it stays as it is
// written.
func (p *hclParser) context(at string, e hclsyntax.Expression) *hcl.EvalContext {
	if !strings.HasPrefix(at, "route"+delim) || !strings.HasSuffix(at, delim+"tenant") {
		return p.eval
	}
	names := map[string]cty.Value{}
	for _, t := range e.Variables() {
		if t.RootName() != "header" || len(t) < 2 {
			continue
		}
		if attr, ok := t[1].(hcl.TraverseAttr); ok {
			names[attr.Name] = cty.StringVal(openHeader + attr.Name + closeHeader)
		}
	}
	c := p.eval.NewChild()
	c.Variables = map[string]cty.Value{"header": cty.ObjectVal(names)}
	return c
}

// variables checks that the environment has each variable the expression
// names, so that the finding can name it too.
func (p *hclParser) variables(at string, e hclsyntax.Expression) bool {
	ok := true
	for _, t := range e.Variables() {
		if t.RootName() != "env" || len(t) < 2 {
			continue
		}
		attr, is := t[1].(hcl.TraverseAttr)
		if _, set := p.vars[attr.Name]; is && !set {
			p.report(at, p.span(t.SourceRange()), "the environment variable "+attr.Name+" is not set", "")
			ok = false
		}
	}
	return ok
}

// literals marks the places of what stands in lists and maps written out.
func (p *hclParser) literals(at string, e hclsyntax.Expression) {
	switch e := e.(type) {
	case *hclsyntax.TupleConsExpr:
		for i, x := range e.Exprs {
			s := p.span(x.Range())
			p.marks[element(at, i)] = mark{name: s, value: s}
			p.literals(element(at, i), x)
		}
	case *hclsyntax.ObjectConsExpr:
		for _, item := range e.Items {
			k, diags := item.KeyExpr.Value(p.eval)
			k, _ = k.Unmark()
			if diags.HasErrors() || !k.IsKnown() || k.IsNull() || k.Type() != cty.String {
				continue
			}
			path := sub(at, k.AsString())
			if _, twice := p.marks[path]; twice {
				p.report(path, p.span(item.KeyExpr.Range()), fmt.Sprintf("%q is set twice", k.AsString()), "")
			}
			p.marks[path] = mark{name: p.span(item.KeyExpr.Range()), value: p.span(item.ValueExpr.Range())}
			p.literals(path, item.ValueExpr)
		}
	}
}

// value turns a value of HCL into one of ours. A secret, or a part of one, is
// marked as such.
func (p *hclParser) value(at string, v cty.Value, from string) (any, bool) {
	v, marks := v.Unmark()
	if len(marks) > 0 {
		from = sources(marks)
	}
	if from != "" {
		p.marks.hide(at, from)
	}
	t := v.Type()
	switch {
	case !v.IsKnown() || v.IsNull():
		return nil, true
	case t == cty.Bool:
		return v.True(), true
	case t == cty.String:
		return v.AsString(), true
	case t == cty.Number:
		n, err := numberOf(v.AsBigFloat())
		if err != nil {
			p.report(at, p.marks.find(at).value, err.Error(), "")
		}
		return n, err == nil
	case t.IsObjectType() || t.IsMapType():
		return p.object(at, v, from)
	}
	return p.sequence(at, v, from)
}

func (p *hclParser) object(at string, v cty.Value, from string) (any, bool) {
	m := make(map[string]any, v.LengthInt())
	all := true
	for k, e := range v.Elements() {
		name := k.AsString()
		x, ok := p.value(sub(at, name), e, from)
		m[name], all = x, all && ok
	}
	return m, all
}

func (p *hclParser) sequence(at string, v cty.Value, from string) (any, bool) {
	list := make([]any, 0, v.LengthInt())
	all := true
	for _, e := range v.Elements() {
		x, ok := p.value(element(at, len(list)), e, from)
		list, all = append(list, x), all && ok
	}
	return list, all
}

// sources joins what the marks of a value name.
func sources(marks cty.ValueMarks) string {
	var names []string
	for m := range marks {
		if s, ok := m.(secret); ok {
			names = append(names, string(s))
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
