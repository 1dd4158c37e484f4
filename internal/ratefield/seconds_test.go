package ratefield_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/ratefield"
)

func TestSecondsAndRetryAfter(t *testing.T) {
	for _, tc := range []struct {
		wait                time.Duration
		seconds, retryAfter int64
	}{
		{math.MinInt64, 0, 0},
		{-time.Second, 0, 0}, // RL-245
		{-1, 0, 0},           // RL-245
		{0, 0, 1},
		{1, 1, 1},                      // RL-195
		{200 * time.Millisecond, 1, 1}, // RL-195, peer 37
		{time.Second, 1, 1},
		{time.Second + 1, 2, 2},         // RL-195
		{1900 * time.Millisecond, 2, 2}, // RL-195, peer 37
		{41200 * time.Millisecond, 42, 42},
		{time.Hour, 3600, 3600},
		{math.MaxInt64, 9223372037, 9223372037},
	} {
		t.Run(tc.wait.String(), func(t *testing.T) {
			require.Equal(t, tc.seconds, ratefield.Seconds(tc.wait))
			require.Equal(t, tc.retryAfter, ratefield.RetryAfter(tc.wait))
		})
	}
}
