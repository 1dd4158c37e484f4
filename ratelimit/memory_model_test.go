package ratelimit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// memoryModel is what a Memory should know, in a plain map. There are two
// possibilities for a counter that has expired by the clock of anybody since it
// was saved: it may have been removed, or not yet.
type memoryModel struct {
	clocks   []tick // of all calls
	counters map[string][]modelCounter
}

type modelCounter struct {
	state  State
	expiry tick // 0: not there
	saved  int  // the call that saved it
}

// explain keeps the possibilities that agree with a decision. It returns false
// when there is none.
func (m *memoryModel) explain(key string, a Algorithm, t Take, d Decision) bool {
	now, agree := tickOf(t.Now), []modelCounter(nil)
	m.clocks = append(m.clocks, now)
	for _, c := range m.possible(key) {
		state := c.state
		if c.expiry <= now {
			state = State{}
		}
		o := a.Step(state, t)
		if o.Decision != d {
			continue
		}
		if o.TTL > 0 {
			c = modelCounter{o.State, tickAfter(t.Now, o.TTL), len(m.clocks) - 1}
		}
		if !slices.Contains(agree, c) {
			agree = append(agree, c)
		}
	}
	m.counters[key] = agree
	return agree != nil
}

func (m *memoryModel) possible(key string) []modelCounter {
	known := m.counters[key]
	if known == nil {
		return []modelCounter{{}}
	}
	for _, c := range known {
		if slices.Max(m.clocks[c.saved:]) >= c.expiry {
			return append(known, modelCounter{})
		}
	}
	return known
}

func TestMemoryAgreesWithAModel(t *testing.T) {
	clocks := map[string]func(r *rand.Rand, now int64) int64{
		"stands": func(_ *rand.Rand, now int64) int64 { return now },
		"goes on": func(r *rand.Rand, now int64) int64 {
			return now + r.Int64N(4000)
		},
		"leaps": func(r *rand.Rand, now int64) int64 {
			if r.IntN(2000) == 0 {
				return now + r.Int64N(30*second)
			}
			return now + r.Int64N(4000)
		},
		"goes back and forth": func(r *rand.Rand, now int64) int64 {
			return max(0, now+r.Int64N(second)-second/2)
		},
		"differs": func(r *rand.Rand, now int64) int64 {
			return memoryStart + r.Int64N(3)*2*second + r.Int64N(second)
		},
	}
	algorithms := append([]Algorithm{tally(3 * second)}, memoryAlgorithms...)
	for name, clock := range clocks {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(len(name))))
			m, model, now := onePart(), &memoryModel{counters: map[string][]modelCounter{}}, memoryStart
			longest, shrunk := 0, false
			for i := range 16_000 {
				keys := 10 + 600*(i/4000%2) // many and few clients by turns
				a := algorithms[r.IntN(len(algorithms))]
				now = clock(r, now)
				take := Take{Limit: 7, Cost: r.Int64N(9), Interval: second * (1 + r.Int64N(2)), Now: now}
				key := fmt.Sprint("p:", r.IntN(keys))
				d, err := m.Consume(context.Background(), []byte(key), a, take)
				require.NoError(t, err)
				counter := fmt.Sprint(key, a.Name(), take.Interval)
				known := model.counters[counter]
				require.True(t, model.explain(counter, a, take, d), "step %d: %s %+v of %+v: %+v", i, counter, take, known, d)

				length := len(m.shards.Load().all[0].slots)
				longest = max(longest, length)
				shrunk = shrunk || length < longest/3
			}
			require.Greater(t, longest, 1000, "it has grown")
			require.True(t, shrunk || name != "goes on" && name != "leaps", "it has shrunk")
		})
	}
}
