package plugin

import (
	"io"
	"os"
	"sync"
	"time"
)

// pumps are the readers of a process's output.
type pumps struct {
	readers, writers []*os.File
	read             []func(io.Reader)
	running          sync.WaitGroup
}

// add makes a pipe whose end for the process is returned.
func (ps *pumps) add(read func(io.Reader)) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ps.readers, ps.writers = append(ps.readers, r), append(ps.writers, w)
	ps.read = append(ps.read, read)
	return w, nil
}

// start begins to read, after the process has got its ends.
func (ps *pumps) start() {
	for i, w := range ps.writers {
		_ = w.Close()
		ps.running.Go(func() { ps.read[i](ps.readers[i]) })
	}
}

// finish waits until all is read, or until the deadline.
func (ps *pumps) finish(deadline time.Time) {
	for _, r := range ps.readers {
		_ = r.SetReadDeadline(deadline)
	}
	ps.running.Wait()
	for _, r := range ps.readers {
		_ = r.Close()
	}
}

func (ps *pumps) abandon() {
	for i := range ps.readers {
		_ = ps.readers[i].Close()
		_ = ps.writers[i].Close()
	}
}
