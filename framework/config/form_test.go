package config

import "testing"

func TestForms(t *testing.T) {
	good := map[kind][]string{
		addressKind: {"127.0.0.1:8787", "[::1]:0", "localhost:1", ":65535", "gateway.internal:80"},
		urlKind:     {"https://api.openai.com/v1", "http://127.0.0.1:8000/", "http://[::1]:1"},
		headerKind:  {"X-Team", "x_team", "a!"},
		tenantKind:  {"", "research", "${header.X-Team}", "a-${header.x-team}-b", "a $ b {c}"},
		patternKind: {"", "a|b", "(?i)x"},
	}
	bad := map[kind][]string{
		addressKind: {"", "8787", "localhost", "::1:8787", "a:http", "a:-1", "a:65536", "a:"},
		urlKind:     {"", "api.openai.com", "ftp://a", "https://", "https://:443", "https:///v1", "https://a?x=1", "https://a/?", "https://a#b", "https://me@a", "https://a b", "https://a/%zz"},
		headerKind:  {"", "X Team", "X:Team", "é", "X-Team\n"},
		tenantKind:  {"${", "${header.}", "${header.X Team}", "${header.X", "${env.X}", "${x}${header.X-Team}", "${header.A}${header.B}"},
		patternKind: {"(", "["},
	}
	for kind, texts := range good {
		for _, s := range texts {
			if why := forms[kind].wrong(s); why != "" {
				t.Errorf("%s: %q is refused: %s", kind, s, why)
			}
		}
	}
	for kind, texts := range bad {
		for _, s := range texts {
			if forms[kind].wrong(s) == "" {
				t.Errorf("%s: %q is taken", kind, s)
			}
		}
	}
}

func TestLoopback(t *testing.T) {
	tests := map[string]bool{
		"127.0.0.1:8787":        true,
		"127.8.8.8:0":           true,
		"[::1]:1":               true,
		"[::ffff:127.0.0.1]:1":  true,
		"localhost:1":           true,
		"":                      false,
		":8787":                 false,
		"0.0.0.0:1":             false,
		"[::]:1":                false,
		"192.168.0.1:1":         false,
		"localhost.example.com": false,
		"127.0.0.1.example:1":   false,
	}
	for address, want := range tests {
		if got := Loopback(address); got != want {
			t.Errorf("%q: %v", address, got)
		}
	}
}
