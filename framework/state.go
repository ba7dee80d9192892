package framework

import (
	"context"

	"github.com/compactor-host/compactor/framework/store"
)

// State exports what is remembered of a conversation as JSON, by the id that
// its events name: for a program that makes a Runtime for each request and
// keeps the state beside the conversation. It holds words of the conversation
// and the secret of this Runtime.
func (r *Runtime) State(thread store.ThreadID) ([]byte, error) { return r.sessions.Export(thread) }

// Restore takes over what State returned, of another Runtime too, as long as
// this one has seen no conversation yet or has the same store. The next call of
// the conversation is sent with the compaction that was in force.
func (r *Runtime) Restore(ctx context.Context, state []byte) (store.ThreadID, error) {
	return r.sessions.Import(ctx, state)
}
