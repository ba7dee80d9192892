package plugin

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// environment is all that the process gets: what programs need to run, what
// the plugin block adds, and what go-plugin's handshake wants. The host's own
// variables hold keys.
func environment(found *Found, handshake []string) []string {
	var env []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		switch {
		case strings.HasPrefix(name, "LC_"),
			name == "PATH", name == "HOME", name == "TMPDIR", name == "LANG", name == "TZ":
			env = append(env, v)
		}
	}
	if found.Config != nil {
		for name, value := range found.Config.Env {
			env = append(env, name+"="+value)
		}
	}
	return append(env, handshake...) // of two equal names the last one counts
}

// longestSocketFolder leaves room in a socket's path, of which systems allow
// 104 to 108 bytes, for three names that are made below it.
const longestSocketFolder = 40

// socketFolder makes a private folder for the plugin's socket, with a short
// path wherever TMPDIR points to.
func socketFolder() (string, error) {
	for _, base := range []string{os.Getenv("XDG_RUNTIME_DIR"), os.TempDir()} {
		if !filepath.IsAbs(base) || len(base) > longestSocketFolder {
			continue
		}
		if dir, err := os.MkdirTemp(base, "compactor-"); err == nil {
			return dir, nil
		}
	}
	dir, err := os.MkdirTemp("/tmp", "compactor-")
	if err != nil {
		return "", fmt.Errorf("no place for a socket: %w", err)
	}
	return dir, nil
}
