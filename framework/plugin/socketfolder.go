package plugin

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// longestBase leaves room in a socket's path, of which systems allow 104 to
// 108 bytes, for the names of its folder and of the socket.
const longestBase = 40

// socketFolder makes a private folder for one plugin's socket, with a short
// path wherever TMPDIR points to, and removes those that killed hosts have left
// beside it.
func socketFolder() (string, error) {
	name := fmt.Sprintf("compactor-%d-%s-", os.Getpid(), pidNamespace())
	var dir string
	var err error
	for _, base := range []string{os.Getenv("XDG_RUNTIME_DIR"), os.TempDir(), "/tmp"} {
		if !filepath.IsAbs(base) || len(base) > longestBase {
			continue
		}
		if dir, err = os.MkdirTemp(base, name); err == nil {
			sweep(base)
			return dir, nil
		}
	}
	return "", fmt.Errorf("no place for a socket: %w", err)
}

// folderName is what MkdirTemp makes of the name above: the host's process id,
// where that counts, and digits that tell its folders apart.
var folderName = regexp.MustCompile(`^compactor-(\d+)-(\d+)-\d+$`)

// sweep removes the socket folders of hosts that are gone: a host that was
// killed removes nothing. It neither waits nor fails.
func sweep(base string) {
	entries, _ := os.ReadDir(base) // one that cannot be read is left as it is
	for _, e := range entries {
		name := folderName.FindStringSubmatch(e.Name())
		if name == nil || !e.IsDir() || name[2] != pidNamespace() {
			continue
		}
		pid, err := strconv.Atoi(name[1])
		info, infoErr := e.Info()
		if err == nil && infoErr == nil && ours(info) && gone(pid) {
			_ = os.RemoveAll(filepath.Join(base, e.Name()))
		}
	}
}

// pidNamespace is a number for where process ids count: containers that share
// a folder for temporary files do not see each other's processes. It is 0
// where there is one for all.
func pidNamespace() string {
	link, err := os.Readlink("/proc/self/ns/pid") // pid:[4026531836]
	number := strings.TrimSuffix(strings.TrimPrefix(link, "pid:["), "]")
	if _, bad := strconv.ParseUint(number, 10, 64); err != nil || bad != nil {
		return "0"
	}
	return number
}
