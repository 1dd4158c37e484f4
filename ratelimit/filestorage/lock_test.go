//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package filestorage

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// The time of these tests is that of synctest: the locks are real, the waiting
// is not.

// RL-134, RL-135, RL-136
func TestLockTimeout(t *testing.T) {
	for name, row := range map[string]struct {
		timeout, want time.Duration
	}{
		"3 seconds unless set": {0, 3 * time.Second},
		"an option":            {70 * time.Millisecond, 70 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := New(t.TempDir(), Options{LockTimeout: row.timeout})
				release := hold(t, s)
				start := time.Now()
				_, err := s.Consume(t.Context(), []byte("policy:key"), ratelimit.FixedWindow, take(10))
				require.ErrorIs(t, err, ratelimit.ErrUnavailable)
				require.ErrorContains(t, err, "busy for "+row.want.String())
				require.Equal(t, row.want, time.Since(start))

				release()
				require.EqualValues(t, 9, ask(t, s, "policy:key"), "nothing was counted, and the lock is usable")
			})
		})
	}
}

// A goroutine that waits for another one gives up, too.
func TestTurnTimeout(t *testing.T) {
	for name, o := range map[string]Options{"lock files": {}, "none": {NoLock: true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := New(t.TempDir(), o)
				slot := fileOf(s).slot
				release := occupy(t, slot)
				start := time.Now()
				_, err := s.Consume(t.Context(), []byte("policy:key"), ratelimit.FixedWindow, take(10))
				require.ErrorIs(t, err, ratelimit.ErrUnavailable)
				require.Equal(t, 3*time.Second, time.Since(start))

				go func() {
					time.Sleep(time.Second)
					release()
				}()
				require.EqualValues(t, 9, ask(t, s, "policy:key"), "it waits for its turn")
			})
		})
	}
}

func TestEndOfTheRequestEndsTheWait(t *testing.T) {
	canceled := func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(ctx)
		time.AfterFunc(50*time.Millisecond, cancel)
		return ctx, cancel
	}
	late := func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeout(ctx, 50*time.Millisecond)
	}
	for name, row := range map[string]struct {
		limit func(context.Context) (context.Context, context.CancelFunc)
		want  error
	}{
		"its deadline":           {late, context.DeadlineExceeded},
		"a client that has gone": {canceled, context.Canceled},
	} {
		for holder, hold := range map[string]func(*testing.T, *Storage){
			"another process": func(t *testing.T, s *Storage) { t.Cleanup(hold(t, s)) },
			"another goroutine": func(t *testing.T, s *Storage) {
				t.Cleanup(occupy(t, fileOf(s).slot))
			},
		} {
			t.Run(name+"/"+holder, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := New(t.TempDir(), Options{})
					hold(t, s)
					ctx, cancel := row.limit(t.Context())
					defer cancel()
					start := time.Now()
					_, err := s.Consume(ctx, []byte("policy:key"), ratelimit.FixedWindow, take(10))
					require.Equal(t, row.want, err)
					want := 50 * time.Millisecond
					if row.want == context.DeadlineExceeded && holder == "another goroutine" { //nolint:errorlint // as it is
						want += grace // it would be decided soon
					}
					require.Equal(t, want, time.Since(start))
				})
			})
		}
	}
}

// RL-133
func TestFileSystemWithoutLocks(t *testing.T) {
	for _, errno := range []error{syscall.ENOLCK, syscall.EOPNOTSUPP, syscall.ENOTSUP, syscall.ENOSYS, syscall.EROFS, syscall.EACCES, syscall.EPERM, errors.ErrUnsupported} {
		t.Run(errno.Error(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, log := logged(t.TempDir(), Options{})
				s.system.tryLock = func(*os.File) error { return errno }
				start := time.Now()
				require.EqualValues(t, 9, ask(t, s, "policy:key"))
				require.EqualValues(t, 8, ask(t, s, "policy:key"))
				require.Zero(t, time.Since(start))
				require.Equal(t, 1, strings.Count(log.String(), "counted without a file lock"), log)
				require.Contains(t, log.String(), errno.Error())

				time.Sleep(warnEvery)
				ask(t, s, "policy:key")
				require.Equal(t, 2, strings.Count(log.String(), "counted without a file lock"), log)
				require.Contains(t, log.String(), "not_logged=1")
			})
		})
	}
}

