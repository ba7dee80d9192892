package test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A reader does what a README says, in a folder and an environment.
type reader struct {
	dir string
	env []string
	// patience bounds one block.
	patience time.Duration
}

// block is a fenced block; line is that of its opening fence, from 1.
type block struct {
	lang, text string
	line       int
}

func (b block) String() string { return fmt.Sprintf("line %d %s", b.line, b.lang) }

// parseBlocks finds the fenced blocks of a Markdown text. One that is never
// closed goes to the end.
func parseBlocks(markdown string) []block {
	var blocks []block
	fence := ""
	for i, line := range strings.Split(strings.TrimSuffix(markdown, "\n"), "\n") {
		ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence == "" && len(ticks) >= 3:
			fence = ticks
			blocks = append(blocks, block{lang: strings.TrimSpace(line[len(ticks):]), line: i + 1})
		case fence != "" && line == fence:
			fence = ""
		case fence != "":
			blocks[len(blocks)-1].text += line + "\n"
		}
	}
	return blocks
}

// follow does what one block asks for; later are the blocks below it.
func (r *reader) follow(ctx context.Context, b block, later []block) error {
	switch b.lang {
	case "sh":
		return r.sh(ctx, b.text)
	case "hcl", "yaml":
		name, err := r.write(b)
		if err != nil {
			return err
		}
		return r.run(ctx, r.dir, "bin/compactor", "validate", name)
	case "go":
		name, err := r.write(b)
		if err != nil {
			return err
		}
		folder := filepath.Dir(name)
		used := func(b block) bool { return b.lang == "sh" && strings.Contains(b.text, filepath.Base(folder)) }
		if !slices.ContainsFunc(later, used) {
			return fmt.Errorf("no sh block below uses %s", folder)
		}
		return r.run(ctx, filepath.Join(r.dir, folder), "go", "vet", ".")
	case "text":
		return nil
	}
	return fmt.Errorf("no way to test a %q block", b.lang)
}

// prelude stops a script at its first failing command, names that, and keeps
// make from running the tests that run this.
const prelude = `set -Eeuo pipefail
trap 'echo "command failed: $BASH_COMMAND" >&2' ERR
make() {
	case " $* " in
	*" test "* | *" check "* | *" bench "* | *" fuzz "*) command make -n "$@" ;;
	*) command make "$@" ;;
	esac
}
`

func (r *reader) sh(ctx context.Context, script string) error {
	return r.run(ctx, r.dir, "bash", "-c", prelude+script)
}

func (r *reader) run(ctx context.Context, dir, name string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, r.patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, r.env
	cmd.WaitDelay = 10 * time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return nil
}

var naming = regexp.MustCompile(`^(?:#|//) *(\S+)$`)

// write writes a block to the file that its first line names, or compares it
// with what the repository has there.
func (r *reader) write(b block) (string, error) {
	first, rest, _ := strings.Cut(b.text, "\n")
	match := naming.FindStringSubmatch(first)
	if match == nil {
		return "", errors.New("the first line does not name a file")
	}
	name := match[1]
	if !filepath.IsLocal(name) {
		return "", fmt.Errorf("%s is outside the repository", name)
	}
	path := filepath.Join(r.dir, name)
	switch old, err := os.ReadFile(path); {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", err
		}
		return name, os.WriteFile(path, []byte(b.text), 0o644)
	case err != nil:
		return "", err
	case !bytes.Equal(old, []byte(b.text)) && !bytes.Equal(old, []byte(rest)):
		return "", fmt.Errorf("%s reads otherwise in the repository", name)
	}
	return name, nil
}
