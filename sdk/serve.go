package sdk

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
)

// PluginName is the key under which a plugin process serves its strategy.
const PluginName = "strategy"

// Handshake is what a host and a plugin process agree on before they speak.
// The cookie only keeps people from starting a plugin by hand.
var Handshake = plugin.HandshakeConfig{
	ProtocolVersion:  1,
	MagicCookieKey:   "COMPACTOR_PLUGIN",
	MagicCookieValue: "strategy-v1",
}

const (
	// firstConnection is how long a plugin process waits for its host.
	firstConnection = 60 * time.Second
	// reconnection is how long it waits for the host to come back once its
	// last connection has ended. A host that lives has no reason to be away.
	reconnection = time.Second
)

// heapFloor keeps the garbage collector from running before the heap has
// twice this size. A plugin holds next to nothing between two compactions, and
// the collector, which would run at 4 MiB, would do so in the middle of every
// few of them.
const heapFloor = 16 << 20

// Serve is the whole main function of a plugin: it serves the strategy to the
// host that started the process, and does not return. The process ends when
// its host does, and leaves neither a socket nor the folder it was in.
//
// Standard output and error belong to the host from here on; lines for people
// go through Host.Log.
func Serve(d *Definition) {
	if os.Getenv(Handshake.MagicCookieKey) != Handshake.MagicCookieValue {
		explain(os.Stderr, d)
		os.Exit(1)
	}
	// Built first: os.Stderr is replaced while the plugin is served, and what
	// is written there then reaches nobody.
	logger := hclog.New(&hclog.LoggerOptions{
		Name:       d.Name,
		Level:      hclog.Trace,
		Output:     os.Stderr,
		JSONFormat: true,
	})
	// Memory that is never touched is only reserved.
	floor := make([]byte, heapFloor)
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: Handshake,
		Plugins:         plugin.PluginSet{PluginName: &Plugin{Definition: d}},
		Logger:          logger,
		GRPCServer: func(options []grpc.ServerOption) *grpc.Server {
			life := &lifeline{again: reconnection}
			options = append(options, ServerOptions(logger)...)
			server := grpc.NewServer(append(options, grpc.StatsHandler(life))...)
			life.watch(firstConnection, server.Stop)
			return server
		},
	})
	runtime.KeepAlive(floor)
	// The server has stopped: its host has asked it to, or is gone. A strategy
	// that is still at work works for nobody.
	removeSocketFolder()
	os.Exit(0)
}

// removeSocketFolder removes the folder that the host named for the socket,
// which is empty by now if it was for this process alone. A host that was
// killed cannot.
func removeSocketFolder() {
	dir := os.Getenv(plugin.EnvUnixSocketDir)
	if info, err := os.Lstat(dir); err == nil && info.IsDir() {
		_ = os.Remove(dir) // fails when there is something in it
	}
}

// explain tells people who start a plugin by hand what it is.
func explain(w io.Writer, d *Definition) {
	fmt.Fprintf(w, `%[1]s %[2]s
This is a compactor strategy; the compactor host starts it, and it does nothing
by itself. To use it, name it in the host's configuration:

	plugin %[1]q { command = [%[3]q] }
	chain "default" {
	  step %[1]q {}
	}
`, d.Name, d.Version, os.Args[0])
}
