package sdk

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/stats"
)

func TestLifeline(t *testing.T) {
	const first, again = 60 * time.Second, time.Second
	begin, end := &stats.ConnBegin{}, &stats.ConnEnd{}
	type event struct {
		after time.Duration
		stats stats.ConnStats // nil only waits
	}
	tests := map[string]struct {
		events []event
		want   int
	}{
		"no host within the time":      {[]event{{first + 1, nil}}, 1},
		"no host yet":                  {[]event{{first - 1, nil}}, 0},
		"host stays":                   {[]event{{0, begin}, {time.Hour, nil}}, 0},
		"host goes":                    {[]event{{0, begin}, {0, end}, {again + 1, nil}}, 1},
		"host goes and comes back":     {[]event{{0, begin}, {0, end}, {again - 1, begin}, {time.Hour, nil}}, 0},
		"comes back and goes":          {[]event{{0, begin}, {0, end}, {0, begin}, {0, end}, {again + 1, nil}}, 1},
		"one of two connections stays": {[]event{{0, begin}, {0, begin}, {0, end}, {time.Hour, nil}}, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ended := 0
				l := &lifeline{again: again}
				l.watch(first, func() { ended++ })
				for _, e := range test.events {
					time.Sleep(e.after)
					if e.stats != nil {
						l.HandleConn(context.Background(), e.stats)
					}
				}
				synctest.Wait()
				l.mu.Lock()
				defer l.mu.Unlock()
				l.timer.Stop()
				if ended != test.want {
					t.Errorf("ended %d times, want %d", ended, test.want)
				}
			})
		})
	}
}
