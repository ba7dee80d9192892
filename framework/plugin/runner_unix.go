//go:build unix

package plugin

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// killGroup kills a process and all its descendants that stayed in its group.
func killGroup(group int) { _ = syscall.Kill(-group, syscall.SIGKILL) }

// gone reports whether there is no process of that id.
func gone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

// ours reports whether a file belongs to the host's user.
func ours(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Getuid()
}