// A fault that passes is no reason to count without a lock.
func TestLockErrorsThatAreOutages(t *testing.T) {
	for _, errno := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EIO, syscall.ESTALE, syscall.ENOSPC, syscall.EBADF} {
		t.Run(errno.Error(), func(t *testing.T) {
			s, log := logged(t.TempDir(), Options{})
			tries := 0
			s.system.tryLock = func(*os.File) error { tries++; return errno }
			_, err := s.Consume(t.Context(), []byte("policy:key"), ratelimit.FixedWindow, take(10))
			require.ErrorIs(t, err, ratelimit.ErrUnavailable)
			require.ErrorIs(t, err, errno)
			require.Equal(t, 2, tries)
			require.Empty(t, log.String())
			s.system.tryLock = tryLock
			require.EqualValues(t, 9, ask(t, s, "policy:key"), "nothing was counted")
		})
	}
}

// What is wrong with a descriptor ends with it.
func TestLockErrorOfADescriptor(t *testing.T) {
	for name, spoil := range map[string]func(*testing.T, *Storage){
		"closed": func(t *testing.T, s *Storage) { require.NoError(t, fileOf(s).slot.file.Close()) },
		"no locks": func(_ *testing.T, s *Storage) {
			bad := fileOf(s).slot.file
			s.system.tryLock = func(f *os.File) error {
				if f == bad {
					return syscall.ENOLCK
				}
				return tryLock(f)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, log := logged(t.TempDir(), Options{})
			ask(t, s, "policy:key")
			spoil(t, s)
			require.EqualValues(t, 8, ask(t, s, "policy:key"))
			require.Empty(t, log.String())
			_, err := fileOf(s).slot.file.Stat()
			require.NoError(t, err, "it is another one")
		})
	}
}

// When the lock file is removed while a request is being decided, somebody else
// may have counted meanwhile.
func TestLockFileThatIsRemovedMeanwhile(t *testing.T) {
	dir := t.TempDir()
	here, there := New(dir, Options{}), New(dir, Options{})
	times := 0
	between := func() {
		if times++; times > 1 {
			return
		}
		require.NoError(t, os.RemoveAll(here.lockDir))
		require.EqualValues(t, 9, ask(t, there, "policy:key"))
	}
	d, err := here.Consume(t.Context(), []byte("policy:key"), interrupted{ratelimit.FixedWindow, between}, take(10))
	require.NoError(t, err)
	require.EqualValues(t, 8, d.Remaining)
	require.Equal(t, 2, times)

	between = func() { require.NoError(t, os.RemoveAll(here.lockDir)) }
	_, err = here.Consume(t.Context(), []byte("policy:key"), interrupted{ratelimit.FixedWindow, between}, take(10))
	require.ErrorIs(t, err, ratelimit.ErrUnavailable)
	require.ErrorIs(t, err, errLockLost)
	require.EqualValues(t, 7, ask(t, here, "policy:key"), "nothing was counted")
}

// Whoever comes within a second after a wait in vain does not wait as long.
func TestBusyLockIsRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(t.TempDir(), Options{LockTimeout: 50 * time.Millisecond})
		release := hold(t, s)
		for _, want := range []time.Duration{s.timeout, shortPatience, shortPatience} {
			start := time.Now()
			var group sync.WaitGroup
			for range 100 {
				group.Go(func() {
					_, err := s.Consume(t.Context(), []byte("policy:key"), ratelimit.FixedWindow, take(10))
					require.ErrorIs(t, err, ratelimit.ErrUnavailable)
				})
			}
			group.Wait()
			require.LessOrEqual(t, time.Since(start), want+shortPatience)
			require.GreaterOrEqual(t, time.Since(start), min(want, shortPatience))
		}
		time.Sleep(rememberBusy)
		start := time.Now()
		_, err := s.Consume(t.Context(), []byte("policy:key"), ratelimit.FixedWindow, take(10))
		require.ErrorContains(t, err, "busy for 50ms")
		require.Equal(t, s.timeout, time.Since(start))
		release()
		require.EqualValues(t, 9, ask(t, s, "policy:key"), "a free lock is found at once")
		require.Zero(t, fileOf(s).slot.givenUp)
	})
}

// Nobody looks for ever at a file that is another one each time.
func TestLockFilesThatAreReplacedAllTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(t.TempDir(), Options{})
		s.system.tryLock = func(f *os.File) error {
			require.NoError(t, os.Remove(f.Name()))
			return tryLock(f)
		}
		_, err := s.Consume(t.Context(), []byte("policy:key"), ratelimit.FixedWindow, take(10))
		require.ErrorIs(t, err, ratelimit.ErrUnavailable)
		s.system.tryLock = tryLock
		require.EqualValues(t, 9, ask(t, s, "policy:key"))
	})
}

