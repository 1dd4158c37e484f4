package sallyport

import (
	"context"
	"crypto/tls"
	"maps"
	"net"
	"net/http"
	"reflect"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// hijacked are the connections that handlers took out of the hands of net/http,
// which forgets them.
type hijacked struct {
	any atomic.Bool // there was one, so requests have to look

	mu     sync.Mutex
	conns  map[net.Conn]*hijack
	enough int  // connections at which those that are closed are looked for
	over   bool // what comes now is too late
}

// hijack is what is known of one connection.
type hijack struct {
	raw      syscall.RawConn // nil: nobody can tell when it is closed
	returned bool            // its handler has, and somebody else goes on with it
}

// fewHijacked connections are not worth looking for closed ones.
const fewHijacked = 64

// connKey is where the context of a request has its connection.
type connKey struct{}

func withConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// changed hears of every new state of a connection.
func (h *hijacked) changed(conn net.Conn, state http.ConnState) {
	// The type may be that of a listener of the program, and no key of a map.
	if state != http.StateHijacked || !reflect.ValueOf(conn).Comparable() {
		return
	}
	if over, full := h.add(conn); over {
		cutConn(conn)
	} else if full {
		h.sweep()
	}
}

func (h *hijacked) add(conn net.Conn) (over, full bool) {
	raw := rawConn(conn)
	h.any.Store(true)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over {
		return true, false
	}
	if h.conns == nil {
		h.conns = map[net.Conn]*hijack{}
	}
	h.conns[conn] = &hijack{raw: raw}
	return false, len(h.conns) > h.enough
}

// handled is called when the handler of a request has returned. A connection of
// which nobody can tell when it is closed is the program's from then on, or a
// program that runs for long would collect them.
func (h *hijacked) handled(r *http.Request) {
	if !h.any.Load() || r.ProtoMajor != 1 {
		return
	}
	conn, _ := r.Context().Value(connKey{}).(net.Conn)
	if !reflect.ValueOf(conn).Comparable() {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch taken := h.conns[conn]; {
	case taken == nil:
	case taken.raw == nil:
		delete(h.conns, conn)
	default:
		taken.returned = true
	}
}

// sweep forgets the connections that were closed. It returns how many of the
// others have outlived their handlers.
func (h *hijacked) sweep() (left int) {
	h.mu.Lock()
	conns := maps.Clone(h.conns)
	h.mu.Unlock()
	maps.DeleteFunc(conns, func(_ net.Conn, taken *hijack) bool { return !isClosed(taken.raw) })
	h.mu.Lock()
	defer h.mu.Unlock()
	for conn := range conns {
		delete(h.conns, conn)
	}
	h.enough = 2*len(h.conns) + fewHijacked
	return h.leftLocked()
}

func (h *hijacked) leftLocked() (left int) {
	for _, taken := range h.conns {
		if taken.returned {
			left++
		}
	}
	return left
}

// wait waits for the connections that have outlived their handlers. Nobody tells
// when they are closed, so it asks.
func (h *hijacked) wait(until <-chan struct{}) (left int) {
	tick := time.NewTicker(settleTime)
	defer tick.Stop()
	for left = h.sweep(); left > 0; left = h.sweep() {
		select {
		case <-tick.C:
		case <-until:
			return left
		}
	}
	return 0
}

// cut closes what is left, and whatever is hijacked from now on.
func (h *hijacked) cut() {
	h.mu.Lock()
	conns := h.conns
	h.conns, h.over = nil, true
	h.mu.Unlock()
	for conn := range conns {
		cutConn(conn)
	}
}

// cutConn closes a connection without the words of TLS for a proper end, which
// it has not, and for which a client that does not read would have to be waited.
func cutConn(conn net.Conn) {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	_ = conn.Close()
}

// rawConn is the socket of a connection; nil: there is none.
func rawConn(conn net.Conn) syscall.RawConn {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return nil
	}
	return raw
}

// isClosed asks without reading, writing or waiting.
func isClosed(raw syscall.RawConn) bool {
	return raw != nil && raw.Control(func(uintptr) {}) != nil
}
