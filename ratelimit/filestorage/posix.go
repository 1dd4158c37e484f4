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
