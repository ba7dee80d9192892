package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/v2"
)

// setPrefix begins the variables that set keys.
const setPrefix = "COMPACTOR_SET_"

// environment merges what COMPACTOR_SET_… variables set.
func (l *loader) environment() {
	set := map[string]string{}
	for name, value := range l.vars {
		if strings.HasPrefix(name, setPrefix) {
			set[name] = value
		}
	}
	a := addresser{tree: l.merged.Raw(), prefix: setPrefix, separator: "__", spell: inCapitals}
	l.override("environment", a, set, func(name string) (string, string) {
		return "environment " + name, strings.TrimPrefix(name, setPrefix)
	})
}

// flags merges what flags set.
func (l *loader) flags(set map[string]string) {
	a := addresser{tree: l.merged.Raw(), separator: ".", spell: func(s string) string { return s }}
	l.override("flags", a, set, func(name string) (string, string) {
		return "flag " + name, name
	})
}

// override merges values by their addresses. Only values that the schema knows
// can be set, never a whole block; so the order of variables cannot matter.
func (l *loader) override(what string, a addresser, set map[string]string, name func(string) (shown, address string)) {
	from := newLayer(what, nil)
	flat := map[string]any{}
	for _, n := range labels(set) {
		shown, address := name(n)
		here := span{Place: Place{File: shown}}
		path, k, err := a.walk("", "", strings.Split(address, a.separator))
		if err != nil {
			from.report("", here, err.summary, err.detail)
			continue
		}
		m := mark{name: here, value: here}
		if k.secret {
			m.secret = shown
		}
		from.marks[path] = m
		flat[path] = k.fromText(set[n])
	}
	k := koanf.New(delim)
	if err := k.Load(confmap.Provider(flat, delim), nil); err != nil {
		from.report("", span{Place: Place{File: what}}, err.Error(), "")
	}
	l.take(from, k.Raw())
}

// inCapitals is how variables spell a name.
func inCapitals(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(name))
}

// addresser finds the key that a variable or a flag means.
type addresser struct {
	// tree is what the files have set; its names are the ones to match.
	tree      map[string]any
	prefix    string
	separator string
	spell     func(string) string
}

// walk follows the elements of an address through the schema.
func (a addresser) walk(block, at string, parts []string) (string, *key, *problem) {
	if len(parts) == 0 || parts[0] == "" {
		return "", nil, &problem{summary: "the name of a key is missing", detail: "only single values can be set, such as " + a.example()}
	}
	i := slices.IndexFunc(keysOf(block), func(k *key) bool { return a.spell(k.name) == parts[0] })
	if i < 0 {
		var names []string
		for _, name := range namesOf(block) {
			names = append(names, a.spell(name))
		}
		return "", nil, &problem{summary: fmt.Sprintf("unknown key %q", parts[0]), detail: suggestion(parts[0], names)}
	}
	k := keysOf(block)[i]
	at, rest := sub(at, k.name), parts[1:]
	switch k.kind {
	case blockKind:
		return a.walk(k.of, at, rest)
	case labelledKind:
		return a.labelled(k, at, rest)
	case blocksKind, stepsKind:
		return "", nil, &problem{summary: fmt.Sprintf("%s is a list of blocks", k.name), detail: "it can only be written in a file"}
	case stringsKind:
		if len(rest) == 0 {
			return a.walk(block, at, rest)
		}
		return sub(at, strings.Join(rest, a.separator)), &key{name: k.name, kind: wordKind, secret: k.secret}, nil
	}
	if len(rest) > 0 {
		return "", nil, &problem{summary: fmt.Sprintf("%s has no keys of its own", k.name)}
	}
	return at, k, nil
}

// labelled goes on below the label of a block.
func (a addresser) labelled(k *key, at string, parts []string) (string, *key, *problem) {
	n := 1
	if anyLabel(k.of) { // the name of a model may hold the separator
		n = max(1, len(parts)-a.tail(k.of, parts))
	}
	if len(parts) <= n {
		return a.walk(k.of, at, nil)
	}
	label, err := a.label(k, strings.Join(parts[:n], a.separator))
	if err != nil {
		return "", nil, err
	}
	return a.walk(k.of, sub(at, label), parts[n:])
}

// tail is how many of the last elements lead to a key of the block: one, or two
// when the key is in a block within.
func (a addresser) tail(block string, parts []string) int {
	if len(parts) < 3 {
		return 1
	}
	inner := slices.ContainsFunc(keysOf(block), func(k *key) bool {
		return k.kind == blockKind && a.spell(k.name) == parts[len(parts)-2]
	})
	if inner {
		return 2
	}
	return 1
}

// label finds the label that is spelled like this. A plugin or a model may be
// a new one; a chain may not, as nothing could give it steps.
func (a addresser) label(k *key, spelled string) (string, *problem) {
	there, _ := a.tree[k.name].(map[string]any)
	names := labels(there)
	if k.of == "chain" && !slices.Contains(names, DefaultChain) {
		names = append(names, DefaultChain)
	}
	var found []string
	for i, name := range names {
		names[i] = a.spell(name)
		if names[i] == spelled {
			found = append(found, name)
		}
	}
	switch {
	case len(found) > 1:
		return "", &problem{summary: fmt.Sprintf("%s can mean %s", spelled, oneOf(found))}
	case len(found) == 1:
		return found[0], nil
	case k.of == "chain":
		return "", &problem{summary: fmt.Sprintf("there is no chain %s", spelled), detail: suggestion(spelled, names)}
	case a.separator == ".":
		return spelled, nil
	}
	return strings.ReplaceAll(strings.ToLower(spelled), "_", "-"), nil
}

// example is a key in the spelling at hand.
func (a addresser) example() string {
	return a.prefix + strings.Join([]string{a.spell("chain"), a.spell(DefaultChain), a.spell("max_tokens")}, a.separator)
}
