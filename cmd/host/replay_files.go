package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/compactor-host/compactor/framework/dialect/all"
)

// recordedFile is a request body and where it was read.
type recordedFile struct {
	name string
	body []byte
}

// recordings reads the body of a file, or all that a folder has below it. What
// is none there is passed over; a body that is one and not understood is told.
func (f *replayFlags) recordings(cmd *cobra.Command, name string) ([]recordedFile, error) {
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() {
		file, err := f.recording(cmd, name)
		return []recordedFile{file}, err
	}
	var files []recordedFile
	err = filepath.WalkDir(name, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return &exitError{exitBadInput, err}
		}
		if !e.Type().IsRegular() || !strings.HasSuffix(path, ".json") {
			return cmd.Context().Err()
		}
		switch file, err := f.recording(cmd, path); {
		case err == nil:
			files = append(files, file)
		case !errors.Is(err, all.ErrUnknown):
			fmt.Fprintf(cmd.ErrOrStderr(), "compactor: passed over: %v\n", err)
		}
		return cmd.Context().Err()
	})
	if err == nil && len(files) == 0 {
		err = badInput("%s: there is no request body in this folder: no *.json file with messages or input", name)
	}
	return files, err
}

// recording reads one body and looks whether it can be played.
func (f *replayFlags) recording(cmd *cobra.Command, name string) (recordedFile, error) {
	body, err := readInput(cmd.Context(), name, cmd.InOrStdin())
	if err != nil {
		return recordedFile{}, err
	}
	if name == "-" {
		name = stdinName
	}
	file := recordedFile{name, body}
	_, err = f.read(file)
	var exit *exitError
	switch {
	case err == nil || errors.As(err, &exit):
		return file, err
	case errors.Is(err, all.ErrUnknown):
		return file, badInput("%s: %w; --dialect forces one", name, err)
	}
	return file, badInput("%s: %w", name, err)
}

// progressPause is the time between two lines that tell how far a replay is.
const progressPause = 2 * time.Second

// replayProgress tells somebody who is looking how far a long replay is.
func replayProgress(w io.Writer, name, chain string) func(done, calls int) {
	if !isTerminal(w) {
		return nil
	}
	last := time.Now()
	return func(done, calls int) {
		if time.Since(last) < progressPause {
			return
		}
		last = time.Now()
		fmt.Fprintf(w, "%s, chain %q: %s of %s calls\n", name, chain, number(done), number(calls))
	}
}
