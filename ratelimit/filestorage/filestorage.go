// Package filestorage keeps rate-limit counters in files: exact between the
// goroutines and the processes of one machine, and kept over restarts, with
// nothing to install.
//
//	storage := filestorage.New("/var/cache/myapp/ratelimit", filestorage.Options{})
//	decider := sallyport.NewApiDecider(sallyport.Config{
//		RateLimiting: ratelimit.Options{Storage: storage},
//		...
//
// It is not for several machines: locks of a network directory are not to be
// relied upon.
package filestorage

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// DefaultLockTimeout is the longest wait for a lock unless Options say another.
const DefaultLockTimeout = 3 * time.Second

// Options are the options of a [Storage]. The zero value suits most programs.
type Options struct {
	// LockDir is the directory of the lock files; "": the folder "locks" in the
	// directory of the storage. All processes that share counters must have the
	// same one.
	LockDir string

	// NoLock does without lock files. The counters stay exact between the
	// goroutines that use this Storage, but no longer between processes.
	NoLock bool

	// LockTimeout is the longest wait for a lock; 0: [DefaultLockTimeout]. The
	// deadline of the request can end the wait earlier, or up to 250 ms after it
	// when only requests of the same Storage are before it: it will be decided. A
	// negative one is a mistake.
	LockTimeout time.Duration

	// Logger gets the warnings; nil: slog.Default. At most one a minute comes of
	// each kind: that there is no lock, and that a state cannot be read.
	Logger *slog.Logger
}

// Storage is a [ratelimit.Storage] in the files of a directory. [New] makes one.
// It is safe for concurrent use, and any number of processes and Storages may
// share the directory. It has no goroutine and nothing to close. Up to 192 files
// stay open: 64 lock files, and two for each slot whose folders are being cleaned.
//
// # Files
//
// A counter is a file below the folder "counters", named by the SHA-256 of the
// counter's name. So a key can hold any bytes, and the directory does not show
// who has called. A file is never changed: a new one is written beside it and
// takes its place, so nobody reads half a state. It is not forced to the disk: a
// program that is killed loses nothing, a machine that loses power can lose the
// last seconds.
//
// A file that cannot be read as a state counts as none, with a warning, and is
// replaced by the next state. A folder in its place is moved aside.
//
// Expired files are removed by later requests: each that begins a counter looks
// at two files more, and one that finds the disk full at a thousand. Broken files
// go when they are older than the longest interval. When no more requests come,
// what is there stays, until [Storage.Clear]. Files with names of other forms are
// never removed, nor what lies behind a symbolic link.
//
// # Locks
//
// Reading and writing are two steps, and a lock covers both. There are 64 lock
// files, and a counter always takes the same one. A lock ends with its process,
// however that ends. Requests of one process that want the same lock are decided
// together, in the order they came in: one lock, one reading and one writing for
// each counter.
//
// When the directory of the locks cannot be written, a lock file is refused, or
// the file system has no locks, the storage counts without them and warns: exact
// within the process then, not beyond. Every other fault, such as too many open
// files, is an outage, see [ratelimit.ErrUnavailable]. So is a lock that stays
// busy for the whole LockTimeout; for a second after, requests for it wait some
// milliseconds only.
//
// Who can open a lock file can hold its lock, and so stop exact counting. Lock
// files therefore give access to those only who can write in their directory.
//
// # Users
//
// In a directory that the program names, counters get their permissions from the
// umask, and folders those of the directory, without a sticky bit. A directory
// that several users can write, such as one of mode 2770 that belongs to a common
// group, can be shared by them when their umask lets the others read.
//
// The default directory is for one user: modes 0700 and 0600. A directory that
// somebody else owns or can write, or a symbolic link, is refused, and with it
// every request is an outage. Files of other users are not read there.
// Windows has no such owners and modes; its temporary directory is the user's.
type Storage struct {
	dir     string
	private bool   // the default directory: nobody else has any business there
	lockDir string // "": no locks
	timeout time.Duration
	slots   [slots]slot

	noLock, broken warner
	making         sync.Mutex // folders

	mistakes error
	system   system
}

// system is what tests replace: the machine around a Storage.
type system struct {
	now     func() time.Time
	tryLock func(*os.File) error
	owner   func(os.FileInfo) (uid int, ok bool)
	rename  func(from, to string) error
}

// New returns a storage in dir, which the first request makes when it is not
// there. "" is a directory of this user below [os.TempDir]. New itself touches
// no file; [Storage.Validate] tells what is wrong with the arguments.
func New(dir string, o Options) *Storage {
	s := &Storage{
		timeout: o.LockTimeout,
		private: dir == "",
		system:  system{now: time.Now, tryLock: tryLock, owner: owner, rename: os.Rename},
	}
	s.noLock = warner{logger: o.Logger, now: s.clock}
	s.broken = warner{logger: o.Logger, now: s.clock}
	if s.private {
		dir = defaultDir()
	}
	var wrong [2]error
	s.dir, wrong[0] = filepath.Abs(dir) // the program may change its directory
	switch {
	case o.NoLock:
		if o.LockDir != "" {
			wrong[1] = errors.New("LockDir and NoLock exclude each other")
		}
	case o.LockDir == "":
		s.lockDir = filepath.Join(s.dir, "locks")
	default:
		s.lockDir, wrong[1] = filepath.Abs(o.LockDir)
	}
	s.mistakes = errors.Join(wrong[:]...)
	if o.LockTimeout < 0 {
		s.mistakes = errors.Join(s.mistakes, fmt.Errorf("LockTimeout %s is negative", o.LockTimeout))
	} else if o.LockTimeout == 0 {
		s.timeout = DefaultLockTimeout
	}
	for i := range s.slots {
		s.slots[i].number = i
		if s.lockDir != "" {
			s.slots[i].path = filepath.Join(s.lockDir, fmt.Sprintf("%02d", i))
		}
	}
	return s
}

func (s *Storage) clock() time.Time { return s.system.now() }

// defaultDir ends in the id of the user where there is one.
func defaultDir() string {
	name := "sallyport-rate-limit"
	if uid := os.Geteuid(); uid >= 0 {
		name = fmt.Sprintf("%s-%d", name, uid)
	}
	return filepath.Join(os.TempDir(), name)
}

// Validate reports mistakes in the arguments of [New]. It touches no file.
func (s *Storage) Validate() error {
	if s.mistakes != nil {
		return fmt.Errorf("filestorage: %w", s.mistakes)
	}
	return nil
}

// Consume decides one request, see [ratelimit.Storage]. Step runs under the lock
// of the counter, maybe in the goroutine of another request for the same lock. A
// panic of it releases the lock and reaches the request that asked, and no other.
func (s *Storage) Consume(ctx context.Context, key []byte, a ratelimit.Algorithm, t ratelimit.Take) (ratelimit.Decision, error) {
	if err := t.Validate(); err != nil {
		return ratelimit.Decision{}, err
	}
	c := s.counter(ratelimit.CounterName(key, a, t))
	q := &question{counter: c, algorithm: a, take: t}
	leads, err := s.enter(ctx, c.slot, q)
	if leads {
		err = s.lead(ctx, c.slot, q)
	}
	if q.panicked != nil {
		panic(q.panicked)
	}
	return q.decision, err
}

func unavailable(err error) error {
	return ratelimit.Unavailable(fmt.Errorf("filestorage: %w", err))
}
