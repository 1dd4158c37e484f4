package onredis

import (
	"context"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"
	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/goredisstore.v9"
	ulule "github.com/ulule/limiter/v3"
	ululeredis "github.com/ulule/limiter/v3/drivers/store/redis"
)

// Nothing uses up the quotas, and no state expires while it is measured.
var (
	redisRate = limiter{"redis_rate", func(c redis.UniversalClient, limits int) (func() ask, error) {
		l := redis_rate.NewLimiter(c)
		limit := redis_rate.Limit{Rate: 1000, Burst: 10_000_000, Period: time.Hour}
		return inTurn(limits, func(ctx context.Context, key string) (bool, error) {
			r, err := l.Allow(ctx, key, limit)
			return err == nil && r.Allowed == 1, err
		}), nil
	}}
	ululeStore = limiter{"ulule", func(c redis.UniversalClient, limits int) (func() ask, error) {
		store, err := ululeredis.NewStore(c)
		if err != nil {
			return nil, err
		}
		l := ulule.New(store, ulule.Rate{Limit: 1_000_000_000, Period: time.Hour})
		return inTurn(limits, func(ctx context.Context, key string) (bool, error) {
			r, err := l.Get(ctx, key)
			return !r.Reached, err
		}), nil
	}}
	throttledStore = limiter{"throttled", func(c redis.UniversalClient, limits int) (func() ask, error) {
		store, err := goredisstore.NewCtx(c, "throttled:")
		if err != nil {
			return nil, err
		}
		l, err := throttled.NewGCRARateLimiterCtx(store, throttled.RateQuota{MaxRate: throttled.PerHour(1000), MaxBurst: 1_000_000})
		if err != nil {
			return nil, err
		}
		return inTurn(limits, func(ctx context.Context, key string) (bool, error) {
			limited, _, err := l.RateLimitCtx(ctx, key, 1)
			return !limited, err
		}), nil
	}}
)

// inTurn asks one limit after the other, as peers without chains have to.
func inTurn(limits int, one func(ctx context.Context, key string) (bool, error)) func() ask {
	three := func(ctx context.Context, address, user string) (bool, error) {
		for _, key := range [3]string{"perIp:" + address, "perUser:" + user, "global:all"} {
			if ok, err := one(ctx, key); err != nil || !ok {
				return false, err
			}
		}
		return true, nil
	}
	if limits == 1 {
		return func() ask {
			return func(ctx context.Context, address, _ string) (bool, error) { return one(ctx, "perIp:"+address) }
		}
	}
	return func() ask { return three }
}
