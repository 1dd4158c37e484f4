package storagetest

import "github.com/sallyport-go/sallyport/ratelimit"

// minimumGap admits one request every interval/limit and no bursts: 60 in a
// minute is one each second. It stands for the algorithms that users write, and
// has a script for storages that need one.
type minimumGap struct{}

var _ ratelimit.ScriptAlgorithm = minimumGap{}

// gapMark stands in the second word of its states. No built-in algorithm has
// negative words, so a state of theirs is recognized as none.
const gapMark = -1

func (minimumGap) Name() string { return "minimumGap" }

func (minimumGap) Step(s ratelimit.State, t ratelimit.Take) ratelimit.Outcome {
	gap := (t.Interval + t.Limit - 1) / t.Limit
	wait := int64(0)
	if s[0] >= 0 && s[1] == gapMark && s[2] == 0 {
		wait = max(0, s[0]+gap-t.Now)
	}
	d := ratelimit.Decision{ResetAfter: wait, RetryAfter: wait}
	switch {
	case t.Cost > t.Limit:
		d.RetryAfter = ratelimit.NeverMicros
	case t.Cost == 0:
		d.Accepted, d.RetryAfter = true, ratelimit.NoRetryMicros
	case wait == 0:
		return ratelimit.Outcome{
			Decision: ratelimit.Decision{Accepted: true, ResetAfter: gap, RetryAfter: ratelimit.NoRetryMicros},
			State:    ratelimit.State{t.Now, gapMark},
			TTL:      gap + gapSpare,
		}
	}
	return ratelimit.Outcome{Decision: d}
}

// gapSpare is how much longer than needed a state lives, in microseconds.
const gapSpare = 1_000_000

// RedisScript is Step in Lua. The gap is exact: a quotient of such numbers that
// is not whole is not rounded to a whole one either. The time is stored as the
// text that it came in, as Lua would keep 14 digits of it.
func (minimumGap) RedisScript() string {
	return `local limit, cost, interval, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local gap = math.ceil(interval / limit)
local last = tonumber(redis.call('GET', KEYS[1]) or '')
local wait = 0
if last then
	wait = math.max(0, last + gap - now)
end
if cost > limit then
	return {0, 0, wait, -2}
elseif cost == 0 then
	return {1, 0, wait, -1}
elseif wait > 0 then
	return {0, 0, wait, wait}
end
redis.call('SET', KEYS[1], ARGV[4], 'PX', string.format('%.0f', math.ceil((gap + 1000000) / 1000)))
return {1, 0, gap, -1}`
}
