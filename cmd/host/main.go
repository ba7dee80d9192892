// Command compactor keeps the conversations of LLM agents within the model's
// context window.
//
// Exit codes: 0 done; 1 the configuration is wrong, a step failed that must not,
// or the compacted body would break a rule of its provider; 2 the command line,
// the input or the output cannot be used; 3 the conversation cannot be made to
// fit; 130 interrupted.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := untilSignal()
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// untilSignal returns a context that the first signal ends. The second one ends
// the program whatever it does: that holds before anything can be seen of the
// first.
func untilSignal() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case <-signals:
		case <-ctx.Done():
		}
		signal.Stop(signals)
		cancel()
	}()
	return ctx, cancel
}

// run runs the command line and returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	stderr = screen{stderr}
	cmd := newRoot()
	cmd.SetArgs(args)
	cmd.SetIn(stdin)
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	err := cmd.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	code := exitBadInput // cobra's own errors are about the command line
	var exit *exitError
	if errors.As(err, &exit) {
		code, err = exit.code, exit.err
	}
	if ctx.Err() != nil {
		code, err = exitCancelled, errors.New("interrupted")
	}
	if err != nil {
		fmt.Fprintf(stderr, "compactor: %v\n", err)
	}
	return code
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "compactor",
		Short: "Keeps the conversations of LLM agents within the model's context window",
		Long: `compactor makes the prompt of an LLM agent fit the model's context window.

A chain of strategies, each a program of its own, is tried in order until the
prompt fits. The conversation itself never changes: what comes out is the view
to send.`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(newServe(), newCompact(), newReplay(), newValidate(), newConfig(), newPlugins(), newVersion())
	return root
}
