//go:build unix

package filestorage_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
	"github.com/sallyport-go/sallyport/ratelimit/filestorage"
)

var algorithms = []ratelimit.BuiltIn{ratelimit.SlidingWindow, ratelimit.FixedWindow, ratelimit.TokenBucket}

var now = time.Date(2026, time.December, 1, 12, 0, 0, 0, time.UTC).UnixMicro()

// RL-107, RL-109, RL-117, RL-118
func TestProcessesAdmitExactlyTheLimit(t *testing.T) {
	for _, a := range algorithms {
		t.Run(a.Name(), func(t *testing.T) {
			j := job{Dir: t.TempDir(), Algorithm: a, Limit: 500, Now: now, Goroutines: 32, Each: 4}
			require.Equal(t, outcome{Accepted: 500, Refused: 8*32*4 - 500}, together(t, j, j, j, j, j, j, j, j))
		})
	}
}

// Half of the processes are killed while all of them ask. A request that was
// killed may have been counted, so the dots can be fewer than the limit by the
// requests at that time; there can never be more.
func TestKilledProcesses(t *testing.T) {
	for _, a := range algorithms {
		t.Run(a.Name(), func(t *testing.T) {
			const limit, killed, goroutines = 4000, 4, 32
			j := job{Dir: t.TempDir(), Algorithm: a, Limit: limit, Now: now, Goroutines: goroutines, Each: limit / goroutines}
			var children []*child
			for range 2 * killed {
				children = append(children, start(t, j))
			}
			for _, c := range children {
				c.begin(t)
			}
			accepted := 0
			for _, c := range children[:killed] {
				seen, err := c.out.Peek(10)
				require.NoError(t, err)
				require.Equal(t, "..........", string(seen), "it was killed in the middle")
				require.NoError(t, c.cmd.Process.Kill())
				dots, err := io.ReadAll(c.out)
				require.NoError(t, err)
				require.NotContains(t, string(dots), "{", "it had not come to its end")
				accepted += strings.Count(string(dots), ".")
				require.Error(t, c.cmd.Wait())
			}
			for _, c := range children[killed:] {
				o := c.end(t)
				require.Empty(t, o.Errors)
				require.Empty(t, o.Warnings)
				accepted += o.Accepted
			}
			require.LessOrEqual(t, accepted, limit)
			require.GreaterOrEqual(t, accepted, limit-killed*goroutines)
			require.Equal(t, outcome{Refused: 1}, run(t, job{Dir: j.Dir, Algorithm: a, Limit: limit, Now: now, Goroutines: 1, Each: 1}))
		})
	}
}

// RL-016, RL-109
func TestRestartGoesOnCounting(t *testing.T) {
	for _, a := range algorithms {
		t.Run(a.Name(), func(t *testing.T) {
			j := job{Dir: t.TempDir(), Algorithm: a, Limit: 5, Now: now, Goroutines: 1, Each: 3}
			require.Equal(t, outcome{Accepted: 3}, run(t, j))
			require.Equal(t, outcome{Accepted: 2, Refused: 1}, run(t, j))
			d, err := filestorage.New(j.Dir, filestorage.Options{}).
				Consume(t.Context(), []byte("policy:key"), a, ratelimit.Take{Limit: 5, Interval: 3600e6, Now: now})
			require.NoError(t, err)
			require.Zero(t, d.Remaining)
		})
	}
}

// RL-125, RL-126
func TestTwoUsersShareADirectory(t *testing.T) {
	one, other := users()
	dir := openDir(t)
	require.NoError(t, os.Chmod(dir, 0o777))
	j := job{Dir: dir, UID: one, Umask: 0o022, Algorithm: ratelimit.FixedWindow, Limit: 500, Now: now, Goroutines: 16, Each: 16}
	require.Equal(t, outcome{Accepted: 256}, run(t, j), "the first user makes all files")

	j.Limit = 600
	theirs := j
	theirs.UID = other
	require.Equal(t, outcome{Accepted: 600 - 256, Refused: 4*256 - (600 - 256)}, together(t, j, theirs, j, theirs))
}

// RL-124
func TestModesFollowTheUmask(t *testing.T) {
	for _, row := range []struct {
		umask              int
		folder, file, lock os.FileMode
	}{
		{0o022, 0o755, 0o644, 0o600}, // nobody else may hold a lock
		{0o002, 0o775, 0o664, 0o660},
		{0o000, 0o777, 0o666, 0o666},
		{0o077, 0o700, 0o600, 0o600},
	} {
		dir := filepath.Join(t.TempDir(), "made", "by the storage")
		run(t, job{Dir: dir, Umask: row.umask, Limit: 1, Now: now, Goroutines: 1, Each: 1})
		requireModes(t, dir, row.folder, row.file, row.lock)
	}
}

// requireModes looks at everything in a directory, which is not empty.
func requireModes(t *testing.T, dir string, folder, file, lock os.FileMode) {
	t.Helper()
	files := 0
	require.NoError(t, filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		require.NoError(t, err)
		switch {
		case info.IsDir():
			require.Equal(t, folder, info.Mode().Perm(), path)
		case filepath.Base(filepath.Dir(path)) == "locks":
			files++
			require.Equal(t, lock, info.Mode().Perm(), path)
		default:
			files++
			require.Equal(t, file, info.Mode().Perm(), path)
		}
		return nil
	}))
	require.Equal(t, 2, files, "a lock and a counter")
}

// RL-130
func TestLockDirWithoutWriteAccess(t *testing.T) {
	user, _ := users()
	dir := openDir(t)
	require.NoError(t, os.Chmod(dir, 0o777))
	locks := openDir(t)
	require.NoError(t, os.Chmod(locks, 0o555))

	o := run(t, job{Dir: dir, LockDir: locks, UID: user, Limit: 5, Now: now, Goroutines: 8, Each: 2})
	require.Equal(t, 5, o.Accepted)
	require.Equal(t, 11, o.Refused)
	require.Empty(t, o.Errors)
	require.Equal(t, 1, strings.Count(o.Warnings, "counted without a file lock"))
	require.Contains(t, o.Warnings, "permission denied")
}

// RL-176
func TestReadOnlyDirectoryIsAnOutage(t *testing.T) {
	user, _ := users()
	dir := openDir(t)
	require.NoError(t, os.Chmod(dir, 0o555))
	o := run(t, job{Dir: dir, LockDir: filepath.Join(openDir(t), "locks"), UID: user, Limit: 5, Now: now, Goroutines: 1, Each: 1})
	require.Len(t, o.Errors, 1)
	require.Contains(t, o.Errors[0], ratelimit.ErrUnavailable.Error())
	require.Contains(t, o.Errors[0], "permission denied")
}
