// Command embed is an agent that reads the files of a folder to answer a
// question. Its conversation stays within the model's window, because its SDK
// sends through the host's transport; the agent itself knows nothing of that.
//
//	OPENAI_API_KEY=… embed [-model M] [-max-tokens N] FOLDER QUESTION
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/sdk"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "embed:", err)
		os.Exit(1)
	}
}

// run answers the question that the arguments ask.
func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("embed", flag.ContinueOnError)
	model := flags.String("model", "gpt-5.5", "the model's name")
	limit := flags.Int("max-tokens", 0, "compact above this size instead of near the model's window")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 2 {
		return errors.New("wants a folder and a question")
	}
	folder, err := os.OpenRoot(flags.Arg(0))
	if err != nil {
		return err
	}
	defer folder.Close()

	cfg := config.Default()
	cfg.Chains[config.DefaultChain].MaxTokens = sdk.Tokens(*limit)
	client, host, err := connect(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, host.Close(context.WithoutCancel(ctx))) }()

	a := &agent{client: client, host: host, model: *model, folder: folder, out: out}
	return a.answer(ctx, flags.Arg(1))
}
