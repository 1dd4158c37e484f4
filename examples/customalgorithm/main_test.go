package main

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/apitest"
	"github.com/sallyport-go/sallyport/internal/exampletest"
	"github.com/sallyport-go/sallyport/ratelimit"
	"github.com/sallyport-go/sallyport/ratelimit/storagetest"
)

func start(t *testing.T, clock ratelimit.Clock) *exampletest.Program {
	t.Helper()
	return exampletest.Start(t, func(ctx context.Context, args []string, out io.Writer) error {
		return run(ctx, args, out, ratelimit.Options{Clock: clock})
	})
}

func TestOneMessageEverySecond(t *testing.T) {
	clock := apitest.NewClock()
	p := start(t, clock)
	type answer struct {
		status            int
		limit, retryAfter string
	}
	for _, step := range []struct {
		wait time.Duration
		want answer
	}{
		{0, answer{200, `"steady";r=0;t=1`, ""}},
		{0, answer{429, `"steady";r=0;t=1`, "1"}},
		{999 * time.Millisecond, answer{429, `"steady";r=0;t=1`, "1"}},
		{time.Millisecond, answer{200, `"steady";r=0;t=1`, ""}}, // the refusals have prolonged nothing
		{time.Hour, answer{200, `"steady";r=0;t=1`, ""}},
		{0, answer{429, `"steady";r=0;t=1`, "1"}}, // an hour of silence has saved nothing up
	} {
		clock.Advance(step.wait)
		a := p.Do(t, "POST", "/api/v1/messages")
		require.Equal(t, step.want, answer{a.Status, a.Header.Get("RateLimit"), a.Header.Get("Retry-After")})
		require.Equal(t, `"steady";q=60;w=60`, a.Header.Get("RateLimit-Policy"))
	}
}

func TestStep(t *testing.T) {
	const now, second = int64(1_800_000_000_000_000), int64(1_000_000)
	accepted := func(remaining, reset int64) ratelimit.Decision {
		return ratelimit.Decision{Accepted: true, Remaining: remaining, ResetAfter: reset, RetryAfter: ratelimit.NoRetryMicros}
	}
	refused := func(remaining, reset, retry int64) ratelimit.Decision {
		return ratelimit.Decision{Remaining: remaining, ResetAfter: reset, RetryAfter: retry}
	}
	saved := func(d ratelimit.Decision, cost, ttl int64) ratelimit.Outcome {
		return ratelimit.Outcome{Decision: d, State: ratelimit.State{now, cost, version}, TTL: ttl}
	}
	for name, tc := range map[string]struct {
		state       ratelimit.State
		limit, cost int64
		want        ratelimit.Outcome
	}{
		"the first":                     {ratelimit.State{}, 60, 1, saved(accepted(0, second), 1, second)},
		"one with a cost of 3":          {ratelimit.State{}, 60, 3, saved(accepted(0, 3*second), 3, 3*second)},
		"too early":                     {ratelimit.State{now - second + 1, 1, version}, 60, 1, decided(refused(0, 1, 1))},
		"in time":                       {ratelimit.State{now - second, 1, version}, 60, 1, saved(accepted(0, second), 1, second)},
		"behind a cost of 3":            {ratelimit.State{now - second, 3, version}, 60, 1, decided(refused(0, 2*second, 2*second))},
		"a gap that is rounded up":      {ratelimit.State{}, 7, 1, saved(accepted(0, 8_571_429), 1, 8_571_429)},
		"a peek when one is admitted":   {ratelimit.State{}, 60, 0, decided(accepted(60, 0))},
		"a peek when none is":           {ratelimit.State{now, 1, version}, 60, 0, decided(accepted(0, second))},
		"a cost above the limit":        {ratelimit.State{}, 60, 61, decided(refused(60, 0, ratelimit.NeverMicros))},
		"so in a gap":                   {ratelimit.State{now, 1, version}, 60, 61, decided(refused(0, second, ratelimit.NeverMicros))},
		"under a lowered limit":         {ratelimit.State{now, 60, version}, 2, 1, decided(refused(0, 60*second, 60*second))},
		"under a raised limit":          {ratelimit.State{now - second/2, 1, version}, 120, 1, saved(accepted(0, second/2), 1, second/2)},
		"a clock that is behind":        {ratelimit.State{now + 5*second, 1, version}, 60, 1, decided(refused(0, 6*second, 6*second))},
		"a state of another version":    {ratelimit.State{now, 1, version + 1}, 60, 1, saved(accepted(0, second), 1, second)},
		"a state without a cost":        {ratelimit.State{now, 0, version}, 60, 1, saved(accepted(0, second), 1, second)},
		"a state with too high a cost":  {ratelimit.State{now, ratelimit.MaxLimit + 1, version}, 60, 1, saved(accepted(0, second), 1, second)},
		"a state before all time":       {ratelimit.State{-1, 1, version}, 60, 1, saved(accepted(0, second), 1, second)},
		"a state beyond all time":       {ratelimit.State{maxTime + 1, 1, version}, 60, 1, saved(accepted(0, second), 1, second)},
		"the highest limit and cost":    {ratelimit.State{}, ratelimit.MaxLimit, ratelimit.MaxLimit, saved(accepted(0, 1e9), ratelimit.MaxLimit, 1e9)},
		"the highest cost, limit now 1": {ratelimit.State{now, ratelimit.MaxLimit, version}, 1, 1, decided(refused(0, 60*second, 60*second))},
	} {
		t.Run(name, func(t *testing.T) {
			take := ratelimit.Take{Limit: tc.limit, Cost: tc.cost, Interval: 60 * second, Now: now} // RL-249
			require.Equal(t, tc.want, minimumGap{}.Step(tc.state, take))                            // RL-251
		})
	}
}

func decided(d ratelimit.Decision) ratelimit.Outcome { return ratelimit.Outcome{Decision: d} }

// The suite is for storages. With an algorithm of one's own it shows that the
// algorithm keeps its own rules in one: a state that is gone when its lifetime
// has passed is not missed.
func TestInStorages(t *testing.T) {
	options := storagetest.Options{Algorithms: []ratelimit.Algorithm{minimumGap{}}, Steps: 2000}
	storagetest.Run(t, func(testing.TB) ratelimit.Storage { return ratelimit.NewMemory(ratelimit.MemoryOptions{}) }, options)
}

func TestWhatItPrints(t *testing.T) {
	require.Equal(t, `Listening on $URL
Try:
  for n in 1 2 3; do curl -i -X POST $URL/api/v1/messages; sleep 0.6; done
`, start(t, nil).Output)
	require.ErrorContains(t, run(t.Context(), []string{"-addr", "nowhere"}, io.Discard, ratelimit.Options{}), "nowhere")
	require.ErrorContains(t, run(t.Context(), []string{"-port", "80"}, io.Discard, ratelimit.Options{}), "-port")
	require.ErrorContains(t, run(t.Context(), []string{"-addr", "127.0.0.1:0", "8080"}, io.Discard, ratelimit.Options{}), `the argument "8080": there are flags alone`)
}

func TestItStopsCleanlyOnSignals(t *testing.T) { exampletest.StopsOnSignals(t) }
