package transport

import (
	"context"
	"sync"
)

// flights has what several calls want at the same time done once.
type flights[K comparable, V any] struct {
	mu sync.Mutex
	by map[K]*flight[V]
	// running counts what is under way, for wait.
	running sync.WaitGroup
}

// flight is one thing under way.
type flight[V any] struct {
	done    chan struct{}
	value   V
	waiting int
	cancel  context.CancelFunc
}

// do runs f, or waits for it where it runs already for the same key. f has a
// context of its own, with the values of the first caller's: when the last
// caller has gone it is cancelled, unless it is detached, which leaves it to
// end by itself. The error is the cause of ctx's end.
func (fs *flights[K, V]) do(ctx context.Context, key K, detached bool, f func(context.Context) V) (V, error) {
	fl := fs.join(ctx, key, f)
	select {
	case <-fl.done:
		return fl.value, nil
	case <-ctx.Done():
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fl.waiting--; fl.waiting == 0 && !detached {
		fl.cancel()
		if fs.by[key] == fl { // nobody else shall wait for what was cancelled
			delete(fs.by, key)
		}
	}
	var none V
	return none, context.Cause(ctx)
}

// join returns the flight for a key, begun now if there is none.
func (fs *flights[K, V]) join(ctx context.Context, key K, f func(context.Context) V) *flight[V] {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fl, ok := fs.by[key]; ok {
		fl.waiting++
		return fl
	}
	fl := &flight[V]{done: make(chan struct{}), waiting: 1}
	ctx, fl.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if fs.by == nil {
		fs.by = map[K]*flight[V]{}
	}
	fs.by[key] = fl
	fs.running.Add(1)
	go func() {
		defer fs.running.Done()
		defer fl.cancel()
		fl.value = f(ctx)
		fs.mu.Lock()
		if fs.by[key] == fl {
			delete(fs.by, key)
		}
		fs.mu.Unlock()
		close(fl.done)
	}()
	return fl
}

// stop cancels what is under way and waits for it.
func (fs *flights[K, V]) stop(ctx context.Context) error {
	ended := make(chan struct{})
	go func() {
		fs.running.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
	}
	fs.mu.Lock()
	for _, fl := range fs.by {
		fl.cancel()
	}
	fs.mu.Unlock()
	<-ended
	return context.Cause(ctx)
}
