package keys_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/bench/internal/keys"
)

func TestKeysAreDistinct(t *testing.T) {
	const n = 200_000
	seen := make(map[string]bool, n)
	for i, key := range keys.List(n) {
		require.Equal(t, keys.String(i), key)
		seen[key] = true
	}
	require.Len(t, seen, n)
	require.Equal(t, "10.0.0.0", keys.String(0))
	require.NotEqual(t, keys.String(0), keys.String(keys.Most-1))
}

func TestOrderHasAllNumbersAndIsAlwaysTheSame(t *testing.T) {
	order := keys.Order(1000)
	require.Equal(t, keys.Order(1000), order)
	seen := map[int]bool{}
	for _, i := range order {
		seen[i] = true
	}
	require.Len(t, seen, 1000)
}
