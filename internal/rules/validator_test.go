package rules

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A value that validator panics on keeps no rule.
func TestPanicsOfValidator(t *testing.T) {
	require.True(t, holds([]any{1, 2}, "unique"))
	require.False(t, holds([]any{[]any{}}, "unique"))
	require.False(t, holds(func() {}, "min=1"))
	require.True(t, holdsBeside(2, 1, "gtfield"))
	require.False(t, holdsBeside(func() {}, func() {}, "gtfield"))
}
