package jsonspan

// Resume puts the scanner into the midst of another body: at pos, behind an
// element of an array that stands depth deep (1 is the body itself). What
// precedes is taken to be in order. RestOfElements reads on from there.
func (s *Scanner) Resume(body []byte, pos, depth int) {
	*s = Scanner{body: body, pos: pos, depth: depth, tape: s.tape[:0]}
}

// RestOfElements is Elements from behind an element on: f is called before each
// of those that follow, the first of which has the index next. The scanner is
// then behind the array.
func (s *Scanner) RestOfElements(next int, f func(i int) error) error {
	return s.rest(']', next, f)
}

// RestOfMembers is Members from behind a member's value on.
func (s *Scanner) RestOfMembers(f func(key string) error) error {
	return s.rest('}', 1, s.keyed(f))
}

// keyed reads the key before it calls f with it.
func (s *Scanner) keyed(f func(key string) error) func(int) error {
	return func(int) error {
		s.tape = s.tape[:0]
		if err := s.key(); err != nil {
			return err
		}
		return f(Value{s, 0}.Text())
	}
}
