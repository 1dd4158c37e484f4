//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package filestorage

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes the lock of a file or says errBusy at once. A read-only file will
// do.
func tryLock(f *os.File) error {
	for {
		switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errBusy
		default:
			return err
		}
	}
}

func unlock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
