//go:build windows

package filestorage

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

var (
	kernel32     = syscall.NewLazyDLL("kernel32.dll")
	lockFileEx   = kernel32.NewProc("LockFileEx")
	unlockFileEx = kernel32.NewProc("UnlockFileEx")
)

// The flags and the error of LockFileEx.
const (
	failImmediately = 1
	exclusive       = 2
	lockViolation   = syscall.Errno(33)
)

// tryLock takes the lock of a file, which is its first byte, or says errBusy at
// once.
func tryLock(f *os.File) error {
	var at syscall.Overlapped
	ok, _, err := lockFileEx.Call(f.Fd(), failImmediately|exclusive, 0, 1, 0, uintptr(unsafe.Pointer(&at)))
	switch {
	case ok != 0:
		return nil
	case errors.Is(err, lockViolation), errors.Is(err, syscall.ERROR_IO_PENDING):
		return errBusy
	}
	return err
}

// Errors of Windows.
const (
	invalidFunction = syscall.Errno(1)
	notSupported    = syscall.Errno(50)
	handleDiskFull  = syscall.Errno(39)
	diskFull        = syscall.Errno(112)
)

// isFull tells that there is no room on the disk.
func isFull(err error) bool {
	return errors.Is(err, diskFull) || errors.Is(err, handleDiskFull)
}

// isNoLock recognizes a file system that has no locks.
func isNoLock(err error) bool {
	return errors.Is(err, notSupported) || errors.Is(err, invalidFunction)
}

func unlock(f *os.File) error {
	var at syscall.Overlapped
	if ok, _, err := unlockFileEx.Call(f.Fd(), 0, 1, 0, uintptr(unsafe.Pointer(&at))); ok == 0 {
		return err
	}
	return nil
}
