package sqlite_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/compactor-host/compactor/framework/store"
	"github.com/compactor-host/compactor/framework/store/sqlite"
	"github.com/compactor-host/compactor/framework/store/storetest"
)

// The test binary runs itself, as another process that has the file in use.
const (
	roleVariable = "COMPACTOR_TEST_ROLE"
	pathVariable = "COMPACTOR_TEST_PATH"
)

// The roles of the other process.
const (
	roleWriter = "writer" // commits and tells each one, until it is killed
	roleGuest  = "guest"  // tells the secret, commits a few times, ends
	roleLocker = "locker" // holds the right to write until its input ends
)

func TestMain(m *testing.M) {
	role := os.Getenv(roleVariable)
	if role == "" {
		os.Exit(m.Run())
	}
	if err := play(context.Background(), role, os.Getenv(pathVariable)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func play(ctx context.Context, role, path string) error {
	if role == roleLocker {
		return holdLock(ctx, path)
	}
	s, err := sqlite.Open(ctx, sqlite.Options{Path: path})
	if err != nil {
		return err
	}
	defer s.Close()
	if role == roleWriter {
		for {
			if err := commitTold(ctx, s); err != nil {
				return err
			}
		}
	}
	secret, err := s.Secret(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "%x\n", secret)
	for range 5 {
		if err := commitTold(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// commitTold commits twice to a new thread and tells each commit once it is
// acknowledged.
func commitTold(ctx context.Context, s store.Store) error {
	th := storetest.NewThread()
	for range 2 {
		c := storetest.NewCheckpoint(&th)
		c.Script = scriptOf(c.ID)
		if err := s.Commit(ctx, &th, &c, nil); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(os.Stdout, "%s %s\n", th.ID, c.ID); err != nil {
			return err
		}
	}
	return nil
}

// scriptOf is a script of some 100 bytes to 128 KB that follows from an id, so
// that whoever finds it knows whether it is whole.
func scriptOf(id string) []byte {
	sum := sha256.Sum256([]byte(id))
	return bytes.Repeat(sum[:], 4<<(sum[0]%11))
}

func holdLock(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", path+"?_txlock=immediate")
	if err != nil {
		return err
	}
	defer db.Close()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, "locked")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	return tx.Rollback()
}

// child is another process.
type child struct {
	command *exec.Cmd
	input   io.Closer
	lines   *bufio.Scanner
	errors  bytes.Buffer
}

// start starts a process that plays a role with a file. It is killed at the
// end of the test at the latest.
func start(t *testing.T, role, path string) *child {
	t.Helper()
	c := &child{command: exec.Command(os.Args[0])}
	c.command.Env = append(os.Environ(), roleVariable+"="+role, pathVariable+"="+path)
	c.command.Stderr = &c.errors
	input, err := c.command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := c.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.command.Start(); err != nil {
		t.Fatal(err)
	}
	c.input, c.lines = input, bufio.NewScanner(output)
	t.Cleanup(func() {
		if c.command.ProcessState == nil {
			c.command.Process.Kill()
			c.command.Wait()
		}
	})
	return c
}

// end waits for a process that ends by itself.
func (c *child) end(t *testing.T) {
	t.Helper()
	c.input.Close()
	if err := c.command.Wait(); err != nil {
		t.Fatalf("the other process: %v\n%s", err, c.errors.Bytes())
	}
}
