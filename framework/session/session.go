// Package session recognises a conversation when it comes again, longer than
// before, and remembers what was decided about it.
//
// A client sends the whole conversation with every call and need not say which
// one it is. So a conversation is found by its content: each prefix of the list
// of messages has a hash, and what is remembered is filed under these.
// Sessions.Read reads a body, and Step.Resume finds the thread that it continues
// and the newest checkpoint that covers an intact part of it. The caller
// measures the step, renders it or compacts it, and tells the step what the
// provider counted.
//
// Tenants share nothing: every look-up has the tenant in it.
package session

import (
	"context"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/compactor-host/compactor/framework/meter"
	"github.com/compactor-host/compactor/framework/store"
)

// Options are what Sessions are made of. Store and Meter must be set.
type Options struct {
	Store store.Store
	// Meter sizes messages, unscaled.
	Meter *meter.Meter
	// Threads bounds how many conversations are kept in memory; 0 is
	// DefaultThreads. Others are read from the store again.
	Threads int
	// Fragments bounds the bytes of rendered views that are kept in memory; 0
	// is DefaultFragments. Others are rendered again.
	Fragments int
	// Local says that every credential is the same user's: the host listens on
	// loopback, or is part of the client's own program.
	Local bool
	// TenantHeader names a header that tells the tenant; empty is none.
	TenantHeader string
	// Volatile says that the store ends with the process, so that the secret of
	// an imported state can take the place of its own.
	Volatile bool
	// Logger hears of a store that fails; nil drops that.
	Logger hclog.Logger
}

// What is kept in memory where Options do not say. A thread of 1,900 messages
// takes about 65 KB.
const (
	DefaultThreads   = 4096
	DefaultFragments = 64 << 20
)

// Sessions remembers conversations. It may be used from several goroutines.
type Sessions struct {
	store  store.Store
	meter  *meter.Meter
	log    hclog.Logger
	local  bool
	header string
	// volatile is as in Options.
	volatile bool

	secretOnce sync.Mutex
	secret     []byte
	// birth is held while a thread begins.
	birth sync.Mutex

	trails    *trails
	threads   *threads
	fragments *fragments
	writer    *writer
}

// New makes Sessions. Close ends them.
func New(o Options) *Sessions {
	if o.Threads <= 0 {
		o.Threads = DefaultThreads
	}
	if o.Fragments <= 0 {
		o.Fragments = DefaultFragments
	}
	if o.Logger == nil {
		o.Logger = hclog.NewNullLogger()
	}
	s := &Sessions{
		store: o.Store, meter: o.Meter, log: o.Logger, local: o.Local, header: o.TenantHeader, volatile: o.Volatile,
		trails:    newTrails(o.Threads),
		threads:   newThreads(o.Threads),
		fragments: newFragments(o.Fragments),
	}
	s.writer = newWriter(s)
	return s
}

// Close writes what is not written yet, no longer than ctx allows. The store
// stays open; it is its owner's.
func (s *Sessions) Close(ctx context.Context) error { return s.writer.close(ctx) }

// storeTime limits each of the times that a request waits for the store: one
// that hangs has failed.
const storeTime = 5 * time.Second

// key is the store's secret, which all hashes are keyed with. A store that
// cannot tell it is asked again at the next call.
func (s *Sessions) key(ctx context.Context) ([]byte, error) {
	s.secretOnce.Lock()
	defer s.secretOnce.Unlock()
	if s.secret == nil {
		ctx, cancel := context.WithTimeout(ctx, storeTime)
		defer cancel()
		secret, err := s.store.Secret(ctx)
		if err != nil {
			return nil, err
		}
		s.secret = secret
	}
	return s.secret, nil
}

// forget logs that the store failed: what it holds counts as not remembered.
func (s *Sessions) forget(doing string, err error) {
	s.log.Warn("the store failed; going on without it", "while", doing, "error", err, "at", time.Now().UTC().Format(time.RFC3339))
}
