//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package sallyport

import (
	"io"
	"sync"
)

// socketLock serves in place of the locks of files, for this program alone.
var socketLock lockedSocket

type lockedSocket struct{ sync.Mutex }

func (l *lockedSocket) Close() error {
	l.Unlock()
	return nil
}

// tryLock takes the one lock of the program, or says errLocked at once.
func tryLock(string) (io.Closer, error) {
	if !socketLock.TryLock() {
		return nil, errLocked
	}
	return &socketLock, nil
}
