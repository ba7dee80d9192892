package plugin

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"
)

// verify compares the program with the checksum that its block names. It is
// done before each start: a file may be replaced while the host runs. What
// happens between the check and the start is not covered.
func (f *Found) verify() error {
	if f.Config == nil || f.Config.SHA256 == "" {
		return nil
	}
	file := f.checkedFile()
	sum, err := checksum(file)
	if err != nil {
		return &Error{Kind: Checksum, Plugin: f.Name, Path: file, Cause: err}
	}
	if want := strings.ToLower(f.Config.SHA256); sum != want {
		return &Error{Kind: Checksum, Plugin: f.Name, Path: file, Cause: fmt.Errorf("sha256 is %s, the plugin block says %s", sum, want)}
	}
	return nil
}

// checkedFile is the file that holds the strategy: the first argument that
// names a regular file, as in `node strategy.mjs`, where a checksum of node
// would say nothing; without one, the program itself.
func (f *Found) checkedFile() string {
	for _, arg := range f.Args {
		if info, err := os.Stat(arg); err == nil && info.Mode().IsRegular() {
			return arg
		}
	}
	return f.Path
}

// checksum is the SHA-256 of a file, in small hex digits.
func checksum(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
