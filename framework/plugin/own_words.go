package plugin

import "github.com/hashicorp/go-hclog"

// ownWords is the logger that go-plugin is given. It holds back the one warning
// that go-plugin has about the end of a process: how a process ended is told by
// an error of ours, or is as it should be.
type ownWords struct{ hclog.Logger }

// Warn implements hclog.Logger.
func (l ownWords) Warn(message string, args ...any) {
	if message == "plugin failed to exit gracefully" {
		l.Debug(message, args...)
		return
	}
	l.Logger.Warn(message, args...)
}
