package sallyport

import (
	"context"
	"errors"
	"fmt"
	"net"
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
	listener, err := s.open(ctx)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("the address %s is in use, maybe by another instance of the program: %w", s.Addr, err)
	case err != nil:
		return nil, err
	}
	return &onceListener{Listener: listener}, nil
}

func (s Server) open(ctx context.Context) (net.Listener, error) {
	if path, unix := strings.CutPrefix(s.Addr, unixPrefix); unix {
		return listenAtPath(ctx, path)
	}
	var config net.ListenConfig
	return config.Listen(ctx, "tcp", s.Addr)
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
