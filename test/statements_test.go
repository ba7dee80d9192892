package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestStatements holds the tests against testdata/statements.tsv, the list of
// what the project promises: every statement is named by a test in each of the
// packages that the list says prove it. A test names T-7 in a string, such as
// that of a sub-test, or as T7 behind the Test of its name; a script in its
// text.
func TestStatements(t *testing.T) {
	texts := map[string][]string{}
	for _, s := range statements(t) {
		t.Run(s.id, func(t *testing.T) {
			for _, folder := range s.packages {
				if texts[folder] == nil {
					texts[folder] = testTexts(t, filepath.Join(root(t), filepath.FromSlash(folder)))
				}
				if !named(texts[folder], s.id) {
					t.Errorf("no test in %s names %s (%s)", folder, s.id, s.reading)
				}
			}
		})
	}
}

func TestNamed(t *testing.T) {
	tests := []struct {
		text, id string
		want     bool
	}{
		{"T-7 the tail stays", "T-7", true},
		{"as promised (T-7)", "T-7", true},
		{"T-5, T-7: both", "T-7", true},
		{"T-75 the stub", "T-7", false},
		{"the UTF-16 length", "F-16", false},
		{"S-13b five examples", "S-13", false},
		{"S-13b five examples", "S-13b", true},
		{"TestT7DefaultMarker", "T-7", true},
		{"TestT75Definition", "T-7", false},
		{"TestT7", "T-7", true},
		{"TestCO3ParseAmount", "C-O3", true},
		{"TestS13bExamples", "S-13", false},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			if got := named([]string{tt.text}, tt.id); got != tt.want {
				t.Errorf("named for %s: %t, want %t", tt.id, got, tt.want)
			}
		})
	}
}

// statement is a row of the list: its id, the issue that brings it, how it is
// read, and the folders of the packages that prove it.
type statement struct {
	id, issue, reading string
	packages           []string
}

func statements(t *testing.T) []statement {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "statements.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var list []statement
	seen := map[string]bool{}
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n")[1:] {
		fields := strings.Split(line, "\t")
		if len(fields) != 4 {
			t.Fatalf("statements.tsv:%d: %d fields, want id, issue, reading and packages", i+2, len(fields))
		}
		s := statement{fields[0], fields[1], fields[2], strings.Fields(fields[3])}
		if s.id == "" || s.issue == "" || s.reading == "" || len(s.packages) == 0 {
			t.Errorf("statements.tsv:%d: a field is empty", i+2)
		}
		if seen[s.id] {
			t.Errorf("statements.tsv:%d: %s is there twice", i+2, s.id)
		}
		seen[s.id] = true
		list = append(list, s)
	}
	if len(list) == 0 {
		t.Fatal("the list is empty, so this proves nothing")
	}
	return list
}

// named reports whether one of the texts names the statement.
func named(texts []string, id string) bool {
	short := strings.Replace(id, "-", "", 1)
	name := regexp.MustCompile(`(^|[^\w-])` + id + `($|\W)|^Test` + short + `($|[A-Z_])`)
	for _, text := range texts {
		if name.MatchString(text) {
			return true
		}
	}
	return false
}

// testTexts are the strings and the names of tests in a folder's test files,
// and the scripts in its testdata. Comments prove nothing.
func testTexts(t *testing.T, folder string) []string {
	t.Helper()
	var texts []string
	for _, name := range glob(t, folder, "*_test.go") {
		if filepath.Base(name) == "statements_test.go" {
			continue // it is about the list itself
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				texts = append(texts, n.Name.Name)
			case *ast.BasicLit:
				if n.Kind == token.STRING {
					texts = append(texts, n.Value)
				}
			}
			return true
		})
	}
	for _, name := range glob(t, folder, "testdata", "*.txtar") {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(data))
	}
	if texts == nil {
		t.Fatalf("%s has no tests", folder)
	}
	return texts
}

func glob(t *testing.T, elements ...string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(elements...))
	if err != nil {
		t.Fatal(err)
	}
	return names
}
