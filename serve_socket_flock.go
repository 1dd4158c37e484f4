//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package sallyport

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// tryLock locks a file, among all programs and within this one, or says errLocked
// at once. A link is not followed: others may be able to write in the folder.
func tryLock(path string) (io.Closer, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600) //nolint:gosec // the path is the operator's
	if err != nil {
		return nil, err
	}
	switch err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case err == nil, errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.ENOLCK): // a file system may have no locks
		return file, nil
	case errors.Is(err, syscall.EWOULDBLOCK), errors.Is(err, syscall.EINTR):
		err = errLocked
	default:
		err = &os.PathError{Op: "flock", Path: path, Err: err}
	}
	_ = file.Close() // nothing was written to it
	return nil, err
}
