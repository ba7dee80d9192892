package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/compactor-host/compactor/framework"
	"github.com/compactor-host/compactor/framework/chain"
	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/all"
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
--json (then on standard output, when the body does not go there).`,
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
	if f.maxTokens < 0 || f.window < 0 {
		return &exitError{exitBadInput, errors.New("--max-tokens and --window count tokens: a number from 1")}
	}
	body, err := readInput(name, cmd.InOrStdin())
	if err != nil {
		return err
	}
	if name == "-" {
		name = stdinName
	}
	if f.out != "" && !f.dryRun {
		if err := checkOutput(f.out, f.force); err != nil {
			return err
		}
	}
	c, err := f.compact(cmd, body)
	if c == nil || cmd.Context().Err() != nil {
		return f.explain(name, err)
	}
	if rerr := f.tell(cmd, name, c); rerr != nil {
		return rerr
	}
	if err != nil {
		return f.explain(name, err)
	}
	if !c.Fits() {
		return &exitError{exitTooLarge, fmt.Errorf("%s: cannot be made to fit: %d tokens are left of %d, and the limit is %d; nothing was written",
			name, c.After.Tokens, c.Before.Tokens, c.Ceiling-1)}
	}
	if f.dryRun {
		return nil
	}
	if err := writeOutput(f.out, c.Body, cmd.OutOrStdout()); err != nil {
		return &exitError{exitBadInput, err}
	}
	return nil
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
	var unusable *framework.OpenError
	if errors.As(err, &unusable) { // the check says the same with its place
		return nil, cmp.Or(report(cmd, rt.Check(cmd.Context())), err)
	}
	return c, err
}

// explain gives an error its exit code and names the file.
func (f *compactFlags) explain(name string, err error) error {
	var exit *exitError
	var parse *framework.ParseError
	var noChain *framework.NoChainError
	switch {
	case errors.As(err, &exit):
		return err
	case errors.Is(err, all.ErrUnknown):
		return &exitError{exitBadInput, fmt.Errorf("%s: %w; --dialect forces one", name, err)}
	case errors.As(err, &parse), errors.As(err, &noChain):
		return &exitError{exitBadInput, fmt.Errorf("%s: %w", name, err)}
	}
	return &exitError{exitFailed, fmt.Errorf("%s: %w", name, err)}
}

// tell writes the report, or at least what went wrong.
func (f *compactFlags) tell(cmd *cobra.Command, name string, c *framework.Compaction) error {
	stderr := cmd.ErrOrStderr()
	switch {
	case f.json:
		w := stderr
		if f.out != "" || f.dryRun {
			w = cmd.OutOrStdout()
		}
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(struct {
			*framework.Compaction
			Changed   bool                 `json:"changed"`
			Fits      bool                 `json:"fits"`
			Exchanges []framework.Exchange `json:"exchanges,omitempty"`
		}{c, c.Changed(), c.Fits(), c.Exchanges()})
	case f.report || isTerminal(stderr) || !c.Fits():
		return writeReport(stderr, name, c)
	}
	for _, w := range c.Warnings {
		fmt.Fprintf(stderr, "compactor: warning: %s\n", w)
	}
	for i := range c.Attempts {
		if a := &c.Attempts[i]; a.Outcome == chain.Failed {
			fmt.Fprintf(stderr, "compactor: step %d (%s) failed: %s\n", a.Step+1, a.Strategy, a.Reason)
		}
	}
	return nil
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}
