//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package sallyport_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
)

// holdLock locks the lock of a socket until the test ends.
func holdLock(t *testing.T, path string) *os.File {
	t.Helper()
	file, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	require.NoError(t, err)
	t.Cleanup(func() { _ = file.Close() })
	require.NoError(t, syscall.Flock(int(file.Fd()), syscall.LOCK_EX))
	return file
}

func TestTheLockOfASocketThatCannotBeHad(t *testing.T) {
	const lock = "sallyport: serve: the lock of the socket: "
	for name, row := range map[string]struct {
		prepare func(t *testing.T, path string)
		want    func(path string) string
	}{
		"another program holds it": {func(t *testing.T, path string) { holdLock(t, path) },
			func(path string) string { return lock + path + ".lock: another program holds it" }},
		"it is a link": {func(t *testing.T, path string) { require.NoError(t, os.Symlink(path+".elsewhere", path+".lock")) },
			func(path string) string { return lock + "open " + path + ".lock: " + syscall.ELOOP.Error() }},
		"there is no folder": {func(t *testing.T, path string) { require.NoError(t, os.Remove(filepath.Dir(path))) },
			func(path string) string { return lock + "open " + path + ".lock: no such file or directory" }},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "folder", "api.sock")
			require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
			row.prepare(t, path)
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				require.EqualError(t, sallyport.Serve(t.Context(), "unix:"+path, okPage), row.want(path))
				require.LessOrEqual(t, time.Since(start), 5*time.Second)

				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if name == "another program holds it" {
					require.NoError(t, sallyport.Serve(ctx, "unix:"+path, okPage), "stopped before it began")
				}
			})
			for _, name := range []string{path, path + ".elsewhere"} {
				_, err := os.Lstat(name)
				require.ErrorIs(t, err, fs.ErrNotExist)
			}
		})
	}
}

// The file of the lock stays, and serves the next time.
func TestTheLockOfASocketStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "api.sock")
	for range 2 {
		s := startServer(t, sallyport.Server{Addr: "unix:" + path}, okPage)
		require.NoError(t, s.end())
		info, err := os.Lstat(path + ".lock")
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o600), info.Mode())
		require.Zero(t, info.Size())
	}
}

// A server that cannot get the lock when it stops leaves its file to whoever comes
// next.
func TestAStopWithoutTheLockOfItsSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "api.sock")
	s := startServer(t, sallyport.Server{Addr: "unix:" + path}, okPage)
	held := holdLock(t, path)
	require.NoError(t, s.end())
	_, err := os.Lstat(path)
	require.NoError(t, err)
	require.NoError(t, held.Close())
	s = startServer(t, sallyport.Server{Addr: "unix:" + path}, okPage)
	_, text := call(t, overUnix(t, path), "GET", "http://example.com/")
	require.Equal(t, "ok", text)
	require.NoError(t, s.end())
}
