package main

import (
	"os"

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
			return cfg.Print(cmd.OutOrStdout())
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
			cfg, err := loadConfig(cmd, args...)
			if err != nil {
				return err
			}
			rt, err := framework.Open(cmd.Context(), framework.Options{Config: cfg, Logger: newLogger(cmd.ErrOrStderr())})
			if err != nil {
				return &exitError{exitFailed, err}
			}
			defer closeRuntime(cmd, rt)
			return report(cmd, rt.Check(cmd.Context()))
		},
	}
}

// loadConfig loads the named file, or the default ones when none is named, and
// prints the findings.
func loadConfig(cmd *cobra.Command, files ...string) (*config.Config, error) {
	src := config.Source{Env: os.Environ()}
	for _, f := range files {
		if f != "" {
			src.Files = append(src.Files, f)
		}
	}
	cfg, found := config.Load(cmd.Context(), src)
	return cfg, report(cmd, found)
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
