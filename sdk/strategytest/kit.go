package strategytest

import (
	"fmt"
	"testing"

	"github.com/compactor-host/compactor/sdk"
)

// Run runs the conformance kit on a strategy with the given options, a JSON
// object: each case is a subtest. It checks the rules that are the same for
// every provider; `compactor plugins test` adds the others.
func Run(t *testing.T, d *sdk.Definition, options []byte) {
	t.Helper()
	in, found := d.Configure(options)
	for _, f := range found {
		t.Errorf("options: %s", f.String())
	}
	if in == nil {
		return
	}
	s := Subject{Strategy: in.Strategy, Need: in.Need}
	for _, c := range Cases() {
		t.Run(c.Name, func(t *testing.T) {
			o := c.Run(t.Context(), s)
			for _, v := range o.Violations {
				t.Error(v)
			}
			t.Log(o)
		})
	}
}

// String is the outcome in a line.
func (o Outcome) String() string {
	return fmt.Sprintf("%d calls, %d changed the view, %d to %d tokens, %d violations", o.Calls, o.Changed, o.Before, o.After, len(o.Violations))
}
