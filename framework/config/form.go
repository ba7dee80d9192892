package config

import (
	"errors"
	"net"
	"net/url"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
)

// form is a kind of text: what it is called, and a function that says what is
// wrong with one, or nothing. That sentence never holds the text, as it may be
// a secret.
type form struct {
	want  string
	wrong func(string) string
}

// forms are the kinds that are a text of some form.
var forms = map[kind]form{
	patternKind: {"a regular expression", wrongPattern},
	addressKind: {"an address with a port", wrongAddress},
	urlKind:     {"a URL", wrongURL},
	headerKind:  {"the name of a header", wrongHeader},
	tenantKind:  {"a text that may name one header", wrongTenant},
}

// text reads a text of the key's form.
func (k *key) text(raw any) (any, error) {
	f := forms[k.kind]
	s, err := typed[string](k, raw, f.want)
	if err != nil {
		return nil, err
	}
	if why := f.wrong(s); why != "" {
		return nil, k.mustBe(f.want, why)
	}
	return s, nil
}

func wrongPattern(s string) string {
	_, err := regexp.Compile(s)
	if wrong := (*syntax.Error)(nil); errors.As(err, &wrong) {
		return wrong.Code.String()
	}
	return ""
}

// wrongSearch is wrongPattern for one that is searched for in a text. What finds
// the empty text finds itself in every other.
func wrongSearch(s string) string {
	why := wrongPattern(s)
	if why == "" && regexp.MustCompile(s).MatchString("") {
		why = "it matches every text"
	}
	return why
}

func wrongAddress(s string) string {
	const like = `write it as "127.0.0.1:8787"`
	_, port, err := net.SplitHostPort(s)
	if err != nil {
		return like
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "a port is a number from 0 to 65535; " + like
	}
	return ""
}

// wrongURL wants a URL that paths can be added to. One with a user in it would
// be a secret that is printed.
func wrongURL(s string) string {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return `write it as "https://api.example.com/v1"`
	case strings.ContainsAny(s, "?#"):
		return "it has a query or a fragment, but a path is added to it"
	case u.User != nil:
		return "it has a user in it; credentials are those of the client"
	}
	return ""
}

// headerSigns are what a header's name may hold besides letters and digits
// (RFC 9110, 5.6.2).
const headerSigns = "!#$%&'*+-.^_`|~"

func wrongHeader(s string) string {
	odd := func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		return !letter && (r < '0' || r > '9') && !strings.ContainsRune(headerSigns, r)
	}
	if s == "" || strings.ContainsFunc(s, odd) {
		return `write it as "X-Team"`
	}
	return ""
}
