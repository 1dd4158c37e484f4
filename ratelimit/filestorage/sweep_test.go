package filestorage

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// at asks for new counters at a time after noon, as others would.
func at(t *testing.T, s *Storage, after time.Duration, name string, keys int) {
	t.Helper()
	for i := range keys {
		r := take(10)
		r.Now += after.Microseconds()
		_, err := s.Consume(t.Context(), fmt.Appendf(nil, "policy:%s%d", name, i), ratelimit.FixedWindow, r)
		require.NoError(t, err)
	}
}

func counters(t *testing.T, s *Storage) []string {
	t.Helper()
	return files(t, filepath.Join(s.dir, "counters"))
}

// RL-140
func TestExpiredFilesAreRemoved(t *testing.T) {
	s := New(t.TempDir(), Options{NoLock: true})
	at(t, s, 0, "old", 2000)
	require.Equal(t, 2000, len(counters(t, s)), "nothing has expired") //nolint:testifylint // the list is too long to be shown
	at(t, s, time.Minute, "new", 1)
	require.GreaterOrEqual(t, len(counters(t, s)), 2001-sweepFiles, "a request removes a few")
	at(t, s, time.Minute, "new", 4000)
	require.Equal(t, 4000, len(counters(t, s)), "the new ones alone are left") //nolint:testifylint // as above
}

// A folder with more files than are read at once is read on where it was left.
func TestSweepOfLargeFolders(t *testing.T) {
	s := New(t.TempDir(), Options{NoLock: true})
	slot := &s.slots[0]
	folder := s.folder(64)
	require.NoError(t, os.MkdirAll(folder, 0o700))
	const all = 2*sweepNames + 10
	for i := range all {
		expires := noon.UnixMicro()
		if i%2 == 0 {
			expires++
		}
		require.NoError(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("%062x", i)), stored{expires: expires}.encode(), 0o600))
	}
	for range all/sweepFiles + 3 {
		s.sweep(slot, noon.UnixMicro(), sweepFiles)
	}
	require.Len(t, counters(t, s), all/2)
	require.Nil(t, slot.sweep.folder, "it was closed")
}

func TestFilesThatWereNeverFinishedAreRemoved(t *testing.T) {
	s := New(t.TempDir(), Options{NoLock: true})
	s.system.now = func() time.Time { return noon }
	slot, folder := &s.slots[0], s.folder(0)
	require.NoError(t, os.MkdirAll(folder, 0o700))
	atWork := strings.Repeat("1", 62) + ".1"
	for name, age := range map[string]time.Duration{strings.Repeat("0", 62) + ".killed": 2 * time.Minute, atWork: time.Second} {
		path := filepath.Join(folder, name+temporary)
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		require.NoError(t, os.Chtimes(path, noon, noon.Add(-age)))
	}
	for range folders / slots {
		s.sweep(slot, noon.UnixMicro(), sweepFiles)
	}
	require.Equal(t, []string{filepath.Join(folder, atWork+temporary)}, counters(t, s))
}

// RL-141
func TestClear(t *testing.T) {
	dir := t.TempDir()
	s := New(dir, Options{})
	require.NoError(t, s.Clear(t.Context()), "there is nothing")
	for i := range 500 {
		ask(t, s, fmt.Sprint("policy:", i))
	}
	require.NoError(t, New(dir, Options{}).Clear(t.Context()))
	require.Empty(t, counters(t, s))
	require.EqualValues(t, 9, ask(t, s, "policy:7"), "it goes on, from the beginning")
}

func TestClearStops(t *testing.T) {
	s := New(t.TempDir(), Options{LockTimeout: time.Millisecond})
	ask(t, s, "policy:key")
	release := hold(t, s)
	require.ErrorIs(t, s.Clear(t.Context()), ratelimit.ErrUnavailable)
	release()

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(t, context.Canceled, s.Clear(ended))
	require.Len(t, counters(t, s), 1)

	require.NoError(t, os.Remove(fileOf(s).file))
	require.NoError(t, os.MkdirAll(filepath.Join(fileOf(s).file, "file"), 0o700))
	require.ErrorIs(t, s.Clear(t.Context()), ratelimit.ErrUnavailable)
}
