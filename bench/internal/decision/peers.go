package decision

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/go-chi/httprate"
	echo "github.com/labstack/echo/v4/middleware"
	"github.com/sethvargo/go-limiter/memorystore"
	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/memstore"
	ulule "github.com/ulule/limiter/v3"
	"github.com/ulule/limiter/v3/drivers/store/memory"
	"golang.org/x/time/rate"
)

// A limiter keeps one limit for every key.
type limiter struct {
	name  string
	open  func(quota int64) (limit, error) // so many a day
	extra bool                             // it has no bar
	slow  bool                             // never the best one with many keys

	givesUp bool // it fails when several goroutines ask for one key
}

// limit is an open limiter.
type limit struct {
	worker func() take // of one goroutine
	stop   func()      // nil: there is nothing to stop
}

// take asks for one request and tells whether it is admitted.
type take func(key string) (bool, error)

// many cannot be used up, by whatever a run does.
const many = 1_000_000_000

const day = 24 * time.Hour

// peers are what else keeps a limit for every key in the memory of a process.
var peers = []limiter{
	{name: "x/time/rate in a sync.Map", open: openRate},
	{name: "echo", open: openEcho},
	{name: "sethvargo", open: openSethvargo},
	{name: "ulule", open: openUlule, slow: true},
	{name: "throttled", open: openThrottled, givesUp: true},
	{name: "httprate", open: openHTTPRate, slow: true},
}

func shared(t take) limit { return limit{worker: func() take { return t }} }

// perSecond is a rate that refills as slowly as a day does when little is
// admitted, and that nothing uses up otherwise.
func perSecond(quota int64) rate.Limit {
	if quota == many {
		return many
	}
	return rate.Limit(float64(quota) / day.Seconds())
}

func openRate(quota int64) (limit, error) {
	var limits sync.Map
	return shared(func(key string) (bool, error) {
		l, ok := limits.Load(key)
		if !ok {
			l, _ = limits.LoadOrStore(key, rate.NewLimiter(perSecond(quota), int(quota)))
		}
		return l.(*rate.Limiter).Allow(), nil //nolint:forcetypeassert // nothing else is stored
	}), nil
}

func openEcho(quota int64) (limit, error) {
	store := echo.NewRateLimiterMemoryStoreWithConfig(echo.RateLimiterMemoryStoreConfig{
		Rate: perSecond(quota), Burst: int(quota), ExpiresIn: day,
	})
	return shared(store.Allow), nil
}

func openSethvargo(quota int64) (limit, error) {
	store, err := memorystore.New(&memorystore.Config{Tokens: uint64(quota), Interval: day})
	if err != nil {
		return limit{}, err
	}
	ctx := context.Background()
	l := shared(func(key string) (bool, error) {
		_, _, _, ok, err := store.Take(ctx, key)
		return ok, err
	})
	l.stop = func() { _ = store.Close(ctx) }
	return l, nil
}

func openUlule(quota int64) (limit, error) {
	l := ulule.New(memory.NewStore(), ulule.Rate{Limit: quota, Period: day})
	ctx := context.Background()
	return shared(func(key string) (bool, error) {
		state, err := l.Get(ctx, key)
		return !state.Reached, err
	}), nil
}

func openThrottled(quota int64) (limit, error) {
	store, err := memstore.NewCtx(0)
	if err != nil {
		return limit{}, err
	}
	q := throttled.RateQuota{MaxRate: throttled.PerDay(1), MaxBurst: int(quota) - 1}
	if quota == many {
		q.MaxRate = throttled.PerSec(many) // a day of bursts is beyond what it can count
	}
	l, err := throttled.NewGCRARateLimiterCtx(store, q)
	if err != nil {
		return limit{}, err
	}
	ctx := context.Background()
	return shared(func(key string) (bool, error) {
		limited, _, err := l.RateLimitCtx(ctx, key, 1)
		return !limited, err
	}), nil
}

// openHTTPRate asks as its handler does; what it sets in the header cannot be
// left out.
func openHTTPRate(quota int64) (limit, error) {
	l := httprate.NewRateLimiter(int(quota), day)
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "/", http.NoBody)
	if err != nil {
		return limit{}, err
	}
	return limit{worker: func() take {
		w := &headers{fields: http.Header{}}
		return func(key string) (bool, error) {
			limited := l.OnLimit(w, r, key)
			if w.status != 0 {
				return false, fmt.Errorf("httprate has answered %d", w.status)
			}
			return !limited, nil
		}
	}}, nil
}

// headers is an answer of which nothing but the header is kept.
type headers struct {
	fields http.Header
	status int
}

func (h *headers) Header() http.Header         { return h.fields }
func (h *headers) WriteHeader(status int)      { h.status = status }
func (h *headers) Write(b []byte) (int, error) { return len(b), nil }
