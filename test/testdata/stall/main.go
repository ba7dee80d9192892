// Command stall is a strategy that says where it is and then does nothing until
// it is stopped. The environment variable STALL_PID_FILE names a file that it
// writes its process id to.
package main

import (
	"context"
	"os"
	"strconv"

	"github.com/compactor-host/compactor/sdk"
)

func main() {
	sdk.Serve(sdk.New("stall", "1.0.0", func(struct{}) (sdk.Strategy, error) {
		return sdk.StrategyFunc(func(ctx context.Context, _ *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
			name := os.Getenv("STALL_PID_FILE")
			// Written whole or not at all, for somebody waits for it.
			if err := os.WriteFile(name+".part", []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
				return nil, err
			}
			if err := os.Rename(name+".part", name); err != nil {
				return nil, err
			}
			<-ctx.Done()
			return nil, ctx.Err()
		}), nil
	}))
}
