package sallyport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"
	"time"
)

// socket is a listener at a path.
type socket struct {
	net.Listener
	path string
	made fs.FileInfo // to tell the file from one that took its place
}

// listenAtPath binds a socket to a path. Whoever finds out that the one at the
// path is left behind has to remove it before anybody else binds his own, and a
// socket is refused between bind and listen, too. So all of it is done under a lock.
func listenAtPath(ctx context.Context, path string) (net.Listener, error) {
	var config net.ListenConfig
	if strings.HasPrefix(path, "@") { // a name of Linux that is no file
		return config.Listen(ctx, "unix", path)
	}
	lock, err := lockSocket(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = lock.Close() }()
	listener, err := config.Listen(ctx, "unix", path)
	if errors.Is(err, syscall.EADDRINUSE) && removeStale(ctx, path) {
		listener, err = config.Listen(ctx, "unix", path)
	}
	if err != nil {
		return nil, err
	}
	if file, ok := listener.(*net.UnixListener); ok {
		file.SetUnlinkOnClose(false) // it would remove whatever is at the path
	}
	made, _ := os.Lstat(path) // nil is no file's
	return &socket{listener, path, made}, nil
}

// removeStale removes a socket that a program which was killed has left behind.
// A file that is no socket, and a socket that somebody answers, stay.
func removeStale(ctx context.Context, path string) (removed bool) {
	if info, err := os.Lstat(path); err != nil || info.Mode().Type() != fs.ModeSocket {
		return false
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", path)
	if err == nil {
		_ = conn.Close() // it was a question
		return false
	}
	return errors.Is(err, syscall.ECONNREFUSED) && os.Remove(path) == nil
}

// Close removes the file while the socket is open: until then no other file can
// get its number.
func (s *socket) Close() error {
	s.remove()
	return s.Listener.Close()
}

// remove removes the file unless it is another's by now. A file that cannot be
// removed is one that was left behind.
func (s *socket) remove() {
	if !s.isMine() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lastLockWait)
	defer cancel()
	lock, err := lockSocket(ctx, s.path)
	if err != nil {
		return
	}
	defer func() { _ = lock.Close() }()
	if s.isMine() {
		_ = os.Remove(s.path)
	}
}

func (s *socket) isMine() bool {
	now, err := os.Lstat(s.path)
	return err == nil && os.SameFile(s.made, now)
}

const (
	// lockSuffix makes the lock's file of that of a socket. It stays, as nobody
	// could tell whether somebody is about to lock it.
	lockSuffix = ".lock"

	// The lock is held for some calls of the system, unless a program is stopped
	// in the middle of them.
	lockWait     = 5 * time.Second
	lastLockWait = time.Second // of a server that stops
	lockRetry    = 2 * time.Millisecond
)

// errLocked is what tryLock says of a lock that somebody else has.
var errLocked = errors.New("another program holds it")

// lockSocket waits for the lock of a socket. Closing it gives it back.
func lockSocket(ctx context.Context, path string) (io.Closer, error) {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	retry := time.NewTicker(lockRetry)
	defer retry.Stop()
	for {
		lock, err := tryLock(path + lockSuffix)
		if err == nil {
			return lock, nil
		}
		if !errors.Is(err, errLocked) {
			return nil, fmt.Errorf("the lock of the socket: %w", err)
		}
		select {
		case <-retry.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("the lock of the socket: %s: %w", path+lockSuffix, err)
		}
	}
}
