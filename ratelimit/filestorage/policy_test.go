//go:build unix

package filestorage

import (
	"bytes"
	"log/slog"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// RL-100
func TestFilesAreUsedWhenTheyAreChosen(t *testing.T) {
	s, _ := inTemp(t)
	policy := ratelimit.Policy{Name: "all", Limit: 1, Interval: time.Minute, Key: ratelimit.Endpoint}
	for _, row := range []struct {
		options ratelimit.Options
		files   int
	}{
		{ratelimit.Options{}, 0},
		{ratelimit.Options{Storage: s}, 2},
	} {
		l, err := ratelimit.NewLimiter(policy, row.options)
		require.NoError(t, err)
		results, err := l.Consume(t.Context(), &ratelimit.Context{Endpoint: "here"}, 1, nil)
		require.NoError(t, err)
		require.Len(t, results, 1)
		require.Len(t, files(t, os.Getenv("TMPDIR")), row.files)
	}
}

// RL-136
func TestPolicyPassesWhileALockIsBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(t.TempDir(), Options{LockTimeout: 20 * time.Millisecond})
		var log bytes.Buffer
		l, err := ratelimit.NewLimiter(
			ratelimit.Policy{Name: "all", Limit: 1, Interval: time.Minute, Key: ratelimit.Endpoint},
			ratelimit.Options{Storage: s, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		require.NoError(t, err)
		for i := range s.slots {
			defer occupy(t, &s.slots[i])()
		}
		results, err := l.Consume(t.Context(), &ratelimit.Context{Endpoint: "here"}, 1, nil)
		require.NoError(t, err)
		require.Empty(t, results, "no header fields")
		require.Contains(t, log.String(), "level=WARN")
		require.Contains(t, log.String(), "policy=all")
		require.Contains(t, log.String(), "a lock was busy for 20ms")
	})
}
