package standards_test

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/ratefield"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// The algorithms. A bucket whose burst is its quota is what these vectors call
// GCRA; the program has no other.
var algorithms = map[string]runner{
	"algorithms/gcra": func(t *testing.T, input json.RawMessage) any {
		return events(t, input, ratelimit.TokenBucket, func(c *counter, d ratelimit.Decision, now int64) answer {
			return answer{
				"allowed": d.Accepted, "remaining": d.Remaining, "retry_after": retryAfter(d),
				"reset_full_ms": (max(0, c.expires-now) + 999) / 1000,
			}
		})
	},
	"algorithms/token_bucket": func(t *testing.T, input json.RawMessage) any {
		return events(t, input, ratelimit.TokenBucket, func(_ *counter, d ratelimit.Decision, _ int64) answer {
			return answer{"allowed": d.Accepted, "tokens_floor": d.Remaining, "retry_after": retryAfter(d)}
		})
	},
	"algorithms/fixed_window": func(t *testing.T, input json.RawMessage) any {
		return events(t, input, ratelimit.FixedWindow, func(_ *counter, d ratelimit.Decision, _ int64) answer {
			return answer{"allowed": d.Accepted, "remaining": d.Remaining, "retry_after": retryAfter(d), "t": seconds(d.ResetAfter)}
		})
	},
	"algorithms/sliding_window_counter": func(t *testing.T, input json.RawMessage) any {
		in := decode[struct {
			quota
			Previous, Current, Cost int64
			Elapsed                 json.Number
		}](t, input)
		start := in.take(0, 0).Interval // of the second window ever
		state := ratelimit.State{start, in.Current, in.Previous}
		d := ratelimit.SlidingWindow.Step(state, in.take(in.Cost, start+micros(t, in.Elapsed)))
		return answer{"allowed": d.Accepted, "remaining": d.Remaining, "retry_after": retryAfter(d.Decision)}
	},
	"algorithms/gcra_count": func(t *testing.T, input json.RawMessage) any {
		in := decode[struct {
			quota
			Arrivals string
		}](t, input)
		var every, end float64
		_, err := fmt.Sscanf(in.Arrivals, "1 every %f s from t=0 to t<%f", &every, &end)
		require.NoError(t, err)
		c, admitted := counter{algorithm: ratelimit.TokenBucket}, 0
		for now := int64(0); now < int64(end*1e6); now += int64(every * 1e6) {
			if c.take(in.take(1, now)).Accepted {
				admitted++
			}
		}
		return answer{"admitted": admitted}
	},
	"algorithms/derive_t": func(t *testing.T, input json.RawMessage) any {
		in := decode[struct {
			quota
			Used int64
		}](t, input)
		d := ratelimit.TokenBucket.Step(ratelimit.State{}, in.take(in.Used, time.Hour.Microseconds()))
		return answer{"r": d.Remaining, "t": seconds(d.ResetAfter)}
	},
	// The time that a cost takes to come back overflows 64 bits where the cost is
	// above every limit of that rate. Such a cost is refused for good.
	"algorithms/numeric/int64 overflow": func(t *testing.T, input json.RawMessage) any {
		in := decode[struct {
			Token time.Duration `json:"T_ns"`
			Cost  int64
		}](t, input)
		high, low := bits.Mul64(uint64(in.Token), uint64(in.Cost))
		take := ratelimit.Take{Limit: int64(ratelimit.MaxInterval / in.Token), Cost: in.Cost, Interval: ratelimit.MaxInterval.Microseconds()}
		d := ratelimit.TokenBucket.Step(ratelimit.State{}, take).Decision
		require.Equal(t, ratelimit.Decision{Remaining: take.Limit, RetryAfter: ratelimit.NeverMicros}, d)
		return answer{"overflows_int64": high > 0 || int64(low) < 0}
	},
}

// quota is the limit of a vector.
type quota struct {
	Q       int64
	Seconds int64 `json:"w_s"`
}

func (q quota) take(cost, now int64) ratelimit.Take {
	return ratelimit.Take{Limit: q.Q, Cost: cost, Interval: q.Seconds * 1e6, Now: now}
}

// counter keeps what an algorithm remembers, as a storage does.
type counter struct {
	algorithm ratelimit.Algorithm
	state     ratelimit.State
	expires   int64 // microseconds
}

func (c *counter) take(t ratelimit.Take) ratelimit.Decision {
	if t.Now >= c.expires {
		c.state = ratelimit.State{}
	}
	out := c.algorithm.Step(c.state, t)
	if out.TTL > 0 {
		c.state, c.expires = out.State, t.Now+out.TTL
	}
	return out.Decision
}

func events(t *testing.T, input json.RawMessage, a ratelimit.Algorithm, tell func(*counter, ratelimit.Decision, int64) answer) answer {
	in := decode[struct {
		quota
		Events []struct {
			T    json.Number
			Cost int64
		}
	}](t, input)
	c, results := counter{algorithm: a}, make([]answer, len(in.Events))
	for i, e := range in.Events {
		now := micros(t, e.T)
		results[i] = tell(&c, c.take(in.take(e.Cost, now)), now)
	}
	return answer{"results": results}
}

// micros is a number of seconds in microseconds, exactly.
func micros(t *testing.T, s json.Number) int64 {
	t.Helper()
	d, err := time.ParseDuration(s.String() + "s")
	require.NoError(t, err)
	return d.Microseconds()
}

func seconds(micros int64) int64 {
	return ratefield.Seconds(time.Duration(micros) * time.Microsecond)
}

// retryAfter is nil when nothing was refused and when no wait helps.
func retryAfter(d ratelimit.Decision) any {
	if d.RetryAfter < 0 {
		return nil
	}
	return seconds(d.RetryAfter)
}
