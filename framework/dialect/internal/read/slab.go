package read

// slab hands out many small slices of few large ones.
type slab[T any] struct{ free []T }

// take returns a copy of the items that nothing else grows into; nil for none.
func (s *slab[T]) take(items []T) []T {
	n := len(items)
	if n == 0 {
		return nil
	}
	if len(s.free) < n {
		s.free = make([]T, max(n, min(2*cap(s.free)+8, 256)))
	}
	out := s.free[:n:n]
	s.free = s.free[n:]
	copy(out, items)
	return out
}
