package main

import (
	"errors"
	"fmt"

	"github.com/compactor-host/compactor/framework"
	"github.com/compactor-host/compactor/framework/dialect/all"
	"github.com/compactor-host/compactor/framework/engine"
)

// Exit codes.
const (
	exitFailed    = 1
	exitBadInput  = 2
	exitTooLarge  = 3
	exitCancelled = 130
)

// exitError ends the command with a code. A nil err has been reported already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// badInput is an error about the input, the output or the command line.
func badInput(format string, args ...any) error {
	return &exitError{exitBadInput, fmt.Errorf(format, args...)}
}

// explain gives an error of a compaction its exit code and names the file.
func explain(name string, err error) error {
	var exit *exitError
	var parse *framework.ParseError
	var noChain *engine.NoChainError
	switch {
	case errors.As(err, &exit):
		return err
	case errors.Is(err, all.ErrUnknown):
		return badInput("%s: %w; --dialect forces one", name, err)
	case errors.As(err, &parse), errors.As(err, &noChain):
		return badInput("%s: %w", name, err)
	}
	return &exitError{exitFailed, fmt.Errorf("%s: %s", name, brief(err.Error()))}
}
