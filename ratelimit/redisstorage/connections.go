package redisstorage

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// connections are those of a client that [Open] has made.
//
// A connection that dies in silence, because a firewall or a balancer has
// forgotten it, stays in the client's pool, and each costs a call that waits in
// vain. So when a server is silent, those that nobody waits for are closed, and
// the next call dials.
type connections struct {
	base time.Time
	dial func(ctx context.Context, network, addr string) (net.Conn, error)

	mu      sync.Mutex
	servers map[string]*server // that have connections
}

// server is one address. Its times, as those of connections, are nanoseconds
// since base.
type server struct {
	wrote, heard atomic.Int64

	open map[*connection]struct{} // guarded by the mutex of connections
}

type connection struct {
	net.Conn
	all          *connections
	server       *server
	addr         string
	wrote, heard atomic.Int64
	closed       atomic.Bool
}

func newConnections(dial func(ctx context.Context, network, addr string) (net.Conn, error)) *connections {
	return &connections{base: time.Now(), dial: dial, servers: map[string]*server{}}
}

// Dial is for the options of a client.
func (a *connections) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	inner, err := a.dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	c := &connection{Conn: inner, all: a, addr: addr}
	c.heard.Store(a.now()) // that it was made
	a.mu.Lock()
	defer a.mu.Unlock()
	if c.server = a.servers[addr]; c.server == nil {
		c.server = &server{open: map[*connection]struct{}{}}
		a.servers[addr] = c.server
	}
	c.server.open[c] = struct{}{}
	return c, nil
}

func (a *connections) now() int64 { return int64(time.Since(a.base)) }

// closeSilent closes what is idle of the servers that were asked since then and
// have said nothing, if anything. A connection with a call on its way is left alone: the call
// may be answered, and if not, its time-out closes it.
func (a *connections) closeSilent(since time.Time) (closed bool) {
	then := int64(since.Sub(a.base))
	var silent []*connection
	a.mu.Lock()
	for _, s := range a.servers {
		if s.wrote.Load() < then || s.heard.Load() >= then {
			continue
		}
		for c := range s.open {
			if heard := c.heard.Load(); heard < then && c.wrote.Load() <= heard {
				silent = append(silent, c)
			}
		}
	}
	a.mu.Unlock()
	for _, c := range silent {
		_ = c.Close()
	}
	return len(silent) > 0
}

func (c *connection) Write(b []byte) (int, error) {
	now := c.all.now()
	c.wrote.Store(now)
	c.server.wrote.Store(now)
	return c.Conn.Write(b)
}

func (c *connection) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 {
		now := c.all.now()
		c.heard.Store(now)
		c.server.heard.Store(now)
	}
	return n, err
}

func (c *connection) Close() error {
	if c.closed.CompareAndSwap(false, true) {
		c.all.mu.Lock()
		delete(c.server.open, c)
		if len(c.server.open) == 0 && c.all.servers[c.addr] == c.server {
			delete(c.all.servers, c.addr)
		}
		c.all.mu.Unlock()
	}
	return c.Conn.Close()
}

// SyscallConn is how the pool finds out that a connection was closed. It looks
// into the socket, too, but must not into one with TLS: what it would find there
// is no reply.
func (c *connection) SyscallConn() (syscall.RawConn, error) {
	if c.closed.Load() {
		return nil, net.ErrClosed
	}
	if s, ok := c.Conn.(syscall.Conn); ok {
		return s.SyscallConn()
	}
	return opaque{}, nil
}

// opaque is a socket that nobody looks into.
type opaque struct{}

func (opaque) Control(func(fd uintptr)) error    { return nil }
func (opaque) Read(func(fd uintptr) bool) error  { return nil }
func (opaque) Write(func(fd uintptr) bool) error { return nil }
