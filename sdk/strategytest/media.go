package strategytest

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
)

// Blob is an image or a document.
type Blob struct {
	// Type is the media type, "image/png" or "application/pdf".
	Type string
	// Name is the document's file name; images have none.
	Name string
	// Data is the content, in base64.
	Data string
}

// IsImage reports whether the blob is an image.
func (b Blob) IsImage() bool { return b.Type == "image/png" }

// dataURL is the blob as a data URL.
func (b Blob) dataURL() string { return "data:" + b.Type + ";base64," + b.Data }

// randomBlob makes an image, or now and then a document.
func randomBlob(rng *rand.Rand) Blob {
	if rng.IntN(3) == 0 {
		return pdf(rng)
	}
	return picture(rng)
}

// picture is a PNG of one colour, up to 8 pixels wide and high.
func picture(rng *rand.Rand) Blob {
	img := image.NewPaletted(image.Rect(0, 0, 1+rng.IntN(8), 1+rng.IntN(8)), color.Palette{
		color.RGBA{uint8(rng.IntN(256)), uint8(rng.IntN(256)), uint8(rng.IntN(256)), 255},
	})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err) // a buffer takes every write, and the image is valid
	}
	return Blob{Type: "image/png", Data: base64.StdEncoding.EncodeToString(b.Bytes())}
}

// pdf is a document of one empty page.
func pdf(rng *rand.Rand) Blob {
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 %d %d]>>", 100+rng.IntN(500), 100+rng.IntN(700)),
	}
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	var places []int
	for i, o := range objects {
		places = append(places, b.Len())
		fmt.Fprintf(&b, "%d 0 obj%sendobj\n", i+1, o)
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, p := range places {
		fmt.Fprintf(&b, "%010d 00000 n \n", p)
	}
	fmt.Fprintf(&b, "trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, table)
	return Blob{
		Type: "application/pdf",
		Name: fmt.Sprintf("plan-%d.pdf", rng.IntN(100)),
		Data: base64.StdEncoding.EncodeToString(b.Bytes()),
	}
}
