package plugin

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"

	"github.com/compactor-host/compactor/sdk"
)

// longestHandshake is the longest handshake line; a certificate needs 1 KiB.
const longestHandshake = 16 << 10

// TLS says how the connection to a plugin is protected.
type TLS string

// The ways, as the option "tls" of a plugin block names them.
const (
	// TLSAuto needs no certificates: it allows only a unix socket in the
	// host's private folder, which no other user can open.
	TLSAuto TLS = "auto"
	// TLSOn has both sides prove themselves by certificates made for this one
	// run.
	TLSOn TLS = "on"
	// TLSOff also allows an unprotected connection over loopback.
	TLSOff TLS = "off"
)

// handshakeRules is what the one line that a plugin prints has to satisfy:
//
//	1|VERSION|unix or tcp|ADDRESS|grpc|CERTIFICATE
//
// It is looked at before go-plugin sees it: go-plugin's own errors are texts
// without a type, and a certificate that nobody asked for makes it panic.
type handshakeRules struct {
	tls TLS
	// dir is the private socket folder.
	dir string
}

// refuse says what is wrong with the line, nil when nothing is. An empty line
// is none: the program ended, or closed its output.
func (h handshakeRules) refuse(line string) *Error {
	if line == "" {
		return nil
	}
	field := strings.Split(line, "|")
	if len(field) < 5 || field[0] != "1" {
		return handshakeError("it printed %.200q, which is not a handshake; a strategy prints nothing else first", line)
	}
	if want := fmt.Sprint(sdk.Handshake.ProtocolVersion); field[1] != want {
		return &Error{Kind: Version, Cause: fmt.Errorf("it speaks version %.20s of the protocol, this host speaks %s", field[1], want)}
	}
	if field[4] != "grpc" {
		return handshakeError("it speaks %.20q, not grpc", field[4])
	}
	certificate := len(field) > 5 && len(field[5]) > 0
	if certificate != (h.tls == TLSOn) {
		if certificate {
			return handshakeError("it sent a certificate, but tls is %q", h.tls)
		}
		return handshakeError("it sent no certificate, but tls is %q", h.tls)
	}
	return h.refuseAddress(field[2], field[3])
}

// refuseAddress keeps the host from talking to anything but the process.
func (h handshakeRules) refuseAddress(network, address string) *Error {
	private := network == "unix" && within(address, h.dir)
	switch {
	case private:
		return nil
	case h.tls == TLSAuto:
		return handshakeError("it listens on %s %.200q, outside the folder it was given; tls = \"on\" allows this", network, address)
	case network == "unix":
		return nil
	case network != "tcp":
		return handshakeError("%.20q is no network", network)
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil || !net.ParseIP(host).IsLoopback() {
		return handshakeError("it listens on %.200q, which is not a loopback address", address)
	}
	return nil
}

func handshakeError(format string, args ...any) *Error {
	return &Error{Kind: Handshake, Cause: fmt.Errorf(format, args...)}
}

func within(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// firstLine reads the first line, or as much of it as a handshake may have.
func firstLine(r io.Reader) (line string, rest io.Reader) {
	b := bufio.NewReaderSize(r, longestHandshake)
	piece, _ := b.ReadSlice('\n') // whatever ends it early, the piece is what there is
	return strings.TrimSpace(string(piece)), b
}
