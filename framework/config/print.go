package config

import (
	"io"
	"strings"
	"text/tabwriter"
)

// Print writes the resolved configuration, a value a line with where it came
// from: a default, the profile, a file and line, a variable or a flag. Values
// in parentheses are not set, or not shown. A Config that Load did not make
// prints nothing.
func (c *Config) Print(w io.Writer) error {
	if c.origin == nil {
		return nil
	}
	rows := make([][]string, 0, len(c.origin.entries))
	for _, e := range c.origin.entries {
		rows = append(rows, []string{e.path, "= " + e.value, "# " + e.from})
	}
	return table(w, rows)
}

// Reference writes the table of all keys: path, type, default and meaning.
func Reference(w io.Writer) error {
	rows := [][]string{{"KEY", "TYPE", "DEFAULT", "MEANING"}}
	for i := range schema {
		k := &schema[i]
		help := k.help
		if len(k.values) > 0 {
			help += " (" + oneOf(k.values) + ")"
		}
		rows = append(rows, []string{pathOf(k.block) + k.name, string(k.kind), k.defaults(), help})
	}
	return table(w, rows)
}

// defaults spells the default of a key, with that of each profile that has its
// own.
func (k *key) defaults() string {
	s := k.fallback
	if s == "" {
		s = "(" + k.unset + ")"
	}
	if k.unset == "" && k.fallback == "" {
		s = "-"
	}
	for _, profile := range labels(k.profiles) {
		s += ", " + profile + ": " + k.profiles[profile]
	}
	return s
}

// pathOf is what stands in front of the keys of a kind of block.
func pathOf(kind string) string {
	for i := range schema {
		k := &schema[i]
		if kind == "" || k.of != kind {
			continue
		}
		path := pathOf(k.block) + k.name
		switch k.kind {
		case labelledKind:
			path += ".NAME"
		case blocksKind:
			path += "[]"
		case stepsKind:
			path += "[].STRATEGY"
		}
		return path + "."
	}
	return ""
}

// table writes rows with their columns aligned.
func table(w io.Writer, rows [][]string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for i, cell := range row {
			row[i] = strings.NewReplacer("\t", `\t`, "\n", `\n`).Replace(cell)
		}
		if _, err := io.WriteString(t, strings.Join(row, "\t")+"\n"); err != nil {
			return err
		}
	}
	return t.Flush()
}