// RL-132
func TestLockFileThatWasReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(t.TempDir(), Options{LockTimeout: time.Second})
		ask(t, s, "policy:key")
		require.NoError(t, os.RemoveAll(s.lockDir))
		release := hold(t, s)
		_, err := s.Consume(t.Context(), []byte("policy:key"), ratelimit.FixedWindow, take(10))
		require.ErrorIs(t, err, ratelimit.ErrUnavailable, "it waits for the new file, not for the old one")
		release()
		require.EqualValues(t, 8, ask(t, s, "policy:key"))

		release = hold(t, s)
		require.NoError(t, os.RemoveAll(s.lockDir))
		require.EqualValues(t, 7, ask(t, s, "policy:key"), "a lock of a file that is gone excludes nobody")
		release()
	})
}

// RL-132
func TestDirectoryThatVanishes(t *testing.T) {
	dir := t.TempDir()
	storages := []*Storage{New(dir, Options{}), New(dir, Options{})}
	for range 3 {
		var accepted atomic.Int64
		var group sync.WaitGroup
		for i := range 64 {
			group.Go(func() {
				d, err := storages[i%2].Consume(t.Context(), []byte("policy:key"), ratelimit.SlidingWindow, take(40))
				if err == nil && d.Accepted {
					accepted.Add(1)
				}
			})
		}
		group.Wait()
		require.EqualValues(t, 40, accepted.Load())
		require.NoError(t, os.RemoveAll(dir))
	}
}

// RL-119, RL-120, RL-139
func TestFilesOfManyKeys(t *testing.T) {
	s := New(t.TempDir(), Options{})
	const keys = 2000
	for i := range keys {
		ask(t, s, "policy:"+strings.Repeat("k", i))
	}
	require.Len(t, files(t, filepath.Join(s.dir, "locks")), 64)
	require.Len(t, files(t, filepath.Join(s.dir, "counters")), keys)
	require.Len(t, files(t, s.dir), 64+keys)
	ask(t, s, "policy:")
	require.Len(t, files(t, s.dir), 64+keys, "a counter keeps its file")
}

// RL-122
func TestLockDir(t *testing.T) {
	locks := filepath.Join(t.TempDir(), "of", "locks")
	s := New(t.TempDir(), Options{LockDir: locks})
	ask(t, s, "policy:key")
	require.Len(t, files(t, locks), 1)
	require.Len(t, files(t, s.dir), 1)
	require.NoDirExists(t, filepath.Join(s.dir, "locks"))
}

// RL-123
func TestNoLock(t *testing.T) {
	s, log := logged(t.TempDir(), Options{NoLock: true})
	require.EqualValues(t, 9, ask(t, s, "policy:key"))
	require.EqualValues(t, 8, ask(t, s, "policy:key"))
	require.Equal(t, []string{fileOf(s).file}, files(t, s.dir))
	require.Empty(t, log.String(), "it was asked for")
}

// RL-131
func TestLockFileThatIsRefused(t *testing.T) {
	for name, plant := range map[string]func(t *testing.T, path string) error{
		"a symbolic link": func(t *testing.T, path string) error {
			return os.Symlink(filepath.Join(t.TempDir(), "victim"), path)
		},
		"a directory": func(_ *testing.T, path string) error { return os.Mkdir(path, 0o700) },
		"a pipe":      func(_ *testing.T, path string) error { return syscall.Mkfifo(path, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			s, log := logged(t.TempDir(), Options{})
			path := fileOf(s).slot.path
			require.NoError(t, os.Mkdir(s.lockDir, 0o700))
			require.NoError(t, plant(t, path))
			require.EqualValues(t, 9, ask(t, s, "policy:key"))
			require.EqualValues(t, 8, ask(t, s, "policy:key"))
			require.Contains(t, log.String(), "counted without a file lock")
			_, err := os.Stat(path)
			require.Equal(t, name == "a symbolic link", errors.Is(err, os.ErrNotExist), "nothing was made at the end of a link")
		})
	}
}

// RL-137
func TestLocksThatAreNotSharedAreNotExact(t *testing.T) {
	dir := t.TempDir()
	here, there := New(dir, Options{LockDir: t.TempDir()}), New(dir, Options{LockDir: t.TempDir()})
	between := func() {
		d, err := there.Consume(t.Context(), []byte("policy:key"), ratelimit.FixedWindow, take(1))
		require.NoError(t, err)
		require.True(t, d.Accepted)
	}
	d, err := here.Consume(t.Context(), []byte("policy:key"), interrupted{ratelimit.FixedWindow, between}, take(1))
	require.NoError(t, err)
	require.True(t, d.Accepted, "both have read the same state: two of one")
}

// interrupted lets something happen between the reading and the writing.
type interrupted struct {
	ratelimit.BuiltIn
	between func()
}

func (i interrupted) Step(s ratelimit.State, t ratelimit.Take) ratelimit.Outcome {
	i.between()
	return i.BuiltIn.Step(s, t)
}
