package plugin

import (
	"os"
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
