package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/compactor-host/compactor/framework"
	"github.com/compactor-host/compactor/framework/chain"
)

// tell writes the report, or at least what went wrong.
func (f *compactFlags) tell(cmd *cobra.Command, name string, c *framework.Compaction, failed error) error {
	stderr := cmd.ErrOrStderr()
	switch {
	case f.json:
		w := stderr
		if f.out != "" || f.dryRun {
			w = cmd.OutOrStdout()
		}
		return writeJSON(screen{w}, c, failed)
	case f.report || isTerminal(stderr) || !c.Fits():
		return writeReport(stderr, name, c, failed)
	}
	for _, w := range c.Warnings {
		fmt.Fprintf(stderr, "compactor: warning: %s\n", w)
	}
	for i := range c.Attempts {
		if a := &c.Attempts[i]; a.Outcome == chain.Failed {
			fmt.Fprintf(stderr, "compactor: step %d (%s) failed: %s\n", a.Step+1, a.Strategy, indented(brief(a.Reason)))
		}
	}
	return nil
}

// writeJSON writes the report for programs.
func writeJSON(w io.Writer, c *framework.Compaction, failed error) error {
	report := struct {
		*framework.Compaction
		Error     string               `json:"error,omitempty"`
		Changed   bool                 `json:"changed"`
		Fits      bool                 `json:"fits"`
		Exchanges []framework.Exchange `json:"exchanges,omitempty"`
	}{Compaction: c, Changed: c.Changed(), Fits: c.Fits(), Exchanges: c.Exchanges()}
	if failed != nil {
		report.Error = failed.Error()
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(report)
}
