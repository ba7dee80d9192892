package plugin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/compactor-host/compactor/framework/config"
)

// filePrefix begins the file name of every strategy's program.
const filePrefix = "compactor-strategy-"

// pathVariable names the environment variable with more folders to look in, a
// list as in PATH.
const pathVariable = "COMPACTOR_PLUGIN_PATH"

// Source says by what a strategy's program was found.
type Source string

// The sources, in the order in which they are tried.
const (
	SourceBuiltIn  Source = "built in"
	SourceConfig   Source = "plugin block"
	SourcePath     Source = "plugin_path"
	SourceBeside   Source = "beside the host"
	SourceEnv      Source = "$" + pathVariable
	SourceUserData Source = "user data folder"
)

// Finder knows where strategies' programs are.
type Finder struct {
	// Plugins are the configured plugins by name.
	Plugins map[string]*config.Plugin
	// Path lists folders, those of the configuration's plugin_path.
	Path []string
	// Executable is the host's own program; empty means the running one.
	Executable string
}

// Found is a strategy's program.
type Found struct {
	Name   string
	Source Source
	// Path is the program's file, Args the arguments it is run with.
	Path string
	Args []string
	// Config is the plugin's block; nil without one.
	Config *config.Plugin
	// Err says why the strategy cannot be run although something is there;
	// only List sets it.
	Err error
}

var validName = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// Find returns the program of a strategy. The error is an *Error of kind
// NotFound, which names every place looked at, or NotExecutable.
func (f *Finder) Find(name string) (*Found, error) {
	if !validName.MatchString(name) {
		return nil, &Error{Kind: NotFound, Plugin: name, Cause: errors.New("a name has small letters, digits and dashes, and begins with a letter")}
	}
	block := f.Plugins[name]
	if block != nil && len(block.Command) > 0 {
		return findCommand(name, block)
	}
	var looked []string
	for _, place := range f.places() {
		path := filepath.Join(place.folder, filePrefix+name)
		looked = append(looked, path)
		err := executable(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, &Error{Kind: NotExecutable, Plugin: name, Path: path, Cause: err}
		}
		return &Found{Name: name, Source: place.source, Path: path, Config: block}, nil
	}
	return nil, &Error{Kind: NotFound, Plugin: name, Cause: fmt.Errorf("no plugin block with a command, and none of these files: %s", strings.Join(looked, ", "))}
}

// findCommand resolves a configured command. Its first word is a path, or a
// name that is looked up in PATH.
func findCommand(name string, block *config.Plugin) (*Found, error) {
	word := block.Command[0]
	path := word
	if !strings.ContainsRune(word, filepath.Separator) {
		p, err := exec.LookPath(word)
		if err != nil {
			return nil, &Error{Kind: NotFound, Plugin: name, Cause: fmt.Errorf("command %q is not in PATH", word)}
		}
		path = p
	}
	err := executable(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &Error{Kind: NotFound, Plugin: name, Path: path, Cause: errors.New("there is no such file")}
	case err != nil:
		return nil, &Error{Kind: NotExecutable, Plugin: name, Path: path, Cause: err}
	}
	return &Found{Name: name, Source: SourceConfig, Path: path, Args: block.Command[1:], Config: block}, nil
}

// List returns every strategy that has a plugin block or a program in one of
// the folders, ordered by name. Where there are several programs of a name,
// the one that Find would return stands for all.
func (f *Finder) List() []Found {
	names := map[string]bool{}
	for name := range f.Plugins {
		names[name] = true
	}
	for _, place := range f.places() {
		entries, _ := os.ReadDir(place.folder) // a folder that is missing holds nothing
		for _, e := range entries {
			name, ok := strings.CutPrefix(e.Name(), filePrefix)
			if ok && validName.MatchString(name) {
				names[name] = true
			}
		}
	}
	var all []Found
	for name := range names {
		found, err := f.Find(name)
		if err != nil {
			found = &Found{Name: name, Config: f.Plugins[name], Err: err}
			if found.Config != nil {
				found.Source = SourceConfig
			}
			if e := new(Error); errors.As(err, &e) {
				found.Path = e.Path
			}
		}
		all = append(all, *found)
	}
	slices.SortFunc(all, func(a, b Found) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// place is one folder to look in.
type place struct {
	folder string
	source Source
}

func (f *Finder) places() []place {
	var ps []place
	for _, folder := range f.Path {
		ps = append(ps, place{folder, SourcePath})
	}
	if host := f.executable(); host != "" {
		folder := filepath.Dir(host)
		ps = append(ps,
			place{folder, SourceBeside},
			place{filepath.Join(folder, "..", "libexec", "compactor"), SourceBeside})
	}
	for _, folder := range filepath.SplitList(os.Getenv(pathVariable)) {
		if folder != "" {
			ps = append(ps, place{folder, SourceEnv})
		}
	}
	if data := userData(); data != "" {
		ps = append(ps, place{filepath.Join(data, "compactor", "plugins"), SourceUserData})
	}
	return ps
}

func (f *Finder) executable() string {
	if f.Executable != "" {
		return f.Executable
	}
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real // a link in ~/bin has its plugins where it points to
	}
	return path
}

// userData is the folder for a user's own data, empty when there is none.
func userData() string {
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".local", "share")
}

// executable says why a file cannot be run.
func executable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("it is a folder")
	case info.Mode()&0o111 == 0:
		return fmt.Errorf("its mode is %v; chmod +x makes it a program", info.Mode())
	}
	return nil
}
