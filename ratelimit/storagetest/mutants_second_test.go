package storagetest

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// A lock inside of one process protects a store that processes share from
// nobody else: only a second handle shows it.
func TestASecondHandle(t *testing.T) {
	const scenario = "crowd/"
	for _, tc := range []struct {
		name   string
		open   func() ratelimit.Storage
		second func(t testing.TB, first ratelimit.Storage) ratelimit.Storage
		found  bool
	}{
		{"the lock is in the store, one handle", func() ratelimit.Storage { return newStore() }, nil, false},
		{"the lock is in the store, two handles", func() ratelimit.Storage { return newStore() },
			func(_ testing.TB, first ratelimit.Storage) ratelimit.Storage { return first }, false},
		{"each handle has a lock, one handle", func() ratelimit.Storage { return newHandle(unlocked()) }, nil, false},
		{"each handle has a lock, two handles", func() ratelimit.Storage { return newHandle(unlocked()) },
			func(_ testing.TB, first ratelimit.Storage) ratelimit.Storage {
				return newHandle(first.(handle).shared)
			}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			found := findings(t, tc.open, Options{Seed: 1, Second: tc.second}, scenario)
			require.Equal(t, tc.found, len(found) > 0, found)
		})
	}
}

func unlocked() ratelimit.Storage { return withGap(runtime.Gosched)() }

// A second handle is told what it is going to be asked, too.
func TestASecondHandleIsPrepared(t *testing.T) {
	second := func(testing.TB, ratelimit.Storage) ratelimit.Storage { return picky{newStore()} }
	found := findings(t, func() ratelimit.Storage { return newStore() }, Options{Seed: 1, Second: second}, "crowd/one key/slidingWindow")
	require.Contains(t, found["crowd/one key/slidingWindow"], "cannot run slidingWindow")
}

// A smaller number of counters excuses a storage that has room for no more.
func TestFewerCounters(t *testing.T) {
	require.NotEmpty(t, findings(t, withRoom(600), Options{Seed: 1, Counters: 601}, "counters/many"))
	require.Empty(t, findings(t, withRoom(600), Options{Seed: 1, Counters: 600}, "counters/many"))
}
