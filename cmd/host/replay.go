package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/compactor-host/compactor/framework"
	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/engine"
	"github.com/compactor-host/compactor/framework/store/memory"
	"github.com/compactor-host/compactor/internal/replay"
	"github.com/compactor-host/compactor/sdk"
)

// replayFlags are the flags of the replay command.
type replayFlags struct {
	config, dialect, model, binds, plot string
	chains                              []string
	window                              int
	json, force                         bool
}

func newReplay() *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "replay FILE|FOLDER",
		Short: "Play recorded conversations and tell what compacting them costs",
		Long: `Plays a recorded request body call by call, as its agent would have sent it,
through the engine to a provider in this process, and tells what that costs
against the same conversation without compaction and with a window that never
fills. Of a folder every *.json file that is a request body is played. No model
is called.

The agent gets the recorded replies. The provider counts with the o200k_base
vocabulary, refuses what does not fit the window or breaks a rule of its format,
seals reasoning, and remembers every prompt for its cache. Prices are those of
the model in the configuration or the catalogue.

The exit status is 1 when a call broke a rule or was refused because of a
compaction.`,
		Example: `  compactor replay conversation.json --window 20000
  compactor replay recordings/ --window 200000 --chain default --json
  compactor replay conversation.json --window 20000 --plot prompt.svg`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.config, "config", "", "configuration file (default: compactor.hcl or .yaml here, else in the user's configuration folder)")
	fl.StringSliceVar(&f.chains, "chain", []string{config.DefaultChain}, "chain to play; may be given more than once")
	fl.IntVar(&f.window, "window", 0, "the model's context window, in tokens; needed")
	fl.StringVar(&f.model, "model", "", "model to ask for (default: the recorded one)")
	fl.StringVar(&f.binds, "binds-reasoning", "", "what the model does with reasoning whose prefix has changed: none, drop or refuse (default: as the vendor of the model does)")
	fl.StringVar(&f.dialect, "dialect", "", "openai-chat, openai-responses or anthropic (default: found out)")
	fl.BoolVar(&f.json, "json", false, "print all figures as JSON")
	fl.StringVar(&f.plot, "plot", "", "SVG file to draw the size of the prompts to, for one body and one chain; folders are made")
	fl.BoolVar(&f.force, "force", false, "replace the file that --plot names")
	return cmd
}

func (f *replayFlags) run(cmd *cobra.Command, name string) error {
	if f.window < 1 || int64(f.window) > mostTokens {
		return badInput("--window %d: the model's window is needed, in tokens, from 1 to %d", f.window, mostTokens)
	}
	files, err := f.recordings(cmd, name)
	if err != nil {
		return err
	}
	if f.plot != "" {
		if len(files) > 1 || len(f.chains) > 1 {
			return badInput("--plot draws one body and one chain; here are %d and %d", len(files), len(f.chains))
		}
		if err := checkOutput(f.plot, f.force); err != nil {
			return err
		}
	}
	cfg, err := f.load(cmd)
	if err != nil {
		return err
	}
	return f.play(cmd, cfg, files)
}

// load loads the configuration and starts each of its strategies once: what is
// wrong with one shall be known before a long replay, and with its place.
func (f *replayFlags) load(cmd *cobra.Command) (*config.Config, error) {
	cfg, err := loadConfig(cmd, f.config)
	if err != nil {
		return nil, err
	}
	for _, name := range f.chains {
		if cfg.Chains[name] == nil {
			return nil, badInput("%w", &engine.NoChainError{Name: name, Known: cfg.ChainNames()})
		}
	}
	rt, err := framework.Open(cmd.Context(), framework.Options{Config: cfg, Store: memory.New(memory.Options{}), Logger: newLogger(cmd.ErrOrStderr())})
	if err != nil {
		return nil, &exitError{exitFailed, err}
	}
	defer closeRuntime(cmd, rt)
	if err := rt.Prepare(cmd.Context()); err != nil {
		return nil, cmp.Or(report(cmd, rt.Check(cmd.Context())), error(&exitError{exitFailed, err}))
	}
	return cfg, nil
}

// play plays the files one after the other and tells of each.
func (f *replayFlags) play(cmd *cobra.Command, cfg *config.Config, files []recordedFile) error {
	var all []replayed
	findings := 0
	for _, file := range files {
		one, err := f.playFile(cmd, cfg, file)
		if err != nil {
			return explain(file.name, err)
		}
		for _, r := range one {
			findings += len(r.Findings)
		}
		if f.json {
			all = append(all, one...)
		} else if err := writeReplay(cmd.OutOrStdout(), one); err != nil {
			return &exitError{exitBadInput, err}
		}
	}
	if f.json {
		if err := writeReplayJSON(screen{cmd.OutOrStdout()}, all); err != nil {
			return &exitError{exitBadInput, err}
		}
	}
	if findings > 0 {
		return &exitError{exitFailed, fmt.Errorf("%d calls broke a rule or were refused because of a compaction", findings)}
	}
	return nil
}

// playFile plays a body with each chain.
func (f *replayFlags) playFile(cmd *cobra.Command, cfg *config.Config, file recordedFile) ([]replayed, error) {
	rec, err := f.read(file)
	if err != nil {
		return nil, err
	}
	var all []replayed
	for _, chain := range f.chains {
		r, err := rec.Play(cmd.Context(), replay.Options{
			Config: cfg, Chain: chain, Window: sdk.Tokens(f.window),
			Logger: newLogger(cmd.ErrOrStderr()), Progress: replayProgress(cmd.ErrOrStderr(), file.name, chain),
		})
		if err != nil {
			return nil, err
		}
		if f.plot != "" {
			if err := f.draw(r, file.name); err != nil {
				return nil, err
			}
		}
		all = append(all, replayed{File: file.name, Report: r})
	}
	return all, nil
}

// read takes a body apart. What the flags ask of the model may not fit.
func (f *replayFlags) read(file recordedFile) (*replay.Recording, error) {
	rec, err := replay.Read(file.body, replay.Settings{
		Dialect: dialect.Name(f.dialect), Model: f.model, Binding: replay.Binding(f.binds),
	})
	var model *replay.ModelError
	if errors.As(err, &model) {
		return nil, badInput("%w", err)
	}
	return rec, err
}
