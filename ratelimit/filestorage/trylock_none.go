//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package filestorage

import (
	"errors"
	"os"
)

// tryLock says that there are no locks that work here: those of fcntl belong to
// the process, and closing any descriptor of the file ends them.
func tryLock(*os.File) error { return errors.ErrUnsupported }

func unlock(*os.File) error { return nil }
