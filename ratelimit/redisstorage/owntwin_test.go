package redisstorage_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
	"github.com/sallyport-go/sallyport/ratelimit/redisstorage"
)

// minimumGap is an algorithm of a user: one request every interval/limit. It keeps
// the time of the last one, and a mark in the second word.
type minimumGap struct{}

func (minimumGap) Name() string { return "minimumGap" }

func (minimumGap) Step(s ratelimit.State, t ratelimit.Take) ratelimit.Outcome {
	gap, wait := (t.Interval+t.Limit-1)/t.Limit, int64(0)
	if s[1] == 1 {
		wait = max(0, s[0]+gap-t.Now)
	}
	switch {
	case t.Cost > t.Limit:
		return ratelimit.Outcome{Decision: ratelimit.Decision{ResetAfter: wait, RetryAfter: ratelimit.NeverMicros}}
	case t.Cost == 0:
		return ratelimit.Outcome{Decision: ratelimit.Decision{Accepted: true, ResetAfter: wait, RetryAfter: ratelimit.NoRetryMicros}}
	case wait > 0:
		return ratelimit.Outcome{Decision: ratelimit.Decision{ResetAfter: wait, RetryAfter: wait}}
	}
	return ratelimit.Outcome{
		Decision: ratelimit.Decision{Accepted: true, ResetAfter: gap, RetryAfter: ratelimit.NoRetryMicros},
		State:    ratelimit.State{t.Now, 1},
		TTL:      t.Interval,
	}
}

// RedisScript is Step in Lua. The time is kept as the text that it came in.
func (minimumGap) RedisScript() string {
	return `local limit, cost, interval, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local gap, wait = math.ceil(interval / limit), 0
local last = redis.call('GET', KEYS[1])
if last then
	wait = math.max(0, tonumber(last) + gap - now)
end
if cost > limit then
	return {0, 0, wait, -2}
elseif cost == 0 then
	return {1, 0, wait, -1}
elseif wait > 0 then
	return {0, 0, wait, wait}
end
redis.call('SET', KEYS[1], ARGV[4], 'PX', math.ceil(interval / 1000))
return {1, 0, gap, -1}`
}

// An algorithm of one's own decides in Redis as it does in Go, in one call with
// those of the project.
func TestOwnTwin(t *testing.T) { // RL-248, RL-265, RL-267
	const keys = 40
	seed := rand.Uint64()
	r := edges{rand.New(rand.NewPCG(seed, 1))}
	s := redisstorage.New(connect(t, sharedAddr), redisstorage.Options{Prefix: freshPrefix(), Timeout: time.Minute})
	var states [keys]ratelimit.State
	at := int64(now)
	for done := 0; done < twinSteps; {
		// limit and interval of a key stay, as they do in a policy
		items := make([]ratelimit.Item, 0, 2*keys)
		for i := range keys {
			take := ratelimit.Take{Limit: 60 + int64(i)*999_983, Interval: (1 + int64(i%5)) * time.Hour.Microseconds(), Cost: 1}
			gap := (take.Interval + take.Limit - 1) / take.Limit
			take.Now = states[i][0] + r.near(gap, 2*gap) // beside the moment of acceptance
			if states[i] == (ratelimit.State{}) || r.IntN(4) == 0 {
				at += r.Int64N(2 * gap)
				take.Now = at
			}
			switch r.IntN(10) {
			case 0:
				take.Cost = 0
			case 1:
				take.Cost = take.Limit + 1
			}
			items = append(items, item(fmt.Sprint("p:", i), minimumGap{}, take), item("all:all", ratelimit.TokenBucket, ratelimit.Take{Limit: maxLimit, Cost: 1, Interval: secondMicro, Now: at}))
		}
		for next := 0; next < len(items); {
			got, err := s.ConsumeAll(t.Context(), items[next:], nil)
			require.NoError(t, err)
			for _, d := range got {
				if i := next / 2; next%2 == 0 {
					want := minimumGap{}.Step(states[i], items[next].Take)
					if want.Decision != d {
						require.Equal(t, want.Decision, d, "seed %d: state %v, %+v", seed, states[i], items[next].Take)
					}
					if want.TTL > 0 {
						states[i] = want.State
					}
					done++
				} else {
					require.True(t, d.Accepted)
				}
				next++
			}
		}
	}
}
