package ratelimit

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTheSystemClockTellsTheTime(t *testing.T) {
	c := newSystemClock()
	require.WithinDuration(t, time.Now(), c.Now(), time.Second)
	synctest.Test(t, func(t *testing.T) {
		for range 3 * lookEvery / time.Millisecond {
			require.Equal(t, time.Now().UnixMicro(), c.micros())
			require.True(t, c.Now().Equal(time.Now().Truncate(time.Microsecond)))
			time.Sleep(time.Millisecond)
		}
	})
	require.WithinDuration(t, time.Now(), c.Now(), time.Second)
}

func TestTheSystemClockSeesThatItWasSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newSystemClock()
		for _, by := range []time.Duration{time.Hour, -time.Hour} {
			c.look()
			c.ahead.Add(int64(by)) // as if the wall clock had been that much ahead
			time.Sleep(lookEvery - time.Nanosecond)
			require.Equal(t, time.Now().Add(by).UnixMicro(), c.micros())
			time.Sleep(time.Nanosecond)
			require.Equal(t, time.Now().UnixMicro(), c.micros())
		}
	})
}
