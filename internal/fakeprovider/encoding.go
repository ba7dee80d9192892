package fakeprovider

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// compressor is a writer that can be emptied between two events.
type compressor interface {
	io.Writer
	Flush() error
	Close() error
}

func compress(w io.Writer, encoding string) (compressor, error) {
	switch encoding {
	case "gzip":
		return gzip.NewWriter(w), nil
	case "br":
		return brotli.NewWriter(w), nil
	case "zstd":
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	default:
		return nil, fmt.Errorf("fakeprovider: no encoding %q", encoding)
	}
}

// readBody reads a request, decompressed.
func readBody(r *http.Request) ([]byte, error) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var plain io.Reader
	switch encoding := r.Header.Get("Content-Encoding"); encoding {
	case "", "identity":
		return raw, nil
	case "gzip":
		plain, err = gzip.NewReader(bytes.NewReader(raw))
	case "br":
		plain = brotli.NewReader(bytes.NewReader(raw))
	case "zstd":
		var d *zstd.Decoder
		if d, err = zstd.NewReader(bytes.NewReader(raw), zstd.WithDecoderConcurrency(1)); err == nil {
			defer d.Close()
			plain = d
		}
	default:
		err = fmt.Errorf("no encoding %q", encoding)
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(plain)
}

// squeezed is a response that leaves compressed.
type squeezed struct {
	http.ResponseWriter
	c compressor
}

func (s *squeezed) Write(b []byte) (int, error) { return s.c.Write(b) }

// Flush sends what was written so far, in a form that can be read so far.
func (s *squeezed) Flush() {
	if s.c.Flush() == nil {
		flush(s.ResponseWriter)
	}
}

func flush(w http.ResponseWriter) {
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}
