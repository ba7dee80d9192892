package config

import (
	"net/http"
	"strings"
)

// Tenant is the tenant of a route: a constant such as "research", or a text
// with the value of one header, such as "team-${header.X-Team}". It is one
// header at most, so that two clients cannot spell the same tenant with
// different values.
type Tenant string

// For returns the tenant of a request with this header. ok is false when there
// is none: the text is empty, or the request lacks the header that it names.
func (t Tenant) For(h http.Header) (tenant string, ok bool) {
	before, name, after, found := t.split()
	if !found {
		return string(t), t != ""
	}
	v := h.Get(name)
	return before + v + after, v != ""
}

// openHeader and closeHeader stand around the name of a header.
const (
	openHeader  = "${header."
	closeHeader = "}"
)

// split cuts the text around the header it names.
func (t Tenant) split() (before, name, after string, found bool) {
	before, rest, opened := strings.Cut(string(t), openHeader)
	name, after, closed := strings.Cut(rest, closeHeader)
	return before, name, after, opened && closed
}

func wrongTenant(s string) string {
	const like = `write it as "${header.X-Team}"`
	before, name, after, found := Tenant(s).split()
	switch {
	case !found && strings.Contains(s, "${"):
		return like
	case !found:
		return ""
	case wrongHeader(name) != "" || strings.Contains(before, "${"):
		return like
	case strings.Contains(after, "${"):
		return "only one header can be named, so that no two values make the same tenant"
	}
	return ""
}
