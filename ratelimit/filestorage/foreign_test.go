//go:build unix

package filestorage

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// Files that look like counters do not have to be ours when a link leads to them.
func TestCleaningFollowsNoLink(t *testing.T) {
	name := strings.Repeat("a", 62)
	for what, link := range map[string]func(t *testing.T, s *Storage, victim string) error{
		"a folder of counters": func(_ *testing.T, s *Storage, victim string) error {
			require.NoError(t, os.MkdirAll(filepath.Join(s.dir, "counters"), 0o700))
			return os.Symlink(victim, s.folder(64))
		},
		"the folder above": func(t *testing.T, s *Storage, victim string) error {
			elsewhere := t.TempDir()
			require.NoError(t, os.Symlink(victim, filepath.Join(elsewhere, "40")))
			return os.Symlink(elsewhere, filepath.Join(s.dir, "counters"))
		},
		"a folder, within the directory": func(_ *testing.T, s *Storage, victim string) error {
			inside := filepath.Join(s.dir, "counters", "victim")
			require.NoError(t, os.MkdirAll(filepath.Dir(inside), 0o700))
			require.NoError(t, os.Rename(victim, inside))
			require.NoError(t, os.Symlink(inside, victim))
			return os.Symlink("victim", s.folder(64))
		},
	} {
		t.Run(what, func(t *testing.T) {
			s := New(t.TempDir(), Options{})
			victim := filepath.Join(t.TempDir(), "victim")
			require.NoError(t, os.Mkdir(victim, 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(victim, name), stored{expires: 1}.encode(), 0o600))
			require.NoError(t, link(t, s, victim))
			for range 2 * folders / slots {
				s.sweep(&s.slots[0], noon.UnixMicro(), sweepFiles)
			}
			require.ErrorIs(t, s.Clear(t.Context()), ratelimit.ErrUnavailable)
			require.FileExists(t, filepath.Join(victim, name))
		})
	}
}

func TestCleaningLeavesOtherFiles(t *testing.T) {
	digits := strings.Repeat("0a", 31)
	for name, ours := range map[string]bool{
		digits:                  true,
		digits + ".1x.tmp":      true,
		digits + ".1x.moved":    false,
		digits + "0":            false,
		strings.ToUpper(digits): false,
		"README":                false,
		"notes.tmp":             false,
	} {
		t.Run(name, func(t *testing.T) {
			s := New(t.TempDir(), Options{})
			path := filepath.Join(s.folder(64), name)
			for _, clean := range []func(){
				func() { s.sweep(&s.slots[0], noon.UnixMicro(), sweepFiles) },
				func() { require.NoError(t, s.Clear(t.Context())) },
			} {
				require.NoError(t, os.MkdirAll(s.folder(64), 0o700))
				require.NoError(t, os.WriteFile(path, stored{expires: 1}.encode(), 0o600))
				require.NoError(t, os.Chtimes(path, noon, noon.Add(-time.Hour)))
				s.system.now = func() time.Time { return noon }
				s.slots[0].sweep.round = 0
				clean()
				_, err := os.Lstat(path)
				require.Equal(t, ours, os.IsNotExist(err))
			}
		})
	}
}

// A broken file, or one of another version, goes when no counter can be as old.
func TestBrokenFilesAreRemovedInTheEnd(t *testing.T) {
	another := append([]byte("sprl\x00\x00\x00\x02"), make([]byte, 40)...)
	for _, row := range []struct {
		content []byte
		age     time.Duration
		removed bool
	}{
		{nil, ratelimit.MaxInterval + time.Second, true},
		{another, ratelimit.MaxInterval + time.Second, true},
		{another, ratelimit.MaxInterval, false},
	} {
		s := New(t.TempDir(), Options{})
		s.system.now = func() time.Time { return noon }
		path := filepath.Join(s.folder(64), strings.Repeat("b", 62))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, row.content, 0o600))
		require.NoError(t, os.Chtimes(path, noon, noon.Add(-row.age)))
		s.sweep(&s.slots[0], noon.UnixMicro(), sweepFiles)
		_, err := os.Lstat(path)
		require.Equal(t, row.removed, os.IsNotExist(err), row)
	}
}

