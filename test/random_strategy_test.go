package test

import (
	"context"
	"errors"

	"github.com/compactor-host/compactor/sdk"
)

// whatever is a strategy that answers anything: good changes, changes that are
// not allowed, scripts that are none, errors.
func (w *world) whatever(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
	switch w.IntN(12) {
	case 0:
		return nil, errors.New("no idea")
	case 1:
		return sdk.Unchanged("no wish"), nil
	case 2:
		return &sdk.Result{Script: w.nonsense(len(r.View))}, nil
	}
	d := r.View.Edit()
	if w.IntN(3) > 0 {
		w.dropUnits(r.View, d)
	}
	if w.IntN(2) == 0 {
		w.rewrite(r.View, d)
	}
	for w.IntN(3) == 0 {
		w.insert(r, d)
	}
	return d.Result(), nil
}

// nonsense is operations in any order.
func (w *world) nonsense(n int) sdk.Script {
	kinds := []sdk.OpKind{sdk.OpKeep, sdk.OpDrop, sdk.OpSet, sdk.OpStrip, sdk.OpInsert, "shuffle"}
	var s sdk.Script
	for range w.IntN(6) {
		from := w.IntN(n+2) - 1
		s = append(s, sdk.Op{
			Kind: kinds[w.IntN(len(kinds))], From: from, To: from + w.IntN(n+2), Part: w.IntN(3) - 1, As: sdk.AsText, Text: "x",
		})
	}
	return s
}

// dropUnits drops some units, now and then only a part of one.
func (w *world) dropUnits(v sdk.View, d *sdk.Draft) {
	share := 1 + w.IntN(4)
	for _, unit := range v.Units() {
		if w.IntN(share) == 0 {
			d.Drop(unit...)
		}
	}
	if w.IntN(10) == 0 && len(v) > 0 {
		d.Drop(w.IntN(len(v)))
	}
}

// rewrite sets some parts.
func (w *world) rewrite(v sdk.View, d *sdk.Draft) {
	for i := range v {
		for p := range v[i].Parts {
			if w.IntN(3) > 0 {
				continue
			}
			switch v[i].Parts[p].Kind {
			case sdk.PartCall:
				d.Input(i, p, []string{`{}`, `{"path":"…"}`}[w.IntN(2)])
			case sdk.PartResult, sdk.PartMedia:
				d.Stub(i, p, "left out")
			case sdk.PartText:
				if w.IntN(3) == 0 {
					d.Text(i, p, "shorter")
				}
			}
		}
	}
}

// insert adds a message anywhere, perhaps with the newest request in it.
func (w *world) insert(r *sdk.Request, d *sdk.Draft) {
	m := sdk.Insert{Role: sdk.RoleUser, Text: []string{"a note"}}
	if w.IntN(2) == 0 {
		m.Role = sdk.RoleAssistant
	}
	m.Flags = []sdk.Flags{0, sdk.FlagMarker, sdk.FlagSummary, sdk.FlagCheckpoint | sdk.FlagSummary}[w.IntN(4)]
	if w.IntN(2) == 0 {
		for i := range r.View {
			if r.View[i].Flags.Has(sdk.FlagRequest) {
				for _, p := range r.View[i].Parts {
					if p.Kind == sdk.PartText && p.Text != "" {
						m.Text = append(m.Text, "The user said: "+p.Text)
					}
				}
			}
		}
	}
	d.Insert(w.IntN(len(r.View)+1), m)
}
