package sallyport_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// closingStorage counts how often it is closed.
type closingStorage struct {
	ratelimit.Storage
	closed *int
}

func (s closingStorage) Close() error { *s.closed++; return nil }

func TestNoStorageStaysOpenBesideAMistake(t *testing.T) {
	for _, tc := range []struct {
		file           string
		want           []string
		opened, closed int
	}{
		{"rateLimiting: {storage: redis}", nil, 1, 0},
		{"rateLimiting: {storage: {name: redis, options: {address: x}}, prefix: 'a:'}", []string{
			"rateLimiting.prefix: line 1, column 71: the storage does not ask for a prefix"}, 1, 1},
		{"rateLimiting: {storage: {name: redis, options: {addressx: x}}}", []string{
			"rateLimiting.storage.options.addressx: line 1, column 49: there is no such option; did you mean address? known: address"}, 1, 1},
		{"rateLimiting: {storage: redis}\ndebug: 1", []string{"debug: line 2, column 8: 1: write true or false"}, 0, 0},
		{"rateLimiting: {storage: redis}\nrateLimits: {a: {limit: 1, interval: 1}}\ndefaults: {rateLimit: [a, a]}", []string{
			`defaults.rateLimit: line 3, column 23: the rate limit "a" stands twice in the list: it would count double`}, 0, 0},
		{"rateLimiting: {storage: {name: redis, options: {address: null}}}", []string{
			"rateLimiting.storage.options: line 1, column 58: nothing: write a text, a number, true or false"}, 0, 0},
	} {
		opened, closed := 0, 0
		parts := sallyport.Parts{Storages: map[string]sallyport.StorageFunc{"redis": func(c sallyport.StorageConfig) (ratelimit.Storage, error) {
			opened++
			c.Option("address")
			return closingStorage{ratelimit.NewMemory(ratelimit.MemoryOptions{}), &closed}, nil
		}}}
		if tc.want == nil {
			parse(t, tc.file, parts)
		} else {
			require.Equal(t, tc.want, mistakes(t, tc.file, parts), tc.file)
		}
		require.Equal(t, []int{tc.opened, tc.closed}, []int{opened, closed}, tc.file)
	}
}

// choosyStorage can count no limit.
type choosyStorage struct{ closingStorage }

func (choosyStorage) Prepare([]ratelimit.Algorithm) error { return errors.New("it cannot run this") }

func TestALimitThatTheStorageCannotCount(t *testing.T) {
	closed := 0
	parts := sallyport.Parts{Storages: map[string]sallyport.StorageFunc{"redis": func(sallyport.StorageConfig) (ratelimit.Storage, error) {
		return choosyStorage{closingStorage{ratelimit.NewMemory(ratelimit.MemoryOptions{}), &closed}}, nil
	}}}
	const file = "rateLimiting: {storage: redis}\ndefaults: {rateLimit: {limit: 1, interval: 1}}"
	list := mistakes(t, file, parts)
	require.Len(t, list, 1)
	require.Regexp(t, "^defaults.rateLimit: line 2, column 23: .*it cannot run this$", list[0])
	require.Equal(t, 1, closed)
}
