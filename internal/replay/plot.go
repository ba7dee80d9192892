package replay

import (
	"image/color"
	"io"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The size of a picture.
const (
	plotWidth  = 9 * vg.Inch
	plotHeight = 4.5 * vg.Inch
)

// The colours of Okabe and Ito, which those who see few colours tell apart.
var (
	blue   = color.RGBA{0x00, 0x72, 0xb2, 0xff}
	orange = color.RGBA{0xe6, 0x9f, 0x00, 0xff}
	red    = color.RGBA{0xd5, 0x5e, 0x00, 0xff}
	grey   = color.RGBA{0x70, 0x70, 0x70, 0xff}
)

// Plot draws the size of the prompt of each call as SVG: with the chain and
// without, the ceiling, and the calls whose prompt was compacted.
func (r *Report) Plot(w io.Writer, title string) error {
	p, err := r.picture(title)
	if err != nil {
		return err
	}
	canvas := vgsvg.New(plotWidth, plotHeight)
	p.Draw(draw.New(canvas))
	_, err = canvas.WriteTo(w)
	return err
}

// picture puts the lines and marks together.
func (r *Report) picture(title string) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = title
	p.X.Label.Text, p.Y.Label.Text = "call", "prompt, tokens"
	p.Y.Tick.Marker = thousands{}
	p.Legend.Top, p.Legend.Left = true, true
	top := float64(r.Ceiling)
	for _, l := range []struct {
		name   string
		points plotter.XYs
		color  color.Color
		dashes []vg.Length
	}{
		{"without compaction", sizes(r.Without.Points, false), grey, nil},
		{"chain " + r.Chain, sizes(r.With.Points, false), blue, nil},
		{"ceiling", plotter.XYs{{X: 1, Y: top}, {X: float64(r.Calls), Y: top}}, orange, []vg.Length{vg.Points(5), vg.Points(3)}},
	} {
		if err := addLine(p, l.name, l.points, l.color, l.dashes); err != nil {
			return nil, err
		}
	}
	if err := addMarks(p, sizes(r.With.Points, true)); err != nil {
		return nil, err
	}
	p.Y.Min = 0
	return p, nil
}

// sizes are the prompts of the calls that were answered, or of those alone that
// were compacted.
func sizes(points []Point, compacted bool) plotter.XYs {
	var xy plotter.XYs
	for i, p := range points {
		if p.Prompt > 0 && (p.Compacted || !compacted) {
			xy = append(xy, plotter.XY{X: float64(i + 1), Y: float64(p.Prompt)})
		}
	}
	return xy
}

func addLine(p *plot.Plot, name string, points plotter.XYs, c color.Color, dashes []vg.Length) error {
	if len(points) == 0 { // nothing was answered
		return nil
	}
	line, err := plotter.NewLine(points)
	if err != nil {
		return err
	}
	line.Color, line.Dashes, line.Width = c, dashes, vg.Points(1.2)
	p.Add(line)
	p.Legend.Add(name, line)
	return nil
}

func addMarks(p *plot.Plot, points plotter.XYs) error {
	if len(points) == 0 {
		return nil
	}
	marks, err := plotter.NewScatter(points)
	if err != nil {
		return err
	}
	marks.Shape, marks.Color, marks.Radius = draw.CircleGlyph{}, red, vg.Points(2.5)
	p.Add(marks)
	p.Legend.Add("compacted", marks)
	return nil
}

// thousands writes the numbers of an axis in thousands: 150k.
type thousands struct{ plot.DefaultTicks }

// Ticks implements plot.Ticker.
func (t thousands) Ticks(low, high float64) []plot.Tick {
	ticks := t.DefaultTicks.Ticks(low, high)
	for i := range ticks {
		if ticks[i].Label != "" && ticks[i].Value >= 1000 {
			ticks[i].Label = strconv.FormatFloat(ticks[i].Value/1000, 'f', -1, 64) + "k"
		}
	}
	return ticks
}
