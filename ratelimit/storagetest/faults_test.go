package storagetest

import (
	"bytes"
	"context"
	"math"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// keepingKeys finds counters by the slices that it was given.
func keepingKeys() ratelimit.Storage {
	var known [][]byte
	inner := newStore()
	return consumeFunc(func(ctx context.Context, key []byte, a ratelimit.Algorithm, t ratelimit.Take) (ratelimit.Decision, error) {
		for i, k := range known {
			if bytes.Equal(k, key) {
				return inner.Consume(ctx, []byte{byte(i)}, a, t)
			}
		}
		known = append(known, key)
		return inner.Consume(ctx, []byte{byte(len(known) - 1)}, a, t)
	})
}

// withSaneTake decides something whatever is asked.
func withSaneTake() ratelimit.Storage {
	inner := newStore()
	return consumeFunc(func(ctx context.Context, key []byte, a ratelimit.Algorithm, t ratelimit.Take) (ratelimit.Decision, error) {
		if sane := t.Validate() == nil; sane {
			return inner.Consume(ctx, key, a, t)
		}
		return ratelimit.Decision{Accepted: true, RetryAfter: ratelimit.NoRetryMicros}, nil
	})
}

// recovering makes an error of a panic.
func recovering(err error) func() ratelimit.Storage {
	return around(func(inner ratelimit.Storage) consumeFunc {
		return func(ctx context.Context, key []byte, a ratelimit.Algorithm, t ratelimit.Take) (d ratelimit.Decision, failed error) {
			defer func() {
				if recover() != nil {
					failed = err
				}
			}()
			return inner.Consume(ctx, key, a, t)
		}
	})
}

// floatingWindow is right but for the weight of the window before.
func floatingWindow(s ratelimit.State, t ratelimit.Take) ratelimit.Outcome {
	return weighing(s, t, func(previous, overlap float64) float64 { return previous * overlap / float64(t.Interval) })
}

func dividingWindow(s ratelimit.State, t ratelimit.Take) ratelimit.Outcome {
	return weighing(s, t, func(previous, overlap float64) float64 { return previous * (overlap / float64(t.Interval)) })
}

func weighing(s ratelimit.State, t ratelimit.Take, weigh func(previous, overlap float64) float64) ratelimit.Outcome {
	o, w := ratelimit.SlidingWindow.Step(s, t), newestOf(s, t)
	if overlap := (w.number+1)*t.Interval - t.Now; o.Accepted && overlap <= t.Interval {
		weighted := int64(math.Ceil(weigh(float64(w.previous), float64(overlap))))
		o.Remaining = max(0, t.Limit-w.current-t.Cost-weighted)
	}
	return o
}

// floatingWait is right but for the wait until enough has faded.
func floatingWait(s ratelimit.State, t ratelimit.Take) ratelimit.Outcome {
	o, w := ratelimit.SlidingWindow.Step(s, t), newestOf(s, t)
	if o.RetryAfter <= 0 {
		return o
	}
	end, fading, room := (w.number+1)*t.Interval, w.previous, t.Limit-w.current-t.Cost
	if room < 0 {
		end, fading, room = end+t.Interval, w.current, t.Limit-t.Cost
	}
	o.RetryAfter = end - int64(float64(room)*float64(t.Interval)/float64(fading)) - t.Now
	return o
}

// newestOf is the newest window of a state.
func newestOf(s ratelimit.State, t ratelimit.Take) windows {
	return newest(windows{number: s[0] / t.Interval, current: s[1], previous: s[2]}, t, t.Now)
}

// floatingBucket is right but for a division that is not exact.
func floatingBucket(s ratelimit.State, t ratelimit.Take) ratelimit.Outcome {
	o := ratelimit.TokenBucket.Step(s, t)
	if passed := t.Now - s[0]; o.Accepted && s != (ratelimit.State{}) && passed > 0 && passed < t.Interval {
		debt := float64(s[1]) + float64(s[2])/float64(t.Interval) - float64(t.Limit)*float64(passed)/float64(t.Interval)
		o.Remaining = max(0, t.Limit-t.Cost-int64(math.Ceil(max(0, debt))))
	}
	return o
}
