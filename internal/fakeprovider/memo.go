package fakeprovider

import "sync"

// memo remembers what was made of a piece of a request: a conversation is sent
// again with each call, and only its new messages should cost. It grows with
// the number of different messages and is dropped with its provider.
type memo[T any] struct {
	mu    sync.RWMutex
	known map[string]T
}

// get makes the value of raw once.
func (m *memo[T]) get(raw []byte, make func([]byte) T) T {
	m.mu.RLock()
	v, ok := m.known[string(raw)]
	m.mu.RUnlock()
	if ok {
		return v
	}
	v = make(raw)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil {
		m.known = map[string]T{}
	}
	m.known[string(raw)] = v
	return v
}
