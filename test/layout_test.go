// Package test proves what no single package can: the direction of imports,
// and that the README tells the truth.
package test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const module = "github.com/compactor-host/compactor"

// tiers are the rooms of the house from the ground up. A room may import its
// own tier and those below it.
var tiers = [][]string{
	{"sdk"},
	{"framework/config", "framework/observe", "framework/store"},
	{"framework/dialect", "framework/meter", "framework/plugin"},
	{"framework/chain", "framework/session"},
	{"framework/engine"},
	{"framework/transport"},
	{"framework"},
	{"framework/gateway"},
	{"cmd"},
}

// sdkDependencies are the modules that a strategy author inherits.
var sdkDependencies = []string{
	"github.com/hashicorp/go-hclog",
	"github.com/hashicorp/go-plugin",
	"google.golang.org/grpc",
	"google.golang.org/protobuf",
}

// goPackage is what `go list -json` tells of a package. Tests may import what
// they like, so theirs are left out.
type goPackage struct {
	ImportPath string
	Imports    []string
}

func TestImportsPointDown(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range list(t) {
		seen[strings.TrimPrefix(p.ImportPath, module+"/")] = true
		for _, finding := range findings(p) {
			t.Error(finding)
		}
	}
	for _, room := range []string{"sdk", "framework/config", "framework/dialect", "framework/plugin"} {
		if !seen[room] {
			t.Errorf("go list did not find %s, so nothing is proven of it", room)
		}
	}
}

func TestLayoutFindings(t *testing.T) {
	tests := []struct {
		name, from, imports string
		want                []string
	}{
		{"down", "framework/transport", module + "/framework/chain", nil},
		{"own tier", "framework/meter", module + "/framework/dialect", nil},
		{"own sub-package", "framework/dialect", module + "/framework/dialect/span", nil},
		{"standard library", "sdk", "net/http", nil},
		{"command to facade", "cmd/host", module + "/framework", nil},
		{"strategy to sdk", "strategies/evict", module + "/sdk", nil},
		{"plugin to its strategy", "strategies/evict/plugin", module + "/strategies/evict", nil},
		{"sdk to grpc", "sdk", "google.golang.org/grpc/codes", nil},
		{"sdk to its proto", "sdk", module + "/sdk/proto/compactor/strategy/v1", nil},

		{"up", "framework/dialect/span", module + "/framework/chain", []string{"framework/dialect/span imports framework/chain, which is above it"}},
		{"up to the facade", "framework/plugin", module + "/framework", []string{"framework/plugin imports framework, which is above it"}},
		{"up to the gateway", "framework", module + "/framework/gateway", []string{"framework imports framework/gateway, which is above it"}},
		{"command imported", "framework/gateway", module + "/cmd/host", []string{"framework/gateway imports cmd/host, which is above it"}},
		{"strategy imported", "framework/chain", module + "/strategies/evict", []string{"framework/chain imports strategies/evict: only its plugin and examples know a strategy"}},
		{"strategy to framework", "strategies/evict", module + "/framework/meter", []string{"strategies/evict imports framework/meter: a strategy knows only sdk"}},
		{"strategy to a module", "strategies/evict", "github.com/spf13/cobra", []string{"strategies/evict imports github.com/spf13/cobra: a strategy knows only sdk"}},
		{"strategy to another", "strategies/evict", module + "/strategies/clear-tools", []string{"strategies/evict imports strategies/clear-tools: a strategy knows only sdk"}},
		{"sdk to ours", "sdk", module + "/framework/config", []string{"sdk imports framework/config, which is above it"}},
		{"sdk to a module", "sdk", "github.com/spf13/cobra", []string{"sdk imports github.com/spf13/cobra: strategy authors would inherit it"}},
		{"sdk to a module of a like name", "sdk", "github.com/hashicorp/go-plugin-extras", []string{"sdk imports github.com/hashicorp/go-plugin-extras: strategy authors would inherit it"}},
		{"test support imported", "framework/meter", module + "/internal/fake", []string{"framework/meter imports internal/fake: internal is for tests, and for the replay that the command offers"}},
		{"room without a tier", "framework/attic", "fmt", []string{"framework/attic stands in no tier"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := findings(goPackage{ImportPath: module + "/" + test.from, Imports: []string{test.imports}})
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// findings tells what is wrong with the imports of a package.
func findings(p goPackage) []string {
	from := strings.TrimPrefix(p.ImportPath, module+"/")
	tier := tierOf(from)
	free := within(from, "internal") || within(from, "examples") || within(from, "test")
	if tier < 0 && !free && !within(from, "strategies") {
		return []string{from + " stands in no tier"}
	}
	var found []string
	for _, imported := range p.Imports {
		if reason := refuse(from, tier, free, imported); reason != "" {
			found = append(found, fmt.Sprintf("%s imports %s%s", from, strings.TrimPrefix(imported, module+"/"), reason))
		}
	}
	return found
}

// refuse says why a package must not import another; empty is that it may.
func refuse(from string, tier int, free bool, imported string) string {
	if standard(imported) || free {
		return ""
	}
	to, ours := strings.CutPrefix(imported, module+"/")
	switch {
	case within(from, "strategies"):
		if ours && (within(to, "sdk") || within(from, to)) {
			return ""
		}
		return ": a strategy knows only sdk"
	case !ours:
		if !within(from, "sdk") || slices.ContainsFunc(sdkDependencies, func(m string) bool { return within(imported, m) }) {
			return ""
		}
		return ": strategy authors would inherit it"
	case within(to, "strategies"):
		return ": only its plugin and examples know a strategy"
	case within(to, "internal") && (from != "cmd/host" || to != "internal/replay"):
		return ": internal is for tests, and for the replay that the command offers"
	case tierOf(to) > tier:
		return ", which is above it"
	}
	return ""
}

// tierOf finds the tier of a package by its path in the module, -1 for none.
// The facade is the folder framework alone; other rooms own what is in them.
func tierOf(path string) int {
	return slices.IndexFunc(tiers, func(rooms []string) bool {
		return slices.ContainsFunc(rooms, func(room string) bool {
			return path == room || room != "framework" && within(path, room)
		})
	})
}

// within reports whether a path is a folder or lies in it.
func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

// standard reports whether a package is of the standard library, whose paths
// have no dot in their first element.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// list reads the packages of the root module.
func list(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Dir = root(t)
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %v\n%s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	var packages []goPackage
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatalf("reading go list: %v", err)
		}
		packages = append(packages, p)
	}
}

// root is the folder of the root module.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
