package ratelimit_test

import (
	"context"
	"fmt"
	"log"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// table is a KeyValue: a map here, a table of a database elsewhere.
type table struct {
	mu   sync.Mutex
	rows map[string]row
}

type row struct {
	state   ratelimit.State
	expires time.Time
}

// Load returns the zero State for a row that is not there or has expired.
func (t *table) Load(_ context.Context, key string, now time.Time) (ratelimit.State, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r := t.rows[key]; now.Before(r.expires) {
		return r.state, nil
	}
	return ratelimit.State{}, nil
}

// Save replaces the row. It would return the error of a database.
func (t *table) Save(_ context.Context, key string, s ratelimit.State, ttl time.Duration, now time.Time) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows[key] = row{s, now.Add(ttl)}
	return nil
}

// locks has a lock for each counter, which is waited for as long as the request
// may take.
type locks struct{ byKey sync.Map }

func (l *locks) lock(ctx context.Context, key string) (unlock func(), err error) {
	turn, _ := l.byKey.LoadOrStore(key, make(chan struct{}, 1))
	select {
	case turn.(chan struct{}) <- struct{}{}:
		return func() { <-turn.(chan struct{}) }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// With a lock around Load and Save the limit is exact: 50 requests at the same
// time, and 5 are admitted.
func ExampleFromKeyValue() {
	storage := ratelimit.FromKeyValue(&table{rows: map[string]row{}}, ratelimit.KeyValueOptions{Lock: new(locks).lock})
	limiter, err := ratelimit.NewTokenBucket("everybody", 5, 24*time.Hour, ratelimit.Endpoint,
		ratelimit.Options{Storage: storage, Budget: time.Minute})
	if err != nil {
		log.Fatal(err)
	}
	var admitted atomic.Int64
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() {
			results, err := limiter.Consume(context.Background(), &ratelimit.Context{Endpoint: "GET /search"}, 1, nil)
			if err == nil && ratelimit.Refused(results) == nil {
				admitted.Add(1)
			}
		})
	}
	group.Wait()
	fmt.Println(admitted.Load())
	// Output:
	// 5
}
