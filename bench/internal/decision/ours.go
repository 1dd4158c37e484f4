package decision

import (
	"context"
	"fmt"
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// ours is a limiter of Sallyport. All are given their key as text, as the peers
// are: the counter of an endpoint with that name.
func ours(name string, a ratelimit.Algorithm, ownClock bool) limiter {
	return limiter{name: name, open: func(quota int64) (limit, error) {
		l, err := ratelimit.NewLimiter(ratelimit.Policy{
			Name: "perKey", Algorithm: a, Limit: quota, Interval: day, Key: ratelimit.Endpoint,
		}, ratelimit.Options{})
		if err != nil {
			return limit{}, err
		}
		ctx := context.Background()
		return limit{worker: func() take {
			rc, room, now := &ratelimit.Context{}, make([]ratelimit.Result, 0, 1), noon
			return func(key string) (bool, error) {
				rc.Endpoint = key
				if !ownClock {
					now = now.Add(time.Microsecond)
					rc.Now = now
				}
				results, err := l.Consume(ctx, rc, 1, room)
				if err != nil || len(results) != 1 {
					return false, fmt.Errorf("%d results: %w", len(results), err)
				}
				return results[0].Accepted, nil
			}
		}}, nil
	}}
}

// noon is the time of callers that tell it: in the middle of a window of a day.
var noon = time.Date(2027, 1, 1, 12, 0, 0, 0, time.UTC)

const (
	inPresenter = "sallyport, the time is given"
	alone       = "sallyport"
)

// own are the limiters of Sallyport: the default algorithm in both ways, and the
// others as they are alone.
var own = []limiter{
	ours(inPresenter, ratelimit.SlidingWindow, false),
	ours(alone, ratelimit.SlidingWindow, true),
	extra(ours("sallyport, fixed window", ratelimit.FixedWindow, true)),
	extra(ours("sallyport, token bucket", ratelimit.TokenBucket, true)),
}

func extra(l limiter) limiter {
	l.extra = true
	return l
}
