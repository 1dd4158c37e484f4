//go:build unix

package filestorage

import (
	"errors"
	"io/fs"
	"syscall"
)

// openSafely follows no symbolic link and does not wait for the other end of a
// pipe.
const openSafely = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

const hasModes = true

// isLink recognizes what O_NOFOLLOW says of a link: ELOOP, on FreeBSD EMLINK.
func isLink(err error) bool {
	return errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.EMLINK)
}

func owner(info fs.FileInfo) (uid int, ok bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}

// isFull tells that there is no room on the disk, or none for this user.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// isNoLock recognizes a file system that has no locks, or that is read-only, and
// what cannot be opened as a file: a directory, a socket.
func isNoLock(err error) bool {
	return errors.Is(err, syscall.ENOLCK) || errors.Is(err, syscall.EROFS) ||
		errors.Is(err, syscall.EISDIR) || errors.Is(err, syscall.ENXIO)
}
