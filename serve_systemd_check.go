//go:build unix

package sallyport

import (
	"errors"
	"fmt"
	"syscall"
)

// checkPassed tells why a descriptor is none to accept from. It only asks: a
// program that was told wrong may have its own file there.
func checkPassed(fd int) error {
	var stat syscall.Stat_t
	if err := syscall.Fstat(fd, &stat); err != nil {
		return fmt.Errorf("the descriptor %d is not open: %w", fd, err)
	}
	if stat.Mode&syscall.S_IFMT != syscall.S_IFSOCK {
		return fmt.Errorf("the descriptor %d is no socket", fd)
	}
	kind, err := syscall.GetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_TYPE)
	switch {
	case err != nil:
		return fmt.Errorf("its type: %w", err)
	case kind != syscall.SOCK_STREAM:
		return errors.New("it is not for streams: give the service a ListenStream")
	}
	listens, err := syscall.GetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_ACCEPTCONN)
	switch {
	case err != nil:
		return fmt.Errorf("whether it listens: %w", err)
	case listens == 0:
		return errors.New("it does not listen: with Accept=yes systemd accepts, and passes one connection")
	}
	if _, err := syscall.Getsockname(fd); err != nil {
		return fmt.Errorf("its address: %w", err)
	}
	return nil
}
