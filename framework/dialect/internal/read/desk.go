package read

import (
	"sync"

	"github.com/compactor-host/compactor/framework/dialect"
	"github.com/compactor-host/compactor/framework/dialect/jsonspan"
)

// desk is what a reader works with and leaves behind: nothing of it belongs to
// the conversation. Desks are used again, since their lists and tables have
// grown to a size that will do for the next body too.
type desk struct {
	scanner  jsonspan.Scanner
	messages []dialect.Message
	add      []dialect.Part // parts of the message that is being read
	names    map[string]name
	// aliases are other ids under which calls may be answered.
	aliases map[string]string
}

// name is a name or an id that was seen, kept once, and the tool of the newest
// call with that id, made in the message nth.
type name struct {
	text, tool string
	nth        int
}

var desks = sync.Pool{New: func() any {
	return &desk{names: map[string]name{}, aliases: map[string]string{}}
}}

func newReader(f dialect.Format, body []byte, shape Shape) *Reader {
	d := desks.Get().(*desk)
	d.scanner.Reset(body)
	return &Reader{
		Conversation: &dialect.Conversation{Format: f, Body: body},
		scan:         &d.scanner,
		shape:        shape,
		desk:         d,
	}
}

// release gives the desk away, cleared of what would keep a body in memory.
func (r *Reader) release() {
	d := r.desk
	d.scanner.Reset(nil)
	clear(d.messages)
	clear(d.add[:cap(d.add)])
	clear(d.names)
	clear(d.aliases)
	d.messages, d.add = d.messages[:0], d.add[:0]
	r.desk = nil
	desks.Put(d)
}
