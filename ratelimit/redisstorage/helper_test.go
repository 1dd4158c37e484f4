package redisstorage_test

import (
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sallyport-go/sallyport/internal/redistest"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// sharedAddr is the server of all tests that do it no harm.
var sharedAddr string

func TestMain(m *testing.M) { os.Exit(redistest.Shared(m, &sharedAddr)) }

var prefixes atomic.Int64

// freshPrefix is a prefix that no other test has.
func freshPrefix() string { return fmt.Sprintf("test%d:", prefixes.Add(1)) } // RL-278

// connect opens a client that the test closes.
func connect(t testing.TB, addr string) *redis.Client {
	c := redis.NewClient(&redis.Options{Addr: addr, ContextTimeoutEnabled: true, DialerRetries: 1})
	t.Cleanup(func() { c.Close() })
	return c
}

// now is the time of the tests where it does not matter.
const now = 1_700_000_000_000_000

func take(limit, cost int64) ratelimit.Take {
	return ratelimit.Take{Limit: limit, Cost: cost, Interval: time.Minute.Microseconds(), Now: now}
}

func item(key string, a ratelimit.Algorithm, t ratelimit.Take) ratelimit.Item {
	return ratelimit.Item{Key: []byte(key), Algorithm: a, Take: t}
}

func accepted(remaining, resetAfter int64) ratelimit.Decision {
	return ratelimit.Decision{Accepted: true, Remaining: remaining, ResetAfter: resetAfter, RetryAfter: ratelimit.NoRetryMicros}
}