// A disk that is full of expired counters has room again when somebody asks.
func TestFullDisk(t *testing.T) {
	for _, errno := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		t.Run(errno.Error(), func(t *testing.T) {
			s := New(t.TempDir(), Options{})
			c := fileOf(s)
			require.NoError(t, os.MkdirAll(c.folder, 0o700))
			var old []string
			for i := range 700 {
				path := filepath.Join(c.folder, fmt.Sprintf("%062x", i))
				require.NoError(t, os.WriteFile(path, stored{expires: noon.UnixMicro() + int64(i%2)}.encode(), 0o600))
				old = append(old, path)
			}
			s.system.rename = func(from, to string) error {
				if len(counters(t, s)) > len(old) {
					return errno
				}
				return os.Rename(from, to)
			}
			require.EqualValues(t, 9, ask(t, s, "policy:key"))
			require.Len(t, counters(t, s), 351, "what has not expired has stayed")

			s.system.rename = func(string, string) error { return errno }
			_, err := s.Consume(t.Context(), []byte("policy:key"), ratelimit.FixedWindow, take(10))
			require.ErrorIs(t, err, ratelimit.ErrUnavailable)
			require.ErrorIs(t, err, errno)
			require.Len(t, counters(t, s), 351, "nothing half is left")
		})
	}
}

func TestFolderInPlaceOfACounter(t *testing.T) {
	for name, content := range map[string]string{"empty": "", "with a file": "notes"} {
		t.Run(name, func(t *testing.T) {
			s, log := logged(t.TempDir(), Options{})
			c := fileOf(s)
			require.NoError(t, os.MkdirAll(c.file, 0o700))
			if content != "" {
				require.NoError(t, os.WriteFile(filepath.Join(c.file, content), nil, 0o600))
			}
			require.EqualValues(t, 9, ask(t, s, "policy:key"))
			require.EqualValues(t, 8, ask(t, s, "policy:key"))
			require.Contains(t, log.String(), "starts afresh")
			moved, err := filepath.Glob(c.file + ".*.moved")
			require.NoError(t, err)
			if content == "" {
				require.Empty(t, moved)
			} else {
				require.Len(t, moved, 1)
				require.FileExists(t, filepath.Join(moved[0], content))
			}
		})
	}
}

// With the sticky bit, nobody could replace the counters of somebody else.
func TestFoldersDoNotInheritTheStickyBit(t *testing.T) {
	s := New(t.TempDir(), Options{})
	require.NoError(t, os.Chmod(s.dir, 0o777|fs.ModeSticky))
	ask(t, s, "policy:key")
	for _, folder := range []string{s.lockDir, filepath.Join(s.dir, "counters"), fileOf(s).folder} {
		info, err := os.Stat(folder)
		require.NoError(t, err)
		require.Equal(t, fs.ModeDir|0o777, info.Mode(), folder)
	}
}

// Whoever is killed on the way to a folder leaves none that has a wrong mode.
func TestFolderHasItsModeFromTheBeginning(t *testing.T) {
	s := New(t.TempDir(), Options{})
	require.NoError(t, os.Chmod(s.dir, 0o777))
	made := 0
	s.system.rename = func(from, to string) error {
		if info, err := os.Stat(from); err == nil && info.IsDir() {
			made++
			require.NoDirExists(t, to)
			require.Equal(t, fs.ModeDir|0o777, info.Mode(), to)
		}
		return os.Rename(from, to)
	}
	ask(t, s, "policy:key")
	require.Equal(t, 3, made)
	entries, err := os.ReadDir(filepath.Join(s.dir, "counters"))
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing temporary is left")
}
