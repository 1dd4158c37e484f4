package onredis

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/bench/internal/measure"
)

func TestEveryContestantDecidesWithItsTrips(t *testing.T) {
	server, err := start(t.Context())
	require.NoError(t, err)
	defer server.stop()
	require.NotEmpty(t, server.version)
	seen := map[string]bool{}
	for _, one := range contests(true) {
		few := situation{one.title, one.limits, min(one.callers, 4), min(one.keys, 20)}
		for _, c := range one.contestants {
			if name := c.title(); seen[name+one.title] {
				t.Fatal(name, "is there twice")
			}
			seen[c.title()+one.title] = true
			traffic, err := few.count(t.Context(), server, c)
			require.NoError(t, err, c.title())
			want := 1
			switch c.name {
			case redisRate.name, ululeStore.name:
				want = one.limits
			case throttledStore.name:
				want = 2 * one.limits
			}
			require.InDelta(t, want, traffic.reads, 0.05, c.title())
			require.GreaterOrEqual(t, traffic.commands, 1.0, c.title())
		}
	}
	_, counted, err := situation{"few", 1, 2, 10}.run(t.Context(), measure.Pace{Rounds: 1, Time: time.Microsecond, Log: io.Discard}, server, with(plain, sliding, ululeStore))
	require.NoError(t, err)
	require.Len(t, counted, 2)
}

func TestTheBriefContestsHaveAllThatRowsAreAbout(t *testing.T) {
	all := map[string]measure.Results{}
	for _, one := range contests(false) {
		var results measure.Results
		for _, c := range one.contestants {
			results = append(results, measure.Result{Name: c.title(), Nanos: 1})
		}
		all[one.title] = results
	}
	require.Len(t, bars(all), 8)
}
