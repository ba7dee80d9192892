//go:build unix

package plugin

import "syscall"

// killGroup kills a process and all its descendants that stayed in its group.
func killGroup(group int) { _ = syscall.Kill(-group, syscall.SIGKILL) }
