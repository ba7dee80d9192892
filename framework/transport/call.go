package transport

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/compactor-host/compactor/framework/config"
	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/engine"
	"github.com/compactor-host/compactor/framework/meter"
	"github.com/compactor-host/compactor/framework/observe"
	"github.com/compactor-host/compactor/framework/session"
	"github.com/compactor-host/compactor/framework/store"
	"github.com/compactor-host/compactor/sdk"
)

// call is one request on its way: received, understood, measured, made to fit,
// sent, and sent again at most once after it was refused as too long.
type call struct {
	*Transport
	// ctx is the request's context: the call is the request.
	ctx      context.Context
	req      *http.Request
	name     dialect.Name
	endpoint dialect.Endpoint
	format   dialect.Format
	// raw is the body as it came, body without its content encoding. rest is
	// what was not read of one that is too large.
	raw, body []byte
	rest      io.ReadCloser
	id        string
	began     time.Time

	identity session.Identity
	route    engine.Route
	step     *session.Step
	window   sdk.Tokens
	limits   config.Limits
	// prompt is what is known of the size, size what is made of it.
	prompt meter.Prompt
	size   sdk.Tokens
	due    bool
	// utility calls never start a compaction.
	utility bool
	// retried is set once the call was sent a second time, output the reply's
	// room when it had to be lowered.
	retried bool
	output  sdk.Tokens
}

// run does what the call needs from beginning to end.
func (c *call) run() (*http.Response, error) {
	why, err := c.understand()
	if err != nil {
		return nil, err
	}
	if why != "" {
		return c.forward(why)
	}
	if c.endpoint == dialect.CountTokens {
		return c.count()
	}
	if err := c.measure(); err != nil {
		return c.forward(err.Error())
	}
	return c.waiting()
}

// understand reads the body and finds what is remembered of its conversation.
// It returns why the call cannot be managed, or an error when it cannot go on
// at all.
func (c *call) understand() (why string, err error) {
	if c.body, err = decode(c.req.Header.Get("Content-Encoding"), c.raw); err != nil {
		return err.Error(), nil
	}
	if err := dialect.CheckSize(c.body); err != nil {
		return err.Error(), nil
	}
	if err := c.identify(); err != nil {
		return err.Error(), nil
	}
	c.step, err = c.shared.Sessions.Read(c.ctx, session.Arrival{
		Identity: c.identity, Format: c.format, Body: c.body, Peek: c.endpoint != dialect.Generate,
	})
	if err != nil {
		return err.Error(), nil
	}
	if c.step.Sketch.Stateful {
		return "it refers to history that it does not carry", nil
	}
	if c.route.Chain == nil { // not known before the model was
		if c.route, err = c.shared.Engine.Route("", string(c.name), c.routed(c.step.Sketch.Model)); err != nil {
			return err.Error(), nil
		}
	}
	c.utility = isUtility(c.step.Sketch)
	c.step.Peek = c.step.Peek || c.utility
	if err := c.step.Resume(c.ctx, c.usable()); err != nil {
		return "", err
	}
	if c.step.Restored && c.step.Checkpoint != nil {
		c.tell(c.event(observe.Resumed))
	}
	return "", nil
}

// identify tells whose the request is. Where a route can say that, the model
// has to be known first, and the body is read once more for it.
func (c *call) identify() (err error) {
	if c.shared.Engine.RoutesTenants() {
		sk, err := c.format.Sketch(c.body, nil)
		if err != nil {
			return err
		}
		if c.route, err = c.shared.Engine.Route("", string(c.name), c.routed(sk.Model)); err != nil {
			return err
		}
	}
	c.identity, err = c.shared.Sessions.Identify(c.ctx, c.req.Header, c.route.Tenant)
	return err
}

func (c *call) routed(model string) config.Request {
	return config.Request{Model: model, Path: pathOf(c.req), Header: c.req.Header}
}

// usable says which checkpoints may be used: all of them, or those of the
// chain as it is configured now.
func (c *call) usable() func(*store.Checkpoint) bool {
	if c.route.Chain.OnChange != "rebuild" {
		return nil
	}
	key := c.shared.Engine.Key(c.ctx, c.route.Chain)
	return func(cp *store.Checkpoint) bool { return cp.Key == key }
}

// measure sizes the view and resolves the limits.
func (c *call) measure() error {
	cfg, model := c.shared.Config, c.step.Sketch.Model
	c.window = c.shared.Models.Window(c.ctx, c.upstream(), model)
	c.limits = c.route.Chain.Limits(c.window)
	var err error
	c.prompt, err = c.step.Prompt(meter.Scope(c.route.Chain.Scope), model, c.window, cfg.Count == "usage", cfg.Calibrate)
	if err != nil {
		return fmt.Errorf("its view cannot be made: %w", err)
	}
	size := c.prompt.Size()
	if size.Ignored != "" {
		c.warn(size.Ignored)
	}
	c.size = size.Tokens
	c.due = c.limits.Ceiling > 0 && c.size >= c.limits.Ceiling
	return nil
}

// upstream is whose limits hold for the call: the server's, for who is billed.
func (c *call) upstream() engine.Where {
	return engine.Where{BaseURL: c.server(), Scope: c.identity.Scope, Provider: c.provider()}
}

// server is the server that the call goes to.
func (c *call) server() string { return c.req.URL.Scheme + "://" + c.req.URL.Host }

// provider is the name of the configured provider, empty for none.
func (c *call) provider() string {
	if c.route.Provider == nil {
		return ""
	}
	return c.route.Provider.Name
}

// scaled is a meter whose sizes are those of the provider, as far as its counts
// tell.
func (c *call) scaled() *meter.Meter {
	m := c.shared.Engine.Meter(c.route.Chain)
	if c.prompt.Ratio > 0 {
		m = m.Scaled(c.prompt.Ratio)
	}
	return m
}
