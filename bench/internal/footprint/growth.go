package footprint

import (
	"context"
	"fmt"
	"time"

	"github.com/sallyport-go/sallyport/bench/internal/keys"
	"github.com/sallyport-go/sallyport/bench/internal/measure"
	"github.com/sallyport-go/sallyport/bench/internal/report"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// list are keys whose bytes lie one behind the other.
type list struct {
	bytes []byte
	ends  []uint32
}

func listOf(n int) (l list) {
	l.bytes = make([]byte, 0, n*len("perIp:10.255.255.255"))
	l.ends = make([]uint32, n+1)
	for i := range n {
		l.bytes = keys.Append(append(l.bytes, "perIp:"...), i)
		l.ends[i+1] = uint32(len(l.bytes))
	}
	return l
}

func (l list) key(i int) []byte { return l.bytes[l.ends[i]:l.ends[i+1]] }

// growth compares a decision of few keys with one of many: with the clock read
// for each, as for requests that come one by one, and with a time that is given,
// where misses of the cache overlap.
func growth(p measure.Pace, s *report.Section) error {
	t := report.Table{Title: "growth", Columns: []string{"Keys", "Time", "× 1,000 keys", "Time is given", "× 1,000 keys"}}
	sizes := []int{1_000, 10_000_000}
	if p.Full {
		sizes = []int{1_000, 10_000, 100_000, 1_000_000, 10_000_000}
	}
	first := map[bool]float64{}
	var last [2]float64
	for _, n := range sizes {
		row := []string{thousands(n)}
		all := listOf(n)
		m := &ratelimit.Memory{}
		ctx := context.Background()
		for _, i := range keys.Order(n) {
			if d, err := m.Consume(ctx, all.key(i), ratelimit.SlidingWindow, take); err != nil || !d.Accepted {
				return fmt.Errorf("a key was refused at once: %w", err)
			}
		}
		for i, clock := range []bool{true, false} {
			results, err := p.Run([]measure.Work{{Name: thousands(n), Start: func() (measure.Running, error) {
				return measure.Running{Worker: func(int) func(int) error { return walk(m, all, n, clock) }}, nil
			}}})
			if err != nil {
				return err
			}
			nanos := results[0].Nanos
			if n == sizes[0] {
				first[clock] = nanos
			}
			last[i] = nanos
			row = append(row, report.Nanos(nanos), fmt.Sprintf("%.1f", nanos/first[clock]))
		}
		t.Add(row...)
	}
	s.Tables = append(s.Tables, t)
	for i, clock := range []bool{true, false} {
		work := "decision, 10000000 keys beside 1000"
		if !clock {
			work += ", time given"
		}
		s.Bars = append(s.Bars, report.Bar{
			Work: work, Ours: report.Nanos(last[i]), Peer: report.Nanos(first[clock]), Name: "1000 keys",
			Ratio: last[i] / first[clock], Bar: 8, Most: true,
		})
	}
	return nil
}

// walk asks one key after the other.
func walk(m *ratelimit.Memory, all list, n int, clock bool) func(times int) error {
	ctx, at, t, begin := context.Background(), 0, take, time.Now()
	return func(times int) error {
		for range times {
			if clock {
				t.Now = take.Now + time.Since(begin).Microseconds()
			}
			if d, err := m.Consume(ctx, all.key(at), ratelimit.SlidingWindow, t); err != nil || !d.Accepted {
				return fmt.Errorf("a key was refused: %w", err)
			}
			if at++; at == n {
				at = 0
			}
		}
		return nil
	}
}
