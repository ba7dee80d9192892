package config

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/v2"
)

// Source says what a configuration is made of. Later ones win key by key:
// defaults, the files in order, the environment, the flags. Lists are replaced
// as a whole.
type Source struct {
	// Files are paths of .hcl, .yaml, .yml or .json files.
	Files []string
	// Search are folders in which to look for compactor.hcl, .yaml, .yml or
	// .json when no Files are given. The first folder with one counts. Nil
	// means SearchFolders; an empty list means none.
	Search []string
	// Env are variables, as os.Environ returns them. COMPACTOR_SET_… sets a
	// key: the elements of its path in capitals, joined by two underscores,
	// with one underscore for each character of a name that is neither letter
	// nor digit, such as COMPACTOR_SET_CHAIN__DEFAULT__MAX_TOKENS=100000.
	// Elements of lists are separated by commas. Expressions in HCL read the
	// other variables as env.NAME.
	Env []string
	// Set are keys from flags by their path, "chain.default.max_tokens",
	// spelled like variables otherwise.
	Set map[string]string
}

// SearchFolders are the usual folders of a configuration: the current one,
// then compactor in the user's configuration folder.
func SearchFolders() []string {
	folders := []string{"."}
	if dir, err := os.UserConfigDir(); err == nil {
		folders = append(folders, filepath.Join(dir, "compactor"))
	}
	return folders
}

// Load reads a configuration. Without any file it is the built-in one. The
// Config is there even with errors among the findings, without what is wrong,
// so that Check can find more; it must not be used then.
func Load(ctx context.Context, s Source) (*Config, Diagnostics) {
	l := newLoader(variables(s.Env))
	files := s.Files
	if len(files) == 0 {
		folders := s.Search
		if folders == nil {
			folders = SearchFolders()
		}
		files = l.search(folders)
	}
	for _, name := range files {
		if err := ctx.Err(); err != nil {
			l.diags = append(l.diags, Diagnostic{Summary: err.Error()})
			break
		}
		l.file(name)
	}
	l.environment()
	l.flags(s.Set)
	return l.resolve()
}

// variables turns NAME=value pairs into a map.
func variables(env []string) map[string]string {
	vars := make(map[string]string, len(env))
	for _, e := range env {
		if name, value, ok := strings.Cut(e, "="); ok && name != "" {
			vars[name] = value
		}
	}
	return vars
}

// loader merges layers. It always begins with a fresh koanf instance: loading
// into one that is in use would show half of a new configuration.
type loader struct {
	vars   map[string]string
	merged *koanf.Koanf
	origin *provenance
	diags  Diagnostics
}

func newLoader(vars map[string]string) *loader {
	return &loader{
		vars:   vars,
		merged: koanf.New(delim),
		origin: &provenance{marks: marks{}, lines: map[string][]string{}, refused: map[string]bool{}},
	}
}

// resolve makes the model of what was merged.
func (l *loader) resolve() (*Config, Diagnostics) {
	l.origin.raw = l.merged.Raw()
	l.diags.Sort()
	return resolve(l.origin), l.diags
}

// search finds the default file. Two in one folder are an error, as nobody
// could tell which one counts.
func (l *loader) search(folders []string) []string {
	for _, folder := range folders {
		var found []string
		for _, ext := range []string{"hcl", "yaml", "yml", "json"} {
			name := filepath.Join(folder, "compactor."+ext)
			if _, err := os.Stat(name); err == nil {
				found = append(found, name)
			}
		}
		if len(found) > 1 {
			l.diags = append(l.diags, Diagnostic{
				Summary: "more than one configuration: " + strings.Join(found, ", "),
				Detail:  "keep one of them, or name the file to use",
			})
			return nil
		}
		if len(found) == 1 {
			return found
		}
	}
	return nil
}

// file reads, checks and merges one file.
func (l *loader) file(name string) {
	b, err := readText(name)
	reader := newLayer(name, b)
	if err == nil {
		l.read(reader, b)
		return
	}
	reader.report("", span{Place: Place{File: name}}, "the file "+err.Error(), "")
	l.take(reader, nil)
}

// read parses a file's text with the parser for its name.
func (l *loader) read(reader *layer, b []byte) {
	var parser koanf.Parser
	switch ext := filepath.Ext(reader.name); ext {
	case ".hcl":
		parser = &hclParser{layer: reader, vars: l.vars}
	case ".yaml", ".yml":
		parser = &yamlParser{layer: reader}
	case ".json":
		parser = &jsonParser{yamlParser{layer: reader}}
	default:
		reader.report("", span{Place: Place{File: reader.name}}, fmt.Sprintf("a file ending in %q is not known", ext), "use .hcl, .yaml, .yml or .json")
		l.take(reader, nil)
		return
	}
	k := koanf.New(delim)
	if err := k.Load(content(b), parser); err != nil && len(reader.diags) == 0 {
		reader.report("", span{Place: Place{File: reader.name}}, err.Error(), "")
	}
	l.take(reader, k.Raw())
}

// take checks what a layer holds and merges it over the earlier ones.
func (l *loader) take(from *layer, tree map[string]any) {
	sound := from.block("", "", tree)
	k := koanf.New(delim)
	err := errors.Join(k.Load(confmap.Provider(sound, ""), nil), l.merged.Merge(k))
	if err != nil {
		from.report("", span{Place: Place{File: from.name}}, err.Error(), "")
	}
	l.diags = append(l.diags, from.diags...)
	for at := range from.refused {
		l.origin.refused[at] = true
	}
	l.origin.lines[from.name] = from.lines
	l.origin.marks.overlay(from.marks, sound)
}

// content is the text of a file as a koanf.Provider.
type content []byte

var _ koanf.Provider = content(nil)

// ReadBytes returns the text.
func (c content) ReadBytes() ([]byte, error) { return c, nil }

// Read is for providers without a parser.
func (content) Read() (map[string]any, error) { return nil, errors.New("a file needs a parser") }
