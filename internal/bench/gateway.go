package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"

	"golang.org/x/sync/errgroup"
)

// What goes through the gateway: clients that each take a conversation from
// three quarters to five quarters of 100 KB, a call and its result a step, so
// that one in a dozen bodies was never seen.
const (
	clients       = 4
	bodyBytes     = 100_000
	gatewayRounds = 21
)

// gatewayThroughput is how many requests a second pass through `compactor
// serve`, over how many pass through a bare reverse proxy. Both are processes
// of their own between the same clients and the same provider.
func gatewayThroughput(ctx context.Context, _ *material) (float64, error) {
	bodies, err := growing()
	if err != nil {
		return 0, err
	}
	provider := httptest.NewServer(http.HandlerFunc(serveAnswer))
	defer provider.Close()
	host, bare, done, err := between(ctx, provider.URL)
	if err != nil {
		return 0, err
	}
	defer done()
	client := newClient()
	defer client.CloseIdleConnections()
	var ratios []float64
	for i := range gatewayRounds + warmups {
		r, err := timed(func() error { return traffic(ctx, client, bare.url, i, bodies) })
		if err != nil {
			return 0, err
		}
		h, err := timed(func() error { return traffic(ctx, client, host.url, i, bodies) })
		if err != nil {
			return 0, err
		}
		if i >= warmups {
			ratios = append(ratios, r.Seconds()/h.Seconds())
		}
	}
	return median(ratios), nil
}

// between starts the host and a bare proxy in front of a provider.
func between(ctx context.Context, provider string) (host, bare *process, done func(), err error) {
	folder, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, nil, nil, err
	}
	remove := func() { _ = os.RemoveAll(folder) }
	if host, err = startHost(ctx, folder, provider); err != nil {
		remove()
		return nil, nil, nil, err
	}
	if bare, err = startBareProxy(ctx, provider); err != nil {
		host.end()
		remove()
		return nil, nil, nil, err
	}
	return host, bare, func() {
		bare.end()
		host.end()
		remove()
	}, nil
}

// growing are the bodies of one conversation, step by step.
func growing() ([][]byte, error) {
	m, err := generate(bodyBytes * 5 / 4)
	if err != nil {
		return nil, err
	}
	var bodies [][]byte
	for n := m.messages() * 3 / 5; n <= m.messages(); n += newMessages {
		bodies = append(bodies, m.upTo(n))
	}
	return bodies, nil
}

// traffic has each client go through a conversation that is new in this round.
func traffic(ctx context.Context, through http.RoundTripper, server string, round int, bodies [][]byte) error {
	all, ctx := errgroup.WithContext(ctx)
	for c := range clients {
		tenant := fmt.Sprintf("%d-%d", round, c)
		all.Go(func() error {
			for _, body := range bodies {
				if err := call(ctx, through, server, tenant, body); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return all.Wait()
}

// newClient keeps a connection for each client.
func newClient() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = clients
	t.DisableCompression = true
	return t
}

// serveAnswer is the provider as a server.
func serveAnswer(w http.ResponseWriter, r *http.Request) {
	n, err := io.Copy(io.Discard, r.Body)
	if err != nil {
		return // the client is gone
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set(receivedHeader, strconv.FormatInt(n, 10))
	_, _ = w.Write(answerTo(int(n)))
}
