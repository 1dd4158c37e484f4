package ratelimit_test

import (
	"context"
	"errors"
	"net/http"
	"runtime"
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
		first := make(chan error, 1)
		go func() {
			_, err := s.Consume(t.Context(), []byte("x:y"), ratelimit.FixedWindow, oneTake)
			first <- err
		}()
		synctest.Wait()
		start := time.Now()
		_, err := s.Consume(t.Context(), []byte("x:y"), ratelimit.FixedWindow, oneTake)
		require.ErrorIs(t, err, ratelimit.ErrUnavailable)
		require.Zero(t, time.Since(start))

		err = <-first
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, err, ratelimit.ErrUnavailable, "the request's own time is not over")
		require.Equal(t, 10*time.Second, time.Since(start))
		_, again := s.Consume(t.Context(), []byte("x:y"), ratelimit.FixedWindow, oneTake)
		require.Equal(t, err, again)
	})
}

func TestALazyStorageMayTakeLongerThanARequest(t *testing.T) {
	for _, tc := range []struct {
		name    string
		context func(t *testing.T) (context.Context, context.CancelFunc)
		want    error
	}{
		{"the budget of a gate", func(t *testing.T) (context.Context, context.CancelFunc) {
			return context.WithTimeout(t.Context(), 50*time.Millisecond)
		}, context.DeadlineExceeded},
		{"a client that goes away", func(t *testing.T) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(50*time.Millisecond, cancel)
			return ctx, cancel
		}, context.Canceled},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				attempts := 0
				s := ratelimit.Lazy(func(ctx context.Context) (ratelimit.Storage, error) {
					attempts++
					require.Equal(t, "of the request", ctx.Value(lazyValue{}))
					select {
					case <-time.After(80 * time.Millisecond):
						return &fakeStorage{}, nil
					case <-ctx.Done():
						return nil, ctx.Err()
					}
				})
				ctx, cancel := tc.context(t)
				defer cancel()
				start := time.Now()
				_, err := s.Consume(context.WithValue(ctx, lazyValue{}, "of the request"), []byte("x:y"), ratelimit.FixedWindow, oneTake)
				require.Equal(t, tc.want, err)
				require.Equal(t, 50*time.Millisecond, time.Since(start))

				time.Sleep(30 * time.Millisecond)
				synctest.Wait()
				_, err = s.Consume(t.Context(), []byte("x:y"), ratelimit.FixedWindow, oneTake)
				require.NoError(t, err)
				require.Equal(t, 1, attempts)
			})
		})
	}
}

type lazyValue struct{}

func TestClientsThatGoAwayMakeNoMoreAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		attempts := 0
		s := ratelimit.Lazy(func(ctx context.Context) (ratelimit.Storage, error) {
			attempts++
			time.Sleep(20 * time.Millisecond)
			return nil, errors.New("connection refused")
		})
		for range 200 { // for 2 seconds: an attempt, a pause, another attempt and its pause
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			_, err := s.Consume(ctx, []byte("x:y"), ratelimit.FixedWindow, oneTake)
			require.Error(t, err)
			cancel()
			_, err = s.Consume(ctx, []byte("x:y"), ratelimit.FixedWindow, oneTake)
			require.Equal(t, ctx.Err(), err)
			time.Sleep(9 * time.Millisecond)
		}
		require.Equal(t, 2, attempts)
		time.Sleep(time.Second)
	})
}

func TestARequestThatHasEndedOpensNothing(t *testing.T) {
	attempts := 0
	s := ratelimit.Lazy(func(context.Context) (ratelimit.Storage, error) { attempts++; return &fakeStorage{}, nil })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Consume(ctx, []byte("x:y"), ratelimit.FixedWindow, oneTake)
	require.Equal(t, context.Canceled, err)
	require.Zero(t, attempts)
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

	for _, value := range []any{"boom", http.ErrAbortHandler} {
		panics := ratelimit.Lazy(func(context.Context) (ratelimit.Storage, error) { panic(value) })
		require.PanicsWithValue(t, value, func() { _, _ = panics.Consume(t.Context(), []byte("x:y"), ratelimit.FixedWindow, oneTake) })
		_, err = panics.Consume(t.Context(), []byte("x:y"), ratelimit.FixedWindow, oneTake)
		require.ErrorIs(t, err, ratelimit.ErrBug)
		var panicked *ratelimit.PanicError
		require.ErrorAs(t, err, &panicked)
		require.Contains(t, string(panicked.Stack), "lazy_test.go")
	}

	exits := ratelimit.Lazy(func(context.Context) (ratelimit.Storage, error) { runtime.Goexit(); return nil, nil })
	_, err = exits.Consume(t.Context(), []byte("x:y"), ratelimit.FixedWindow, oneTake)
	require.ErrorIs(t, err, ratelimit.ErrBug)

	p := ratelimit.Policy{Limit: 1, Interval: time.Second, Storage: ratelimit.Lazy(nil)}
	require.EqualError(t, p.Validate(), "storage: the function is nil")
}
