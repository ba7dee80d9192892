package store

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/compactor-host/compactor/sdk"
)

// What is kept of a thread.
const (
	KeptCounts      = 8
	KeptCheckpoints = 8
)

// Hash is a link of the chain over a conversation's messages, keyed with the
// store's secret.
type Hash [16]byte

// String is the hash as 32 hexadecimal digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText implements encoding.TextMarshaler, as String.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (h *Hash) UnmarshalText(text []byte) error {
	b, err := hex.DecodeString(string(text))
	if err != nil || len(b) != len(h) {
		return fmt.Errorf("store: %q is no hash of %d hexadecimal digits", text, 2*len(h))
	}
	copy(h[:], b)
	return nil
}

// Tenant is whose a record is, hashed already. Tenants share nothing.
type Tenant string

// ThreadID names a thread: random and fit for a URL, see NewID.
type ThreadID string

// NewID makes the id of a thread or a checkpoint: 26 letters and digits, 130
// random bits.
func NewID() string { return rand.Text() }

// Thread is one conversation as the host has seen it grow.
type Thread struct {
	ID      ThreadID
	Tenant  Tenant
	Dialect string
	// Parent is the thread that this one left; empty for one that has none.
	Parent ThreadID

	// Head is the hash of the newest known request, which has Messages
	// messages.
	Head     Hash
	Messages int

	// Hints are hashed ids of sessions that the client sent.
	Hints []string
	// Forced makes the next step compact.
	Forced bool
	Pause  Pause
	// Counts are what the provider counted, newest first. KeptCounts stay.
	Counts []Count
	// Last tells of the last compaction, as JSON; it may hold text of the
	// conversation.
	Last []byte

	// Version and Updated are the store's: 0 before the thread is written, and
	// growing with every write, by more than one.
	Version int64
	Updated time.Time
}

// Pause is the state of the breaker that stops compactions which do not help.
type Pause struct {
	// Failures are compactions in a row that failed or left the thread due.
	Failures int
	// Until is the size at which the pause ends; 0 if there is none.
	Until sdk.Tokens
	// User is the hash of the last user message at its start; another one ends
	// it.
	User Hash
}

// Count is what a provider counted for one call, next to our estimate of the
// same prompt.
type Count struct {
	// Prefix is the hash of the request, which has Messages messages.
	Prefix   Hash
	Messages int
	// Lane and Model are what the count is good for.
	Lane, Model string
	// Checkpoint is the id of the one in force; empty for none.
	Checkpoint string
	// Tokens are of prompt and reply, cached ones counted once; Prompt are
	// those of the prompt alone.
	Tokens, Prompt sdk.Tokens
	// Estimate is of the prompt alone, by Estimator.
	Estimate  sdk.Tokens
	Estimator string
	At        time.Time
}

// Checkpoint is what a compaction decided about a prefix of a conversation.
type Checkpoint struct {
	// ID is unique in a store, see NewID.
	ID      string
	Tenant  Tenant
	Dialect string
	Thread  ThreadID

	// Prefix is the hash of what is covered: Messages messages.
	Prefix   Hash
	Messages int
	// Key is the strategy key: what the result depends on beside the prefix.
	Key string

	// Script turns the covered messages into their part of the view. HasText
	// says that text is in it, the client's or a summary of it.
	Script  []byte
	HasText bool
	// Previous is what a step stored for itself; it counts as text.
	Previous []byte

	// Before and After are the sizes of the whole view.
	Before, After sdk.Tokens
	// Estimator is by which they were measured.
	Estimator string
	// Native says that a provider compacted, so that After is not known.
	Native bool

	// Created is the store's: when it was committed.
	Created time.Time
}

// Window is a limit that a provider told in a rejection.
type Window struct {
	// Key is the hash of base URL, credential scope and model.
	Key    string
	Tokens sdk.Tokens
	At     time.Time
}

// Lease is the right to do what Key names until a time, see Leases.
type Lease struct {
	Key, Owner string
	// Number is the fencing number.
	Number int64
	Until  time.Time
	// Local says that it holds within this process alone, because the store
	// that hosts share was out of order.
	Local bool
}

// Clone copies a thread, its byte slices excepted.
func (t Thread) Clone() Thread {
	t.Hints = slices.Clone(t.Hints)
	t.Counts = slices.Clone(t.Counts)
	return t
}

// AddCount puts a count first and forgets the oldest beyond KeptCounts.
func (t *Thread) AddCount(c Count) {
	t.Counts = slices.Insert(slices.Clone(t.Counts), 0, c)
	t.Counts = t.Counts[:min(len(t.Counts), KeptCounts)]
}

// Next is the thread as it is written at a time, for implementations.
func (t Thread) Next(now time.Time) Thread {
	t = t.Clone()
	t.Counts = t.Counts[:min(len(t.Counts), KeptCounts)]
	t.Version = NextNumber(t.Version, now)
	t.Updated = now.UTC().Truncate(time.Microsecond) // what any database keeps
	return t
}

// NextNumber is a version or fencing number that follows another one, for
// implementations. It follows the clock too, so that a number is not given out
// twice when a store is lost and begins anew.
func NextNumber(last int64, now time.Time) int64 {
	return max(last+1, now.UnixMicro())
}

// Check says what a thread lacks to be written.
func (t *Thread) Check() error {
	switch {
	case t.ID == "":
		return errors.New("store: a thread without an id")
	case t.Tenant == "":
		return errors.New("store: a thread without a tenant")
	case t.Dialect == "":
		return errors.New("store: a thread without a dialect")
	}
	return nil
}

// Check says why a checkpoint cannot be committed to a thread.
func (c *Checkpoint) Check(t *Thread) error {
	if c.ID == "" {
		return errors.New("store: a checkpoint without an id")
	}
	if c.Thread != t.ID || c.Tenant != t.Tenant || c.Dialect != t.Dialect {
		return errors.New("store: a checkpoint of another thread")
	}
	return nil
}
