package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/compactor-host/compactor/framework/plugin"
)

func newPlugins() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plugins",
		Short: "Look after strategies' programs",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPluginsList())
	return cmd
}

func newPluginsList() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the strategies that can be used",
		Long: `Lists every strategy that can be found, with its version, the contract revision
it speaks, the checksum of its program and where it was found. Each program is
started once to ask; one that does not answer is listed with the reason, and
the exit status is then 1.`,
		Example: "  compactor plugins list",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return listPlugins(cmd, file) },
	}
	cmd.Flags().StringVar(&file, "config", "", "configuration file")
	return cmd
}

func listPlugins(cmd *cobra.Command, file string) error {
	rt, err := openRuntime(cmd, file, nil)
	if err != nil {
		return err
	}
	defer closeRuntime(cmd, rt)
	rows := [][]string{{"NAME", "VERSION", "REVISION", "MODELS", "SHA256", "FOUND", "PATH"}}
	var broken []error
	for _, found := range rt.Plugins().List() {
		row, err := pluginRow(cmd, rt.Plugins(), found)
		if err != nil {
			broken = append(broken, err)
		}
		rows = append(rows, row)
	}
	if err := table(cmd.OutOrStdout(), "", 0, rows); err != nil {
		return err
	}
	if len(broken) > 0 {
		return &exitError{exitFailed, errors.Join(broken...)}
	}
	return nil
}

// pluginRow asks a plugin what it is.
func pluginRow(cmd *cobra.Command, host *plugin.Host, found plugin.Found) ([]string, error) {
	row := []string{found.Name, "-", "-", "-", "-", string(found.Source), cmp.Or(found.Path, "-")}
	if sum, err := found.Sum(); err == nil && sum != "" {
		row[4] = sum[:12]
	}
	if found.Err != nil {
		return row, found.Err
	}
	d, err := host.Describe(cmd.Context(), found.Name)
	if err != nil {
		return row, err
	}
	row[1], row[2], row[3] = d.Version, fmt.Sprint(d.Revision), "no"
	if d.CallsModels {
		row[3] = "yes"
	}
	return row, nil
}
