package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/compactor-host/compactor/framework"
	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/engine"
	"github.com/compactor-host/compactor/sdk"
)

// compactFlags are the flags of the compact command.
type compactFlags struct {
	config, chain, dialect, out string
	maxTokens, window           int
	force, now, dryRun          bool
	json, report                bool
}

func newCompact() *cobra.Command {
	var f compactFlags
	cmd := &cobra.Command{
		Use:   "compact [FILE|-]",
		Short: "Make one request body fit",
		Long: `Reads one request body (OpenAI Chat Completions, OpenAI Responses or Anthropic
Messages) and writes the view to send: the body itself when it is not due,
else what the chain made of it.

The body alone goes to standard output, or to --out. The report goes to
standard error: by itself on a terminal, with --report elsewhere, as JSON with
--json (then on standard output, when the body does not go there).

A body may have up to 1 GiB. A file that --out replaces keeps its mode; a link
is followed.`,
		Example: `  compactor compact conversation.json --max-tokens 20000 --out smaller.json
  compactor compact - --window 200000 <conversation.json >smaller.json
  compactor compact conversation.json --now --dry-run`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := "-"
			if len(args) == 1 {
				name = args[0]
			}
			return f.run(cmd, name)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.config, "config", "", "configuration file (default: compactor.hcl or .yaml here, else in the user's configuration folder)")
	fl.StringVar(&f.chain, "chain", "", "chain to run (default: what the routes say)")
	fl.IntVar(&f.maxTokens, "max-tokens", 0, "due when the prompt has more tokens than this")
	fl.IntVar(&f.window, "window", 0, "the model's context window, in tokens")
	fl.StringVar(&f.dialect, "dialect", "", "openai-chat, openai-responses or anthropic (default: found out)")
	fl.StringVar(&f.out, "out", "", "file to write to; folders are made")
	fl.BoolVar(&f.force, "force", false, "replace the file that --out names")
	fl.BoolVar(&f.now, "now", false, "compact though nothing is due")
	fl.BoolVar(&f.dryRun, "dry-run", false, "report what would be done, write no body")
	fl.BoolVar(&f.json, "json", false, "report as JSON")
	fl.BoolVar(&f.report, "report", false, "report also when standard error is no terminal")
	return cmd
}

func (f *compactFlags) run(cmd *cobra.Command, name string) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	body, err := readInput(cmd.Context(), name, cmd.InOrStdin())
	if err != nil {
		return err
	}
	if name == "-" {
		name = stdinName
	}
	c, err := f.compact(cmd, body)
	if c == nil || cmd.Context().Err() != nil {
		return explain(name, err)
	}
	if rerr := f.tell(cmd, name, c, err); rerr != nil {
		return rerr
	}
	if err != nil {
		return explain(name, err)
	}
	if !c.Fits() {
		return &exitError{exitTooLarge, fmt.Errorf("%s: cannot be made to fit: %d tokens are left of %d, and the limit is %d; nothing was written",
			name, c.After.Tokens, c.Before.Tokens, c.Ceiling-1)}
	}
	if f.dryRun {
		return nil
	}
	return f.write(c.Body, cmd.OutOrStdout())
}

// mostTokens keeps what is computed of a limit far from overflow.
const mostTokens int64 = 1_000_000_000_000

// check refuses flags that cannot be used, before anything is read.
func (f *compactFlags) check(cmd *cobra.Command) error {
	for _, flag := range []struct {
		name string
		n    int
	}{{"max-tokens", f.maxTokens}, {"window", f.window}} {
		if cmd.Flags().Changed(flag.name) && (flag.n < 1 || int64(flag.n) > mostTokens) {
			return badInput("--%s %d: tokens are counted by a number from 1 to %d", flag.name, flag.n, mostTokens)
		}
	}
	if f.out == "" || f.dryRun {
		return nil
	}
	return checkOutput(f.out, f.force)
}

// write writes the body to where --out says. That is looked at again, for a
// compaction may have taken its time.
func (f *compactFlags) write(body []byte, stdout io.Writer) error {
	if f.out == "" {
		if _, err := stdout.Write(body); err != nil {
			return &exitError{exitBadInput, err}
		}
		return nil
	}
	if err := checkOutput(f.out, f.force); err != nil {
		return err
	}
	return writeOutput(f.out, body)
}

// compact loads the configuration and does the work.
func (f *compactFlags) compact(cmd *cobra.Command, body []byte) (*framework.Compaction, error) {
	rt, err := openRuntime(cmd, f.config, func(rt *framework.Runtime) config.Diagnostics { return rt.CheckPrograms(cmd.Context()) })
	if err != nil {
		return nil, err
	}
	defer closeRuntime(cmd, rt)
	c, err := rt.Compact(cmd.Context(), framework.Request{
		Body:      body,
		Dialect:   dialect.Name(f.dialect),
		Chain:     f.chain,
		MaxTokens: sdk.Tokens(f.maxTokens),
		Window:    sdk.Tokens(f.window),
		Now:       f.now,
		Prepare:   true,
		Verify:    true,
	})
	var unusable *engine.OpenError
	if errors.As(err, &unusable) { // the check says the same with its place
		return nil, cmp.Or(report(cmd, rt.Check(cmd.Context())), err)
	}
	return c, err
}
