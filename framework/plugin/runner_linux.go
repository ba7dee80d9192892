package plugin

import "syscall"

// processAttributes gives the process a group of its own, so that it can be
// killed with all its descendants and a Ctrl-C at the host's terminal does not
// reach it, and has the kernel kill it when the host dies, however the host
// dies.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
