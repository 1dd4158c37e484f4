package footprint

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/sallyport-go/sallyport/bench/internal/measure"
	"github.com/sallyport-go/sallyport/bench/internal/report"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// calls looks for the longest one while a store grows, and while its counters
// expire below as many new ones. The work is the same in every round, and what
// disturbs the machine only adds to it, so the round with the shortest one counts.
func calls(p measure.Pace, s *report.Section) error {
	n, rounds := 1_000_000, min(p.Rounds, 3)
	if p.Full {
		n = 10_000_000
	}
	short := take
	short.Interval = 1_000_000
	var growing, expiring []float64
	for range rounds {
		m := &ratelimit.Memory{}
		longest, err := longestCall(m, 0, n, short)
		if err != nil {
			return err
		}
		growing = append(growing, longest)
		later := short
		later.Now += time.Hour.Microseconds()
		if longest, err = longestCall(m, n/2, n, later); err != nil {
			return err
		}
		expiring = append(expiring, longest)
		_, _ = fmt.Fprint(p.Log, ".")
	}
	t := report.Table{Title: "longest call, " + thousands(n) + " keys", Columns: []string{"While", "Least of the rounds", "Most"}}
	for i, while := range []string{"growing", "expiring"} {
		rounds := [][]float64{growing, expiring}[i]
		longest := slices.Min(rounds)
		t.Add(while, report.Nanos(longest), report.Nanos(slices.Max(rounds)))
		s.Bars = append(s.Bars, report.AtMost("longest call while "+while+", in ms", report.Nanos(longest), "aim", longest/1e6, 5))
	}
	s.Tables = append(s.Tables, t)
	return nil
}

// longestCall asks n keys once, in nanoseconds.
func longestCall(m *ratelimit.Memory, from, n int, t ratelimit.Take) (float64, error) {
	ctx, room, longest := context.Background(), make([]byte, 0, 32), time.Duration(0)
	for i := from; i < from+n; i++ {
		k := key(room, i)
		start := time.Now()
		d, err := m.Consume(ctx, k, ratelimit.SlidingWindow, t)
		longest = max(longest, time.Since(start))
		if err != nil || !d.Accepted {
			return 0, fmt.Errorf("a key was refused at once: %w", err)
		}
	}
	return float64(longest), nil
}
