package onredis

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sallyport-go/sallyport/ratelimit"
	"github.com/sallyport-go/sallyport/ratelimit/redisstorage"
)

// ask is one request of a caller: by one limit, or by three, the last of which
// all callers share.
type ask func(ctx context.Context, address, user string) (bool, error)

// A limiter asks one limit or three.
type limiter struct {
	name string
	open func(c redis.UniversalClient, limits int) (worker func() ask, err error)
}

// patience is long, so that a busy machine is not taken for an outage.
const patience = time.Minute

func ours(a ratelimit.BuiltIn) limiter {
	return limiter{"sallyport, " + a.Name(), func(c redis.UniversalClient, limits int) (func() ask, error) {
		return openOurs(redisstorage.New(c, redisstorage.Options{OneNode: true, Timeout: patience}), a, limits)
	}}
}

// openOurs is what a program without a presenter does. All keys are texts, as
// those of the peers.
func openOurs(s ratelimit.Storage, a ratelimit.Algorithm, limits int) (func() ask, error) {
	keys := []ratelimit.Key{
		ratelimit.Endpoint,
		ratelimit.KeyFunc(func(_ context.Context, rc *ratelimit.Context) (string, bool, error) { return rc.Identity, true, nil }),
		ratelimit.KeyFunc(func(context.Context, *ratelimit.Context) (string, bool, error) { return "all", true, nil }),
	}
	var chain []ratelimit.Limiter
	for i, name := range []string{"perIp", "perUser", "global"}[:limits] {
		l, err := ratelimit.NewLimiter(ratelimit.Policy{
			Name: name, Algorithm: a, Limit: ratelimit.MaxLimit, Interval: time.Hour, Key: keys[i], OnStorageFailure: ratelimit.FailClosed,
		}, ratelimit.Options{Storage: s, Budget: patience})
		if err != nil {
			return nil, err
		}
		chain = append(chain, l)
	}
	l := chain[0]
	if limits > 1 {
		l = ratelimit.Chain(chain...)
	}
	return func() ask {
		rc, room := &ratelimit.Context{}, make([]ratelimit.Result, 0, limits)
		return func(ctx context.Context, address, user string) (bool, error) {
			rc.Endpoint, rc.Identity = address, user
			results, err := l.Consume(ctx, rc, 1, room)
			if err != nil {
				return false, err
			}
			if len(results) != limits {
				return false, fmt.Errorf("%d of %d limits were asked", len(results), limits)
			}
			return ratelimit.Refused(results) == nil, nil
		}
	}, nil
}

// bare is the smallest script there is.
var bare = limiter{"EVALSHA of \"return 1\"", func(c redis.UniversalClient, _ int) (func() ask, error) {
	sha, err := c.ScriptLoad(context.Background(), "return 1").Result()
	if err != nil {
		return nil, err
	}
	return func() ask {
		return func(ctx context.Context, address, _ string) (bool, error) {
			n, err := c.EvalSha(ctx, sha, []string{"bare:" + address}).Int()
			return n == 1, err
		}
	}, nil
}}

// bareScript sends what our sliding window sends, with nothing around it.
var bareScript = limiter{"EVALSHA of our script", func(c redis.UniversalClient, _ int) (func() ask, error) {
	const sample = "192.0.2.1"
	r := &recorder{client: c}
	open, err := openOurs(redisstorage.NewEvaluator(r, redisstorage.Options{Timeout: patience}), ratelimit.SlidingWindow, 1)
	if err != nil {
		return nil, err
	}
	if _, err := open()(context.Background(), sample, ""); err != nil {
		return nil, err
	}
	before, after, ok := strings.Cut(r.key, sample)
	if !ok {
		return nil, errors.New("the key of a counter does not hold the key of the limit")
	}
	return func() ask {
		return func(ctx context.Context, address, _ string) (bool, error) {
			reply, err := c.EvalSha(ctx, r.sha, []string{before + address + after}, r.args...).Slice()
			return len(reply) > 0, err
		}
	}, nil
}}

// recorder keeps what it was asked to run last.
type recorder struct {
	client redis.UniversalClient
	sha    string
	key    string
	args   []any
}

func (r *recorder) Evaluate(ctx context.Context, s *redisstorage.Script, keys []string, args []any) (any, error) {
	r.sha, r.key, r.args = s.SHA1(), keys[0], args
	return r.client.Eval(ctx, s.Text(), keys, args...).Result()
}
