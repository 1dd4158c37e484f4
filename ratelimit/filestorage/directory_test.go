//go:build unix

package filestorage

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// inTemp is the default storage in a temporary directory of the test's own.
func inTemp(t *testing.T) (*Storage, fmt.Stringer) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	return logged("", Options{})
}

// RL-121, RL-127, RL-128
func TestDefaultDirectory(t *testing.T) {
	s, log := inTemp(t)
	require.Equal(t, filepath.Join(os.Getenv("TMPDIR"), fmt.Sprintf("sallyport-rate-limit-%d", os.Geteuid())), s.dir)
	require.NoDirExists(t, s.dir, "New touches no file")
	ask(t, s, "policy:key")
	require.NoError(t, filepath.Walk(s.dir, func(path string, info fs.FileInfo, err error) error {
		require.NoError(t, err)
		if info.IsDir() {
			require.Equal(t, fs.FileMode(0o700), info.Mode().Perm(), path)
		} else {
			require.Equal(t, fs.FileMode(0o600), info.Mode().Perm(), path)
		}
		return nil
	}))
	require.Len(t, files(t, s.dir), 2, "a lock and a counter")
	require.Empty(t, log.String())
}

// RL-129
func TestDefaultDirectoryThatIsRefused(t *testing.T) {
	for name, row := range map[string]struct {
		plant func(t *testing.T, s *Storage) error
		cause string
	}{
		"of another user": {func(t *testing.T, s *Storage) error {
			err := os.Mkdir(s.dir, 0o777)
			chown(t, s, s.dir)
			return err
		}, "belongs to another user"},
		"a symbolic link": {func(t *testing.T, s *Storage) error {
			return os.Symlink(t.TempDir(), s.dir)
		}, "is not a directory"},
		"a file": {func(_ *testing.T, s *Storage) error {
			return os.WriteFile(s.dir, nil, 0o600)
		}, "is not a directory"},
		"open to all": {func(_ *testing.T, s *Storage) error {
			_ = os.Mkdir(s.dir, 0o700)
			return os.Chmod(s.dir, 0o777)
		}, "can be written by other users: mode 777"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := inTemp(t)
			require.NoError(t, row.plant(t, s))
			_, err := s.Consume(t.Context(), []byte("policy:key"), ratelimit.FixedWindow, take(10))
			require.ErrorIs(t, err, ratelimit.ErrUnavailable)
			require.ErrorContains(t, err, row.cause)
			require.ErrorIs(t, s.Clear(t.Context()), ratelimit.ErrUnavailable)
			if info, err := os.Stat(s.dir); err == nil && info.IsDir() {
				require.Empty(t, files(t, s.dir+"/"), "nothing was written")
			}
		})
	}
}

// RL-129, RL-131
func TestForeignFilesInTheDefaultDirectory(t *testing.T) {
	t.Run("a lock file", func(t *testing.T) {
		s, _ := inTemp(t)
		ask(t, s, "policy:key")
		chown(t, s, fileOf(s).slot.path)
		again, log := logged("", Options{})
		again.system = s.system
		require.EqualValues(t, 8, ask(t, again, "policy:key"))
		require.Contains(t, log.String(), "counted without a file lock")
		require.Contains(t, log.String(), "belongs to another user")
	})
	t.Run("a counter", func(t *testing.T) {
		s, log := inTemp(t)
		ask(t, s, "policy:key")
		chown(t, s, fileOf(s).file)
		require.EqualValues(t, 9, ask(t, s, "policy:key"), "what others have put there does not count")
		require.Contains(t, log.String(), "belongs to another user")
		require.EqualValues(t, 8, ask(t, s, "policy:key"), "it was replaced")
	})
}

func TestFilesOfOthersCountInADirectoryOfTheProgram(t *testing.T) {
	s, log := logged(t.TempDir(), Options{})
	ask(t, s, "policy:key")
	chown(t, s, fileOf(s).file)
	chown(t, s, fileOf(s).slot.path)
	require.EqualValues(t, 8, ask(t, s, "policy:key"))
	require.Empty(t, log.String())
}

func TestSymbolicLinkInPlaceOfACounter(t *testing.T) {
	s, log := logged(t.TempDir(), Options{})
	c := fileOf(s)
	ask(t, s, "policy:key")
	victim := filepath.Join(t.TempDir(), "victim")
	require.NoError(t, os.Rename(c.file, victim))
	before, err := os.ReadFile(victim)
	require.NoError(t, err)
	require.NoError(t, os.Symlink(victim, c.file))

	require.EqualValues(t, 9, ask(t, s, "policy:key"), "it was not followed to be read")
	require.Contains(t, log.String(), "symbolic link")
	after, err := os.ReadFile(victim)
	require.NoError(t, err)
	require.Equal(t, before, after, "nor to be written")
	require.EqualValues(t, 8, ask(t, s, "policy:key"))
}

func TestFoldersGetTheModeOfTheDirectory(t *testing.T) {
	dir := t.TempDir()
	const shared = fs.ModeSetgid | 0o775
	require.NoError(t, os.Chmod(dir, shared))
	s := New(dir, Options{})
	ask(t, s, "policy:key")
	for _, folder := range []string{s.lockDir, filepath.Join(dir, "counters"), fileOf(s).folder} {
		info, err := os.Stat(folder)
		require.NoError(t, err)
		require.Equal(t, shared, info.Mode()&^fs.ModeDir, folder)
	}
}

func TestValidate(t *testing.T) {
	for name, row := range map[string]struct {
		options Options
		want    string
	}{
		"the zero value":         {Options{}, ""},
		"a negative time-out":    {Options{LockTimeout: -1}, "filestorage: LockTimeout -1ns is negative"},
		"locks, and none":        {Options{LockDir: "x", NoLock: true}, "filestorage: LockDir and NoLock exclude each other"},
		"no lock":                {Options{NoLock: true}, ""},
		"a lock dir of its own":  {Options{LockDir: "x"}, ""},
		"more than one of these": {Options{LockDir: "x", NoLock: true, LockTimeout: -1}, "filestorage: LockDir and NoLock exclude each other\nLockTimeout -1ns is negative"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "none")
			err := New(dir, row.options).Validate()
			if row.want == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, row.want)
			}
			require.NoDirExists(t, dir)
		})
	}
}

// A program may change its directory after it has named a relative one.
func TestRelativeDirectory(t *testing.T) {
	first := t.TempDir()
	t.Chdir(first)
	s := New("counts", Options{LockDir: "locks"})
	t.Chdir(t.TempDir())
	ask(t, s, "policy:key")
	require.Len(t, files(t, filepath.Join(first, "counts")), 1)
	require.Len(t, files(t, filepath.Join(first, "locks")), 1)
	require.True(t, strings.HasPrefix(s.dir, first))
}
