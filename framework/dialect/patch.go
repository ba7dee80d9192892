// Provisional, until the real patch.go is there: replace the whole file.

package dialect

import "github.com/compactor-host/compactor/sdk"

func RenderSpliced(s *Sketch, n int, fragment []byte) ([]byte, error) {
	var out []byte
	out = append(out, s.Body[:s.List.From+1]...)
	out = append(out, fragment...)
	if n < s.Len() {
		if len(fragment) > 0 {
			out = append(out, ',')
		}
		return append(out, s.Body[s.Span(n).From:]...), nil
	}
	return append(out, s.Body[s.Ends[s.Len()-1]:]...), nil
}
func WithUsage(b []byte) ([]byte, error)                           { return b, nil }
func DropBoundReasoning(b []byte) ([]byte, error)                  { return b, nil }
func WithMaxOutput(n Name, b []byte, t sdk.Tokens) ([]byte, error) { return b, nil }
func (s *Sketch) IncludesUsage() bool                              { return true }
func (s *Sketch) LastUserText() string                             { return "" }
