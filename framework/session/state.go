package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/store"
)

// stateVersion is that of the form of an exported state.
const stateVersion = 1

// state is what is remembered of one conversation, to be kept by somebody else.
type state struct {
	Version int `json:"version"`
	// Secret keys the hashes.
	Secret      []byte             `json:"secret"`
	Thread      store.Thread       `json:"thread"`
	Checkpoints []store.Checkpoint `json:"checkpoints"`
}

// ErrUnknownThread is the answer to the id of a conversation that is not in
// memory.
var ErrUnknownThread = errors.New("no such conversation is known")

// Last tells of a conversation's last compaction, as JSON; nil when there is
// none.
func (s *Sessions) Last(id store.ThreadID) []byte {
	if t := s.threads.get(id); t != nil {
		return t.Last()
	}
	return nil
}

// Inserted are the texts that the newest checkpoint of a conversation inserts.
func (s *Sessions) Inserted(id store.ThreadID) []string {
	t := s.threads.get(id)
	if t == nil {
		return nil
	}
	all := t.all()
	if len(all) == 0 {
		return nil
	}
	p, err := decode(all[0])
	if err != nil {
		return nil
	}
	var texts []string
	for i := range p.Script {
		if in := p.Script[i].Insert; in != nil {
			texts = append(texts, in.Text...)
		}
	}
	return texts
}

// Threads is the number of conversations in memory.
func (s *Sessions) Threads() int {
	s.threads.mu.Lock()
	defer s.threads.mu.Unlock()
	return s.threads.order.Len()
}

// Export writes what is remembered of a conversation as JSON. It holds the
// secret that the hashes are keyed with, and words of the conversation where a
// checkpoint has such: it is to be kept where the conversation is.
func (s *Sessions) Export(id store.ThreadID) ([]byte, error) {
	t := s.threads.get(id)
	if t == nil {
		return nil, fmt.Errorf("thread %q: %w", id, ErrUnknownThread)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	st := state{Version: stateVersion, Secret: s.secret, Thread: t.rec.Clone()}
	st.Thread.Version, st.Thread.Updated = 0, time.Time{}
	for _, c := range t.checkpoints {
		st.Checkpoints = append(st.Checkpoints, *c)
	}
	return json.Marshal(st)
}

// Import takes over what Export wrote, of another instance too. One that has
// remembered nothing yet takes over the secret; else it has to be the same.
func (s *Sessions) Import(ctx context.Context, raw []byte) (store.ThreadID, error) {
	var st state
	if err := json.Unmarshal(raw, &st); err != nil {
		return "", fmt.Errorf("the state cannot be read: %w", err)
	}
	if st.Version != stateVersion {
		return "", fmt.Errorf("the state has version %d, not %d", st.Version, stateVersion)
	}
	if err := st.Thread.Check(); err != nil {
		return "", err
	}
	if err := s.adopt(ctx, st.Secret); err != nil {
		return "", err
	}
	t := &Thread{ID: st.Thread.ID, rec: st.Thread}
	t.rec.Version = 0
	for i := range st.Checkpoints {
		c := &st.Checkpoints[i]
		if _, err := decode(c); err != nil {
			return "", err
		}
		t.checkpoints = append(t.checkpoints, c)
	}
	s.threads.keep(drawer{t.rec.Tenant, dialect.Name(t.rec.Dialect)}, t)
	return t.ID, nil
}

// adopt takes over a secret.
func (s *Sessions) adopt(ctx context.Context, secret []byte) error {
	if len(secret) < 16 {
		return errors.New("the state has no secret")
	}
	s.secretOnce.Lock()
	if s.secret == nil && s.volatile {
		s.secret = secret
	}
	s.secretOnce.Unlock()
	have, err := s.key(ctx)
	if err != nil {
		return err
	}
	if !bytes.Equal(have, secret) {
		return errors.New("the state is of a host whose hashes are keyed with another secret; give it to one that has seen no conversation yet")
	}
	return nil
}
