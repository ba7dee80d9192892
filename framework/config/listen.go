package config

import (
	"net"
	"net/netip"
)

// Loopback reports whether an address to listen at, "host:port", can be reached
// from this machine alone: 127.0.0.0/8, ::1 or localhost. An empty host, which
// is every interface, and other names are not.
func Loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}
