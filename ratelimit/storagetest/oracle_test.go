package storagetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// What a storage may answer to a peek after one request of a limit of 2 in 10
// seconds, saved at second 100 and living for 10 seconds.
func TestWhatAStorageMayHave(t *testing.T) {
	const second = 1_000_000
	asked := time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		name     string
		ownClock bool
		at       int64         // of the peek
		others   int64         // the latest time of a request for another counter
		after    time.Duration // on the storage's clock
		want     []int64       // what may be left
	}{
		{"within the lifetime it is there", false, 110*second - 1, 0, 0, []int64{1}},
		{"so it is when a storage has a clock of its own", true, 110*second - 1, 0, 9 * time.Second, []int64{1}},
		{"at its end it may be there", false, 110 * second, 0, 0, []int64{1, 2}},
		{"until lifetimes are rounded up", false, 111*second - 1, 0, 0, []int64{1, 2}},
		{"then it is gone", false, 111 * second, 0, 0, []int64{2}}, // RL-250
		{"an own clock may keep it", true, 1000 * second, 0, 0, []int64{1, 2}},
		{"an own clock may have passed its end", true, 100 * second, 0, 10 * time.Second, []int64{1, 2}},
		{"another counter's clock may have passed its end", false, 100 * second, 110 * second, 0, []int64{1, 2}},
		{"or may not have reached it", false, 100 * second, 110*second - 1, 0, []int64{1}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := newOracle(Options{OwnClock: tc.ownClock})
			r := request{"policy:key", perLifetime{}, ratelimit.Take{Limit: 2, Cost: 1, Interval: 10 * second, Now: 100 * second}}
			o.learn(r, o.answers(r, asked), asked)
			if tc.others > 0 {
				other := request{"policy:other", perLifetime{}, r.take}
				other.take.Now = tc.others
				o.answers(other, asked)
			}
			r.take.Cost, r.take.Now = 0, tc.at
			var left []int64
			for _, d := range decisions(o.answers(r, asked.Add(tc.after))) {
				left = append(left, d.Remaining)
			}
			require.Equal(t, tc.want, left)
		})
	}
}

// A state that has ended for one clock is there again for a clock that is
// behind, unless it was removed.
func TestAStateMayBeSeenAgain(t *testing.T) {
	const second = 1_000_000
	o := newOracle(Options{})
	ask := func(cost, now int64) []ratelimit.Decision {
		r := request{"policy:key", ratelimit.FixedWindow, ratelimit.Take{Limit: 5, Cost: cost, Interval: 10 * second, Now: now}}
		answers := o.answers(r, time.Time{})
		o.learn(r, answers, time.Time{})
		return decisions(answers)
	}
	require.Equal(t, []ratelimit.Decision{accepted(3, 10*sec)}, ask(2, 0))
	require.Equal(t, []ratelimit.Decision{accepted(5, 10*sec)}, ask(0, 20*second))
	require.Equal(t, []ratelimit.Decision{accepted(5, 10*sec), accepted(3, 10*sec)}, ask(0, 0))
	require.Equal(t, []ratelimit.Decision{accepted(4, 10*sec)}, ask(1, 20*second))
	require.Equal(t, []ratelimit.Decision{accepted(4, 30*sec)}, ask(0, 0))
}
