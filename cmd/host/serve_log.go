package main

import (
	"io"
	"os"

	"github.com/hashicorp/go-hclog"

	"github.com/compactor-host/compactor/framework/config"
)

// openLog opens the log that the configuration names, else stderr. Only its
// owner may read a file, for models and paths are named there.
func openLog(stderr io.Writer, c config.Log) (hclog.Logger, io.Closer, error) {
	var w io.Writer = stderr
	var file io.Closer = io.NopCloser(nil)
	if c.File != "" {
		f, err := os.OpenFile(c.File, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, nil, err
		}
		w, file = screen{f}, f
	}
	return hclog.New(&hclog.LoggerOptions{
		Name:       "compactor",
		Level:      hclog.LevelFromString(c.Level),
		Output:     w,
		JSONFormat: c.Format == "json",
	}), file, nil
}
