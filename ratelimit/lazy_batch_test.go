package ratelimit_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

func lazily(s ratelimit.Storage) ratelimit.Storage {
	return ratelimit.Lazy(func(context.Context) (ratelimit.Storage, error) { return s, nil })
}

// lazyChain is three limits on a storage that is opened by the first request.
func lazyChain(t *testing.T, s ratelimit.Storage) ratelimit.Limiter {
	t.Helper()
	o := ratelimit.Options{Storage: s, Clock: newHeldClock(), Logger: slog.New(slog.DiscardHandler), Budget: time.Minute}
	var limiters []ratelimit.Limiter
	for _, name := range []string{"a", "b", "c"} {
		limiters = append(limiters, newLimiter(t, ratelimit.Policy{Name: name, Limit: 5, Interval: time.Minute}, o))
	}
	return ratelimit.Chain(limiters...)
}

func TestALazyBatchStorageIsAskedOncePerGate(t *testing.T) {
	storage := &batchStorage{}
	chain := lazyChain(t, lazily(storage))
	for range 2 {
		results, err := chain.Consume(t.Context(), from("192.0.2.1"), 1, nil)
		require.NoError(t, err)
		require.Equal(t, []string{"a", "b", "c"}, policies(results))
	}
	require.Equal(t, []string{"a b c", "a b c"}, storage.calls)
}

func TestALazyStorageWithoutBatchesIsAskedInOrder(t *testing.T) {
	bug := errors.New("bug")
	for _, tc := range []struct {
		name   string
		second func() (ratelimit.Decision, error)
		asked  []string
		want   []string
		err    error // beside the results
		text   string
	}{
		{"all accept", func() (ratelimit.Decision, error) { return ratelimit.Decision{Accepted: true}, nil },
			[]string{"a", "b", "c"}, []string{"a", "b", "c"}, nil, ""},
		{"one refuses", func() (ratelimit.Decision, error) { return ratelimit.Decision{}, nil },
			[]string{"a", "b"}, []string{"a", "b"}, nil, ""},
		{"an outage in the middle passes", func() (ratelimit.Decision, error) { return ratelimit.Decision{}, ratelimit.Unavailable(nil) },
			[]string{"a", "b", "c"}, []string{"a", "c"}, nil, ""},
		{"a bug in the middle", func() (ratelimit.Decision, error) { return ratelimit.Decision{}, bug },
			[]string{"a", "b"}, []string{"a"}, bug, `ratelimit: policy "b": storage: bug`},
		{"a panic in the middle", func() (ratelimit.Decision, error) { panic("boom") },
			[]string{"a", "b"}, []string{"a"}, nil, `ratelimit: policy "b": storage: ratelimit: panic: boom`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			storage := &fakeStorage{answer: func(_ context.Context, key string) (ratelimit.Decision, error) {
				if strings.HasPrefix(key, "b:") {
					return tc.second()
				}
				return ratelimit.Decision{Accepted: true}, nil
			}}
			results, err := lazyChain(t, lazily(storage)).Consume(t.Context(), from("192.0.2.1"), 1, nil)
			var asked []string
			for _, key := range storage.keys {
				asked = append(asked, key[:1])
			}
			require.Equal(t, tc.asked, asked)
			require.Equal(t, tc.want, policies(results))
			if tc.text == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, tc.text)
			if tc.err != nil {
				require.ErrorIs(t, err, tc.err)
			}
		})
	}
}

func TestALazyStorageThatIsDownAnswersEveryLimit(t *testing.T) {
	attempts := 0
	down := ratelimit.Lazy(func(context.Context) (ratelimit.Storage, error) { attempts++; return nil, errors.New("refused") })
	results, err := lazyChain(t, down).Consume(t.Context(), from("192.0.2.1"), 1, nil)
	require.NoError(t, err)
	require.Empty(t, results)
	require.Equal(t, 1, attempts)
}

func TestALazyStorageIsPreparedWhenItIsOpened(t *testing.T) {
	storage := &batchStorage{}
	lazy := lazily(storage)
	chain := lazyChain(t, lazy)
	require.Empty(t, storage.groups)
	_, err := chain.Consume(t.Context(), from("192.0.2.1"), 1, nil)
	require.NoError(t, err)
	before := []string{"slidingWindow", "slidingWindow", "slidingWindow"} // each limiter was built alone
	require.Equal(t, before, storage.groups)

	newLimiter(t, ratelimit.Policy{Name: "late", Algorithm: ratelimit.TokenBucket, Limit: 5, Interval: time.Minute}, ratelimit.Options{Storage: lazy})
	require.Equal(t, append(before, "tokenBucket"), storage.groups, "an open one is asked at build")
}

// A group that is told while the storage is being prepared is not left out.
func TestALazyStorageIsPreparedForWhatComesMeanwhile(t *testing.T) {
	storage := &preparing{}
	lazy := lazily(storage).(interface {
		ratelimit.Storage
		ratelimit.Preparer
	})
	storage.meanwhile = func() error { return lazy.Prepare([]ratelimit.Algorithm{ratelimit.TokenBucket}) }
	require.NoError(t, lazy.Prepare([]ratelimit.Algorithm{ratelimit.FixedWindow}))
	_, err := lazy.Consume(t.Context(), []byte("x:y"), ratelimit.FixedWindow, oneTake)
	require.NoError(t, err)
	require.Equal(t, []string{"fixedWindow", "tokenBucket"}, storage.groups)
}

type preparing struct {
	batchStorage
	meanwhile func() error
}

func (p *preparing) Prepare(algorithms []ratelimit.Algorithm) error {
	if len(p.groups) == 0 {
		if err := p.meanwhile(); err != nil {
			return err
		}
	}
	return p.batchStorage.Prepare(algorithms)
}

func TestALazyStorageThatCannotRunAnAlgorithmIsABug(t *testing.T) {
	for name, storage := range map[string]ratelimit.Storage{
		"algorithm slidingWindow has no script": &batchStorage{unknown: "slidingWindow"},
		"it panics: ":                           panickingBuild{},
	} {
		chain := lazyChain(t, lazily(storage))
		for range 2 {
			_, err := chain.Consume(t.Context(), from("192.0.2.1"), 1, nil)
			require.ErrorIs(t, err, ratelimit.ErrBug)
			require.ErrorContains(t, err, "preparing the storage: "+name)
		}
	}
}
