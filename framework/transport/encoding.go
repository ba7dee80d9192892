package transport

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// decoder reads a body as its Content-Encoding header says; "identity" and
// nothing are as they are.
func decoder(encoding string, r io.Reader) (io.ReadCloser, error) {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "", "identity":
		return io.NopCloser(r), nil
	case "gzip", "x-gzip":
		return gzip.NewReader(r)
	case "deflate":
		return zlib.NewReader(r)
	case "br":
		return io.NopCloser(brotli.NewReader(r)), nil
	case "zstd":
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBody))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	}
	return nil, fmt.Errorf("content encoding %q is not known", encoding)
}

// decode decodes a whole body, which may not become larger than maxBody. One
// without an encoding is returned as it is, not copied.
func decode(encoding string, raw []byte) ([]byte, error) {
	if plain(encoding) {
		return raw, nil
	}
	d, err := decoder(encoding, bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	out, err := io.ReadAll(io.LimitReader(d, maxBody+1))
	if err == nil && len(out) > maxBody {
		err = fmt.Errorf("the body is larger than %d bytes", maxBody)
	}
	return out, err
}

// plain reports whether a body in that encoding is as it is.
func plain(encoding string) bool {
	return encoding == "" || strings.EqualFold(strings.TrimSpace(encoding), "identity")
}

// keeper keeps what is read through it, until it is told to forget.
type keeper struct {
	io.Reader
	kept   []byte
	forget bool
}

// Read implements io.Reader.
func (k *keeper) Read(p []byte) (int, error) {
	n, err := k.Reader.Read(p)
	if !k.forget {
		k.kept = append(k.kept, p[:n]...)
	}
	return n, err
}
