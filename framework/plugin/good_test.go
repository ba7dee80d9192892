package plugin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/compactor-host/compactor/sdk"
)

// wellBuilt is the strategy of a plugin made with the SDK. Its option says
// what it does.
func wellBuilt() *sdk.Definition {
	type options struct {
		Do   string `json:"do" default:"drop"`
		Keep int    `json:"keep" default:"1" min:"0"`
	}
	return sdk.New("odd", "1.2.3", func(o options) (sdk.Strategy, error) {
		return sdk.StrategyFunc(func(ctx context.Context, r *sdk.Request, h sdk.Host) (*sdk.Result, error) {
			if o.Do == "drop" {
				return r.View.Drop(r.View.Before(r.View.Exchanges().Last(o.Keep))).Result(), nil
			}
			do, ok := deeds[o.Do]
			if !ok {
				return nil, fmt.Errorf("no such deed: %s", o.Do)
			}
			return do(ctx, r, h)
		}), nil
	})
}

type deed = func(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error)

func told(text string) (*sdk.Result, error) { return sdk.Unchanged(text), nil }

var deeds = map[string]deed{
	"pid": func(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) {
		return told(strconv.Itoa(os.Getpid()))
	},
	"note pid": func(ctx context.Context, _ *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
		note(os.Getpid())
		<-ctx.Done()
		return nil, ctx.Err()
	},
	"environment": func(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) {
		return told(strings.Join(os.Environ(), "\n"))
	},
	"stdin": func(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) {
		text, err := io.ReadAll(os.Stdin)
		return sdk.Unchanged(string(text)), err
	},
	"print": func(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) {
		fmt.Println("stray words")
		fmt.Fprintln(os.Stderr, "stray complaint")
		return told("printed")
	},
	"raw stdout": func(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) {
		// More than a pipe holds, in one line, past what Serve put in place.
		_, err := syscall.Write(1, []byte(strings.Repeat("x", 1<<20)+"\n"))
		return sdk.Unchanged("written"), err
	},
	"flood": func(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) {
		for i := range 20_000 {
			if _, err := fmt.Fprintf(realStderr, "flood %d\n", i); err != nil {
				return nil, err
			}
		}
		return told("flooded")
	},
	"log flood": func(_ context.Context, _ *sdk.Request, h sdk.Host) (*sdk.Result, error) {
		for i := range 2_000 {
			h.Log(sdk.LogInfo, "line "+strconv.Itoa(i))
			if _, err := h.Count(context.Background(), "x"); i%50 == 0 && err != nil {
				return nil, err
			}
		}
		return told("logged")
	},
	"slog": func(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) {
		slog.New(slog.NewJSONHandler(realStderr, nil)).Warn("from slog", "key", "value")
		return told("logged")
	},
	"panic": func(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) {
		panic("the strategy's own")
	},
	"die": func(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) {
		fmt.Fprintln(realStderr, "last words")
		os.Exit(7)
		return nil, nil
	},
	"ignore cancel": func(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) {
		time.Sleep(time.Hour)
		return nil, nil
	},
	"wait forever": func(ctx context.Context, _ *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	},
	"wait": func(ctx context.Context, _ *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
		if err := os.WriteFile(os.Getenv(noteVariable), []byte("waiting"), 0o600); err != nil {
			return nil, err
		}
		<-ctx.Done()
		return nil, ctx.Err()
	},
	"summarize": func(ctx context.Context, _ *sdk.Request, h sdk.Host) (*sdk.Result, error) {
		a, err := h.Generate(ctx, &sdk.GenerateRequest{Base: sdk.Base{All: true}})
		if err != nil {
			return nil, err
		}
		return told(a.Text)
	},
	"ask all": func(ctx context.Context, _ *sdk.Request, h sdk.Host) (*sdk.Result, error) {
		g, err1 := h.Generate(ctx, &sdk.GenerateRequest{})
		n, err2 := h.Native(ctx, &sdk.NativeRequest{Mode: sdk.NativeTrigger})
		c, err3 := h.Count(ctx, "four", "letters")
		f, err4 := h.Fetch(ctx, sdk.LayerStart, 4, 2)
		_, err5 := h.Generate(ctx, &sdk.GenerateRequest{Model: "none"})
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			return nil, err
		}
		return told(fmt.Sprint(g.Text, n.Items, c, len(f), f[1].Index, len(f[0].Parts[0].Text), err5))
	},
	"complain": func(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) {
		return nil, errors.New(strings.Repeat("the server says no\n", 1000))
	},
	"give up": func(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) {
		return nil, &sdk.Error{Kind: sdk.ErrUnavailable, Message: "no model today"}
	},
	"bad script": func(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) {
		return &sdk.Result{Script: sdk.Script{{Kind: sdk.OpKeep, From: 0, To: 99}}}, nil
	},
	"children": func(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) {
		obedient := exec.Command("sleep", "300")
		obedient.Stdout, obedient.Stderr = realStdout, realStderr
		escaped := exec.Command("sleep", "300")
		escaped.Stdout, escaped.Stderr = realStdout, realStderr
		escaped.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := errors.Join(obedient.Start(), escaped.Start()); err != nil {
			return nil, err
		}
		return told(fmt.Sprint(obedient.Process.Pid, " ", escaped.Process.Pid))
	},
	"socket": func(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) {
		found, err := filepath.Glob(filepath.Join(os.Getenv("PLUGIN_UNIX_SOCKET_DIR"), "*"))
		return sdk.Unchanged(strings.Join(found, " ")), err
	},
}

// The files as they were before Serve put pipes in their place.
var realStdout, realStderr = os.Stdout, os.Stderr
