package plugin

import (
	"net"
	"sync/atomic"
)

// traffic counts the bytes on the connections to plugins, both ways.
type traffic struct{ bytes atomic.Int64 }

// Traffic is how many bytes have gone over the connections to plugins so far,
// both ways, framing included.
func (h *Host) Traffic() int64 { return h.traffic.bytes.Load() }

// count returns the connection with its bytes counted.
func (t *traffic) count(conn net.Conn) net.Conn { return &countedConn{conn, t} }

type countedConn struct {
	net.Conn
	traffic *traffic
}

func (c *countedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.traffic.bytes.Add(int64(n))
	return n, err
}

func (c *countedConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.traffic.bytes.Add(int64(n))
	return n, err
}
