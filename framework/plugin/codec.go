package plugin

import (
	"fmt"
	"sync/atomic"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
)

// frameCodec decodes frames and remembers the one that was too large or no
// frame at all. gRPC would report it with the same codes that a strategy's own
// failure may have.
type frameCodec struct {
	encoding.CodecV2
	limit  int
	failed atomic.Pointer[error]
	// size is that of the frame received last; it belongs to the reader.
	size int
}

func newFrameCodec(limit int) *frameCodec {
	return &frameCodec{CodecV2: encoding.GetCodecV2(proto.Name), limit: limit}
}

// Unmarshal implements encoding.CodecV2.
func (c *frameCodec) Unmarshal(data mem.BufferSlice, v any) error {
	var err error
	if c.size = data.Len(); c.size > c.limit {
		err = fmt.Errorf("a frame of %d bytes is over the limit of %d", c.size, c.limit)
	} else if err = c.CodecV2.Unmarshal(data, v); err != nil {
		err = fmt.Errorf("a frame cannot be read: %w", err)
	}
	if err != nil {
		c.failed.CompareAndSwap(nil, &err)
	}
	return err
}

// broken is what was wrong with a frame, nil when nothing was.
func (c *frameCodec) broken() error {
	if err := c.failed.Load(); err != nil {
		return *err
	}
	return nil
}
