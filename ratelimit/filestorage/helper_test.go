package filestorage

import (
	"bytes"
	"context"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

var noon = time.Date(2026, time.December, 1, 12, 0, 0, 0, time.UTC)

// logged is a storage and what it has logged.
func logged(dir string, o Options) (*Storage, *bytes.Buffer) {
	var log bytes.Buffer
	o.Logger = slog.New(slog.NewTextHandler(&log, nil))
	return New(dir, o), &log
}

func take(limit int64) ratelimit.Take {
	return ratelimit.Take{Limit: limit, Interval: time.Minute.Microseconds(), Cost: 1, Now: noon.UnixMicro()}
}

// ask is one request with a limit of 10, which is to be accepted.
func ask(t *testing.T, s *Storage, key string) (remaining int64) {
	t.Helper()
	d, err := s.Consume(t.Context(), []byte(key), ratelimit.FixedWindow, take(10))
	require.NoError(t, err)
	require.True(t, d.Accepted)
	return d.Remaining
}

// fileOf is where the counter of such a request for "policy:key" is.
func fileOf(s *Storage) counter {
	return s.counter(ratelimit.CounterName([]byte("policy:key"), ratelimit.FixedWindow, take(10)))
}

// files are the paths of all files below a directory.
func files(t *testing.T, dir string) (paths []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			paths = append(paths, path)
		}
		return err
	}))
	return paths
}

// hold locks the lock file of "policy:key" as another process would, until release
// is called.
func hold(t *testing.T, s *Storage) (release func()) {
	t.Helper()
	other := New(s.dir, Options{LockDir: s.lockDir})
	slot := &other.slots[fileOf(s).slot.number]
	require.NoError(t, other.acquire(context.Background(), slot))
	require.True(t, slot.locked)
	return func() { other.release(slot) }
}

// occupy takes the lead of a slot, as a goroutine does that is at work.
func occupy(t *testing.T, slot *slot) (release func()) {
	t.Helper()
	require.True(t, slot.line.join(&question{}))
	return slot.line.handOver
}

// chown gives a file to somebody else, in the eyes of the storage at least: only
// root can do it in earnest.
func chown(t *testing.T, s *Storage, path string) {
	t.Helper()
	const stranger = 20_001
	if os.Lchown(path, stranger, -1) == nil {
		return
	}
	given, err := os.Lstat(path)
	require.NoError(t, err)
	s.system.owner = func(info fs.FileInfo) (int, bool) {
		if os.SameFile(info, given) {
			return stranger, true
		}
		return owner(info)
	}
}
