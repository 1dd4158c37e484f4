package sallyport

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
)

// firstPassed is the number of the first descriptor that systemd passes:
// SD_LISTEN_FDS_START.
const firstPassed = 3

// SystemdListener is the socket that systemd has opened for the program, see
// systemd.socket(5) and sd_listen_fds(3), for [Server].Listener. A program that
// was started otherwise gets nil without an error, and serves at its Addr. Call
// it once: it takes the variables LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES out
// of the environment, so that no program that this one starts believes them. A
// descriptor that is no stream socket which listens is an error, and stays as it is.
func SystemdListener() (net.Listener, error) {
	pid, fds := os.Getenv("LISTEN_PID"), os.Getenv("LISTEN_FDS")
	if pid == "" && fds == "" {
		return nil, nil
	}
	var errs []error
	for _, name := range []string{"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"} {
		errs = append(errs, os.Unsetenv(name))
	}
	listener, err := passedListener(pid, fds)
	if err != nil {
		return nil, fmt.Errorf("sallyport: the socket of systemd: %w", errors.Join(append(errs, err)...))
	}
	return listener, nil
}

func passedListener(pid, fds string) (net.Listener, error) {
	id, err := strconv.Atoi(pid)
	if err != nil {
		return nil, errors.New("LISTEN_PID is not a number")
	}
	if id != os.Getpid() { // meant for the program that has started this one
		return nil, nil
	}
	n, err := strconv.Atoi(fds)
	switch {
	case err != nil || n < 0:
		return nil, errors.New("LISTEN_FDS is not a number")
	case n == 0:
		return nil, nil
	case n > 1:
		return nil, fmt.Errorf("there are %d of them: give the service one ListenStream", n)
	}
	if err := checkPassed(firstPassed); err != nil {
		return nil, err
	}
	file := os.NewFile(firstPassed, "LISTEN_FD_3")
	listener, err := net.FileListener(file) // a duplicate, which is not passed on
	return listener, errors.Join(err, file.Close())
}
