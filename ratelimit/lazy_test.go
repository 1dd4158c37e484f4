package ratelimit_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

var oneTake = ratelimit.Take{Limit: 5, Cost: 1, Interval: 1e6}

func TestALazyStorageIsOpenedWhenItIsNeeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := errors.New("connection refused")
		attempts, err := 0, down
		s := ratelimit.Lazy(func(context.Context) (ratelimit.Storage, error) { attempts++; return &fakeStorage{}, err })
		ask := func() error {
			_, err := s.Consume(t.Context(), []byte("x:y"), ratelimit.FixedWindow, oneTake)
			return err
		}
		require.Zero(t, attempts) // RL-170
		for range 10 {
			got := ask()
			require.ErrorIs(t, got, ratelimit.ErrUnavailable) // RL-171
			require.ErrorIs(t, got, down)
		}
		require.Equal(t, 1, attempts) // RL-173
		time.Sleep(time.Second)
		require.Error(t, ask())
		require.Equal(t, 2, attempts) // RL-173
		err = nil
		require.Error(t, ask(), "the failure is remembered")
		time.Sleep(time.Second)
		require.NoError(t, ask()) // RL-173
		require.NoError(t, ask())
		require.Equal(t, 3, attempts)
	})
}

func TestNobodyWaitsForALazyStorageButTheOneThatOpensIt(t *testing.T) { // peer 74
	synctest.Test(t, func(t *testing.T) {
		s := ratelimit.Lazy(func(ctx context.Context) (ratelimit.Storage, error) { <-ctx.Done(); return nil, ctx.Err() })
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		first := make(chan error, 1)
		go func() {
			_, err := s.Consume(ctx, []byte("x:y"), ratelimit.FixedWindow, oneTake)
			first <- err
		}()
		synctest.Wait()
		start := time.Now()
		_, err := s.Consume(t.Context(), []byte("x:y"), ratelimit.FixedWindow, oneTake)
		require.ErrorIs(t, err, ratelimit.ErrUnavailable)
		require.Zero(t, time.Since(start))
		require.ErrorIs(t, <-first, context.DeadlineExceeded)
		_, err = s.Consume(t.Context(), []byte("x:y"), ratelimit.FixedWindow, oneTake)
		require.ErrorIs(t, err, ratelimit.ErrUnavailable, "one request's deadline is an outage to the next")
	})
}

func TestACanceledAttemptDoesNotCount(t *testing.T) {
	s := ratelimit.Lazy(func(ctx context.Context) (ratelimit.Storage, error) { return &fakeStorage{}, ctx.Err() })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Consume(ctx, []byte("x:y"), ratelimit.FixedWindow, oneTake)
	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorIs(t, err, ratelimit.ErrUnavailable)
	_, err = s.Consume(t.Context(), []byte("x:y"), ratelimit.FixedWindow, oneTake)
	require.NoError(t, err)
}

func TestALazyStorageThatIsABugStaysOne(t *testing.T) {
	none := ratelimit.Lazy(func(context.Context) (ratelimit.Storage, error) { return nil, nil })
	_, err := none.Consume(t.Context(), []byte("x:y"), ratelimit.FixedWindow, oneTake)
	require.ErrorIs(t, err, ratelimit.ErrBug)

	for _, opened := range []ratelimit.Storage{(*fakeStorage)(nil), &faultyStorage{}} {
		faulty := ratelimit.Lazy(func(context.Context) (ratelimit.Storage, error) { return opened, nil })
		for range 2 {
			_, err = faulty.Consume(t.Context(), []byte("x:y"), ratelimit.FixedWindow, oneTake)
			require.ErrorIs(t, err, ratelimit.ErrBug, "it does not count as opened")
		}
	}

	panics := ratelimit.Lazy(func(context.Context) (ratelimit.Storage, error) { panic("boom") })
	require.Panics(t, func() { _, _ = panics.Consume(t.Context(), []byte("x:y"), ratelimit.FixedWindow, oneTake) })
	_, err = panics.Consume(t.Context(), []byte("x:y"), ratelimit.FixedWindow, oneTake)
	require.ErrorIs(t, err, ratelimit.ErrBug)

	p := ratelimit.Policy{Limit: 1, Interval: time.Second, Storage: ratelimit.Lazy(nil)}
	require.EqualError(t, p.Validate(), "storage: the function is nil")
}
