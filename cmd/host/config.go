package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/spf13/cobra"

	"github.com/compactor-host/compactor/framework"
	"github.com/compactor-host/compactor/framework/config"
)

func newConfig() *cobra.Command {
	var reference bool
	cmd := &cobra.Command{
		Use:   "config [FILE]",
		Short: "Print the resolved configuration",
		Long: `Prints the configuration that a file, the environment and the defaults make
together: each value with where it came from. Values from the environment or
from other files are not shown.`,
		Example: `  compactor config
  compactor config compactor.hcl
  compactor config --reference`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if reference {
				return config.Reference(cmd.OutOrStdout())
			}
			cfg, err := loadConfig(cmd, args...)
			if err != nil {
				return err
			}
			return cfg.Print(screen{cmd.OutOrStdout()})
		},
	}
	cmd.Flags().BoolVar(&reference, "reference", false, "print the table of all keys instead")
	return cmd
}

func newValidate() *cobra.Command {
	return &cobra.Command{
		Use:   "validate [FILE]",
		Short: "Check a configuration, plugins and their options included",
		Long: `Checks a configuration as compact does before it starts, and further: every
strategy's program is started and asked about its options. All findings are
printed, each with its place. The exit status is 1 when there is an error.`,
		Example: "  compactor validate compactor.hcl",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file := ""
			if len(args) == 1 {
				file = args[0]
			}
			rt, err := openRuntime(cmd, file, func(rt *framework.Runtime) config.Diagnostics { return rt.Check(cmd.Context()) })
			if err != nil {
				return err
			}
			closeRuntime(cmd, rt)
			return nil
		},
	}
}

// loadConfig loads the named file, or the default ones when none is named, and
// prints the findings.
func loadConfig(cmd *cobra.Command, files ...string) (*config.Config, error) {
	cfg, found := load(cmd, files...)
	return cfg, report(cmd, found)
}

// openRuntime loads a configuration and opens a host for it. All that is wrong,
// in the files and by the check, is printed together.
func openRuntime(cmd *cobra.Command, file string, check func(*framework.Runtime) config.Diagnostics) (*framework.Runtime, error) {
	cfg, found := load(cmd, file)
	if cfg == nil {
		return nil, report(cmd, found)
	}
	rt, err := framework.Open(cmd.Context(), framework.Options{Config: cfg, Logger: newLogger(cmd.ErrOrStderr())})
	if err != nil {
		return nil, cmp.Or(report(cmd, found), error(&exitError{exitFailed, err}))
	}
	if check != nil {
		found = append(found, check(rt)...)
		found.Sort()
	}
	if err := report(cmd, found); err != nil {
		closeRuntime(cmd, rt)
		return nil, err
	}
	return rt, nil
}

// closeTimeout bounds the end of plugin processes.
const closeTimeout = 5 * time.Second

// closeRuntime ends the plugins even when the command was interrupted.
func closeRuntime(cmd *cobra.Command, rt *framework.Runtime) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(cmd.Context()), closeTimeout)
	defer cancel()
	if err := rt.Close(ctx); err != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "compactor: %v\n", err)
	}
}

func load(cmd *cobra.Command, files ...string) (*config.Config, config.Diagnostics) {
	src := config.Source{Env: os.Environ()}
	for _, f := range files {
		if f != "" {
			src.Files = append(src.Files, f)
		}
	}
	return config.Load(cmd.Context(), src)
}

// report prints findings; with an error among them the command ends.
func report(cmd *cobra.Command, found config.Diagnostics) error {
	if err := found.Print(cmd.ErrOrStderr()); err != nil {
		return err
	}
	if found.HasErrors() {
		return &exitError{code: exitFailed}
	}
	return nil
}

// newLogger logs what is worth a warning.
func newLogger(w io.Writer) hclog.Logger {
	return hclog.New(&hclog.LoggerOptions{Name: "compactor", Level: hclog.Warn, Output: w})
}
