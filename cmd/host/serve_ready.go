package main

import (
	"fmt"
	"net"
)

// readyLine says, on one line, where the gateway is and what an agent of each
// dialect has to be given as its base URL.
func readyLine(at net.Addr) string {
	url := "http://" + reachable(at)
	return fmt.Sprintf("compactor is ready at %s; base URLs: OpenAI Chat and Responses %s/v1, Anthropic %s", url, url, url)
}

// reachable is an address that a client on this machine can use.
func reachable(at net.Addr) string {
	tcp, ok := at.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return at.String()
	}
	return net.JoinHostPort("localhost", fmt.Sprint(tcp.Port))
}
