package storagetest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A limit of 4 in 10, and what was accepted up to the last event.
func TestPromises(t *testing.T) {
	for _, tc := range []struct {
		name     string
		kept     func(accepted []event, limit, interval int64) bool
		accepted []event
		want     bool
	}{
		{"two full windows around an edge", windowsKept, []event{{9, 4}, {10, 4}}, true},
		{"one too many in a window", windowsKept, []event{{10, 2}, {19, 3}}, false},
		{"half of the window before has faded", fadingKept, []event{{9, 4}, {15, 2}}, true},
		{"less than half has faded", fadingKept, []event{{9, 4}, {14, 2}}, false},
		{"the window before that does not count", fadingKept, []event{{9, 4}, {20, 4}}, true},
		{"a burst and what was refilled", refillKept, []event{{0, 4}, {5, 2}}, true},
		{"a burst and more", refillKept, []event{{0, 4}, {4, 2}}, false},
		{"too many somewhere in the middle", refillKept, []event{{0, 1}, {100, 3}, {101, 2}}, false},
		{"the first one", gapKept, []event{{0, 1}}, true},
		{"a gap of 2.5", gapKept, []event{{0, 1}, {3, 1}}, true},
		{"less than a gap", gapKept, []event{{0, 1}, {3, 1}, {5, 1}}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, tc.want, tc.kept(tc.accepted, 4, 10))
		})
	}
}
