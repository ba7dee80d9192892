package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/compactor-host/compactor/sdk"
)

// version is set by the linker.
var version = "dev"

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  compactor version",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "compactor %s (contract revision %d, %s %s/%s)\n",
				version, sdk.Revision, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
