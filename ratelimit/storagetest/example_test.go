package storagetest_test

import (
	"context"
	"hash/maphash"
	"sync"
	"testing"
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
	"github.com/sallyport-go/sallyport/ratelimit/storagetest"
)

// Table is a storage of one's own: it has Load and Save, and locks that make it
// exact. It never removes anything.
type Table struct {
	seed  maphash.Seed
	locks [64]chan struct{} // whoever has put something in has the lock
	rows  sync.Map
}

type row struct {
	state   ratelimit.State
	expires time.Time
}

func NewTable() *Table {
	t := &Table{seed: maphash.MakeSeed()}
	for i := range t.locks {
		t.locks[i] = make(chan struct{}, 1)
	}
	return t
}

func (t *Table) Load(_ context.Context, key string, now time.Time) (ratelimit.State, error) {
	if r, ok := t.rows.Load(key); ok && now.Before(r.(row).expires) {
		return r.(row).state, nil
	}
	return ratelimit.State{}, nil
}

func (t *Table) Save(_ context.Context, key string, s ratelimit.State, ttl time.Duration, now time.Time) error {
	t.rows.Store(key, row{s, now.Add(ttl)})
	return nil
}

// Lock excludes all others from a counter, and from some more. It waits no longer
// than the request does.
func (t *Table) Lock(ctx context.Context, key string) (unlock func(), err error) {
	lock := t.locks[maphash.String(t.seed, key)%uint64(len(t.locks))]
	select {
	case lock <- struct{}{}:
		return func() { <-lock }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// OneByOne is an algorithm of one's own: it admits one request after each pause
// of a tenth of the interval.
type OneByOne struct{}

func (OneByOne) Name() string { return "oneByOne" }

func (OneByOne) Step(s ratelimit.State, t ratelimit.Take) ratelimit.Outcome {
	pause := t.Interval / 10
	wait := int64(0)
	if s[1] == 1 { // else there is no state: the time can be 0, the mark cannot
		wait = max(0, s[0]+pause-t.Now)
	}
	d := ratelimit.Decision{ResetAfter: wait, RetryAfter: wait}
	switch {
	case t.Cost > t.Limit:
		d.RetryAfter = ratelimit.NeverMicros
	case t.Cost == 0:
		d.Accepted, d.RetryAfter = true, ratelimit.NoRetryMicros
	case wait == 0:
		d = ratelimit.Decision{Accepted: true, ResetAfter: pause, RetryAfter: ratelimit.NoRetryMicros}
		return ratelimit.Outcome{Decision: d, State: ratelimit.State{t.Now, 1}, TTL: pause}
	}
	return ratelimit.Outcome{Decision: d}
}

// A test of the package that has the storage calls Run. Here it is held in a
// variable, so that this page shows it all.
func ExampleRun() {
	var TestTable = func(t *testing.T) {
		open := func(testing.TB) ratelimit.Storage {
			table := NewTable()
			return ratelimit.FromKeyValue(table, ratelimit.KeyValueOptions{Lock: table.Lock})
		}
		storagetest.Run(t, open, storagetest.Options{
			Algorithms: []ratelimit.Algorithm{OneByOne{}},
		})
	}
	_ = TestTable
}
