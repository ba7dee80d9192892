package sqlite_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/compactor-host/compactor/framework/store"
	"github.com/compactor-host/compactor/framework/store/sqlite"
	"github.com/compactor-host/compactor/framework/store/storetest"
)

// apartVariable says that the process was started by apart.
const apartVariable = "COMPACTOR_TEST_APART"

// apart runs the test that calls it once more, in a process with users and
// mounts of its own, which go when it ends. There it says true. As user 0 it
// may mount; as another one it is bound by the rights of files, even where the
// tests run as root.
func apart(t *testing.T, user int) bool {
	t.Helper()
	if os.Getenv(apartVariable) != "" {
		return true
	}
	command := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	command.Env = append(os.Environ(), apartVariable+"=1")
	command.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: user, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: user, HostID: os.Getgid(), Size: 1}},
	}
	output, err := command.CombinedOutput()
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed):
		t.Errorf("%v\n%s", err, output)
	case err != nil:
		t.Skipf("no process with users and mounts of its own here: %v", err)
	}
	return false
}

// disk mounts a small file system.
func disk(t *testing.T, options string) string {
	t.Helper()
	folder := t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Unmount(folder, syscall.MNT_DETACH) })
	return folder
}

// A full disk refuses commits and keeps what was committed; when there is room
// again it goes on, without being opened anew.
func TestFullDisk(t *testing.T) {
	if !apart(t, 0) {
		return
	}
	folder := disk(t, "size=2m")
	ballast := filepath.Join(folder, "ballast")
	write(t, ballast, make([]byte, 1<<20))
	path := filepath.Join(folder, "store.db")
	s := open(t, sqlite.Options{Path: path})

	told := map[string]store.ThreadID{}
	var err error
	for err == nil && len(told) < 1000 {
		th := storetest.NewThread()
		c := storetest.NewCheckpoint(&th)
		c.Script = scriptOf(c.ID)
		if err = s.Commit(t.Context(), &th, &c, nil); err == nil {
			told[c.ID] = th.ID
		}
	}
	refused(t, err, store.ErrFull, path)
	if len(told) == 0 {
		t.Fatal("nothing was committed before the disk was full")
	}
	expectAll(t, s, told)

	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	th := storetest.NewThread()
	c := storetest.NewCheckpoint(&th)
	c.Script = scriptOf(c.ID)
	if err := s.Commit(t.Context(), &th, &c, nil); err != nil {
		t.Errorf("with room again: %v", err)
	}
	told[c.ID] = th.ID
	expectAll(t, s, told)
}

func TestReadOnlyDisk(t *testing.T) {
	if !apart(t, 0) {
		return
	}
	folder := disk(t, "size=4m")
	old := filepath.Join(folder, "store.db")
	populate(t, old)
	if err := syscall.Mount("", folder, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"a file that is there": old,
		"a new file":           filepath.Join(folder, "new.db"),
		"a new folder":         filepath.Join(folder, "new", "store.db"),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
			refused(t, err, store.ErrReadOnly, path)
		})
	}
}

func TestReadOnlyRights(t *testing.T) {
	if !apart(t, 1000) {
		return
	}
	tests := []struct {
		name         string
		folder, file os.FileMode
	}{
		{"the file", 0o700, 0o400},
		{"the folder", 0o500, 0o600},
		{"both", 0o500, 0o400},
		{"a file that cannot be read either", 0o700, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "folder")
			path := filepath.Join(folder, "store.db")
			populate(t, path)
			if err := errors.Join(os.Chmod(path, test.file), os.Chmod(folder, test.folder)); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.Chmod(folder, 0o700) })
			s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
			if err == nil {
				s.Close()
			}
			refused(t, err, store.ErrReadOnly, path)
		})
	}
}
