//go:build unix && !linux

package plugin

import "syscall"

// processAttributes gives the process a group of its own, so that it can be
// killed with all its descendants and a Ctrl-C at the host's terminal does not
// reach it. That it does not outlive the host is left to the SDK, which ends
// the process when its last connection is closed.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
