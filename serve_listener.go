package sallyport

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
)

// unixPrefix is in front of an address that is a path.
const unixPrefix = "unix:"

// listen opens what the server accepts from.
func (s Server) listen(ctx context.Context) (net.Listener, error) {
	if s.Listener != nil {
		return s.Listener, nil
	}
	var config net.ListenConfig
	network, addr := "tcp", s.Addr
	if path, unix := strings.CutPrefix(s.Addr, unixPrefix); unix {
		network, addr = "unix", path
	}
	listener, err := config.Listen(ctx, network, addr)
	inUse := errors.Is(err, syscall.EADDRINUSE)
	if inUse && network == "unix" && removeStale(ctx, addr) {
		listener, err = config.Listen(ctx, network, addr)
		inUse = errors.Is(err, syscall.EADDRINUSE)
	}
	switch {
	case inUse:
		return nil, fmt.Errorf("the address %s is in use, maybe by another instance of the program: %w", s.Addr, err)
	case err != nil:
		return nil, err
	}
	return &onceListener{Listener: listener}, nil
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

// onceListener may be closed by everybody who has to do with it; the first one
// gets the error.
type onceListener struct {
	net.Listener
	once sync.Once
}

func (l *onceListener) Close() (err error) {
	l.once.Do(func() { err = l.Listener.Close() })
	return err
}
