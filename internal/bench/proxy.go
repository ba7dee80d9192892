package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
)

// proxyVariable has this program be R, a bare reverse proxy to the URL that it
// holds.
const proxyVariable = "COMPACTOR_BENCH_PROXY"

// startBareProxy starts R for a provider: a process of its own, as the host is.
func startBareProxy(ctx context.Context, provider string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self) //nolint:forbidigo // it is no strategy
	cmd.Env = append(os.Environ(), proxyVariable+"="+provider)
	return start(cmd)
}

// serveBareProxy is R. It keeps as many connections as the host does, and is
// otherwise what httputil makes.
func serveBareProxy() {
	to, err := url.Parse(os.Getenv(proxyVariable))
	if err != nil {
		panic(err)
	}
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = clients
	proxy := &httputil.ReverseProxy{Transport: t, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Printf("ready at http://%s\n", l.Addr())
	panic(http.Serve(l, proxy))
}
