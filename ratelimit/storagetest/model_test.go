package storagetest

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// The wait of a model is found by looking: enough, and not a microsecond more.
func TestModelsFindTheShortestWait(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, a := range builtIns() {
		t.Run(a.Name(), func(t *testing.T) {
			m, state, waits := modelOf(a), record(nil), 0
			take := ratelimit.Take{Limit: 1000, Interval: minute.Microseconds()}
			for range 2000 {
				take.Now += rng.Int64N(take.Interval / 100)
				take.Cost = 1 + rng.Int64N(take.Limit)
				o := m.decide(state, take)
				if o.lifetime > 0 {
					state = o.record
					continue
				}
				waits++
				later := take
				later.Now += o.RetryAfter
				require.True(t, m.decide(state, later).Accepted)
				later.Now--
				require.False(t, m.decide(state, later).Accepted)
			}
			require.NotZero(t, waits)
		})
	}
}

func TestResidues(t *testing.T) {
	last := func(n int64) int64 { return n - 1 }
	for _, tc := range []struct {
		name     string
		a, m     int64
		rs, want []int64
	}{
		{"each has its solution", 3, 7, []int64{0, 1, -1}, []int64{0, 5, 2}},
		{"there are several, and one is picked", 2, 6, []int64{0, 2}, []int64{3, 4}},
		{"the next one below, where there is none", 2, 6, []int64{1, -1}, []int64{3, 5}},
		{"nothing is multiplied", 0, 7, []int64{1}, nil},
		{"nothing is divided", 3, 0, []int64{1}, nil},
		{"all are the same", 5, 1, []int64{0, 1}, []int64{0, 0}},
		{"the largest numbers", ratelimit.MaxLimit - 63, 31_622_400_000_000, []int64{1}, []int64{944_473_015_873}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			xs := residues(tc.a, tc.m, tc.rs, last)
			require.Equal(t, tc.want, xs)
		})
	}
}
