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
	"net/http"
	"os"
	"os/signal"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/compactor-host/compactor/framework"
	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/sdk"
	cleartools "github.com/compactor-host/compactor/strategies/clear-tools"
	"github.com/compactor-host/compactor/strategies/evict"
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
	rt, err := framework.Open(ctx, framework.Options{
		Config: cfg,
		// In this process; without them the programs of the strategies are used.
		Strategies: []*sdk.Definition{cleartools.Definition(), evict.Definition()},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rt.Close(context.WithoutCancel(ctx))) }()

	a := &agent{
		// All there is to it: the SDK's client sends through rt.Transport.
		client: openai.NewClient(option.WithHTTPClient(&http.Client{Transport: rt.Transport(nil)})),
		model:  *model, folder: folder, out: out, host: rt,
	}
	return a.answer(ctx, flags.Arg(1))
}
