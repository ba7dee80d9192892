package plugin

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/framework/config"
)

// The SHA-256 of "#!/bin/sh\n", as sha256sum prints it.
const programSum = "a8076d3d28d21e02012b20eaf7dbf75409a6277134439025f282e368e3305abf"

func TestChecksumOf(t *testing.T) {
	folder := t.TempDir()
	exe := program(t, filepath.Join(folder, "exe"))
	script := filepath.Join(folder, "x.mjs")
	if err := os.WriteFile(script, []byte("abc"), 0o644); err != nil {
		t.Fatal(err)
	}
	const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	for _, tt := range []struct {
		name string
		args []string
		want string
		file string
	}{
		{"program alone", nil, programSum, exe},
		{"program with words", []string{"--fast", "no-file"}, programSum, exe},
		{"script of an interpreter", []string{"--flag", script}, abc, script},
		{"folders do not count", []string{folder, script}, abc, script},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := &Found{Name: "odd", Path: exe, Args: tt.args, Config: &config.Plugin{SHA256: tt.want}}
			if err := f.verify(); err != nil {
				t.Error(err)
			}
			f.Config = &config.Plugin{SHA256: strings.Repeat("1", 64)}
			err := f.verify()
			if e := new(Error); !errors.As(err, &e) || e.Kind != Checksum || e.Path != tt.file || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestChecksumOfUnreadableFile(t *testing.T) {
	f := &Found{Name: "odd", Path: "/nonexistent/x", Config: &config.Plugin{SHA256: programSum}}
	if e := new(Error); !errors.As(f.verify(), &e) || e.Kind != Checksum {
		t.Errorf("error %v", f.verify())
	}
}

func TestWithoutChecksumNothingIsChecked(t *testing.T) {
	for _, f := range []*Found{{Path: "/nonexistent/x"}, {Path: "/nonexistent/x", Config: &config.Plugin{}}} {
		if err := f.verify(); err != nil {
			t.Error(err)
		}
	}
}
