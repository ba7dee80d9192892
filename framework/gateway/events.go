package gateway

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/compactor-host/compactor/framework/observe"
)

// events streams what happens as server-sent events: the number of an event as
// its id, the kind as its name, and the event itself as JSON. It begins with the
// next one or, with Last-Event-ID, with the first kept after that; 0 is all
// that are kept.
func (g *Gateway) events(w http.ResponseWriter, r *http.Request) {
	last := g.o.Events.Last()
	if id := r.Header.Get("Last-Event-ID"); id != "" {
		n, err := strconv.ParseUint(id, 10, 64)
		if err != nil {
			http.Error(w, "Last-Event-ID is not a number", http.StatusBadRequest)
			return
		}
		last = n
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	s := stream{w: w, flush: http.NewResponseController(w).Flush}
	s.comment("events of compactor")
	beat := time.NewTicker(g.o.Heartbeat)
	defer beat.Stop()
	for s.err == nil {
		entries, more := g.o.Events.After(last)
		for i := range entries {
			s.entry(&entries[i])
			last = entries[i].Number
		}
		select {
		case <-more:
		case <-beat.C:
			s.comment("still here")
		case <-r.Context().Done():
			return
		case <-g.draining:
			return
		}
	}
}

// stream writes server-sent events, until one cannot be written.
type stream struct {
	w     http.ResponseWriter
	flush func() error
	err   error
}

func (s *stream) comment(text string) { s.write(": %s\n\n", text) }

func (s *stream) entry(e *observe.Entry) {
	data, err := json.Marshal(e.Event)
	if err != nil {
		s.comment("an event that cannot be written")
		return
	}
	s.write("id: %d\nevent: %s\ndata: %s\n\n", e.Number, e.Event.Kind, data)
}

func (s *stream) write(format string, args ...any) {
	if s.err != nil {
		return
	}
	if _, s.err = fmt.Fprintf(s.w, format, args...); s.err == nil {
		s.err = s.flush()
	}
}
