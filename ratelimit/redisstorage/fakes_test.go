package redisstorage_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// listen serves connections until the test ends.
func listen(t *testing.T, serve func(net.Conn)) (addr string) {
	t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var open sync.WaitGroup
	var mu sync.Mutex
	var conns []net.Conn
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, c)
			mu.Unlock()
			open.Go(func() {
				defer c.Close()
				serve(c)
			})
		}
	}()
	t.Cleanup(func() {
		l.Close()
		mu.Lock()
		defer mu.Unlock()
		for _, c := range conns {
			c.Close()
		}
		open.Wait()
	})
	return l.Addr().String()
}

// lossy forwards connections to a server and can lose a reply.
type lossy struct {
	addr  string
	lose  atomic.Bool  // the next reply is lost, and its connection with it
	hold  atomic.Bool  // the next reply never comes
	calls atomic.Int64 // EVALSHA and EVAL that went through
}

func newLossy(t *testing.T, server string) *lossy {
	t.Helper()
	p := &lossy{}
	p.addr = listen(t, func(client net.Conn) {
		var d net.Dialer
		upstream, err := d.DialContext(context.Background(), "tcp", server)
		if err != nil {
			return
		}
		defer upstream.Close()
		go func() {
			defer client.Close()
			buf := make([]byte, 1<<16)
			for {
				n, err := upstream.Read(buf)
				if err != nil || p.lose.CompareAndSwap(true, false) {
					return
				}
				if p.hold.CompareAndSwap(true, false) {
					continue
				}
				if _, err := client.Write(buf[:n]); err != nil {
					return
				}
			}
		}()
		buf := make([]byte, 1<<16)
		for {
			n, err := client.Read(buf)
			if err != nil {
				return
			}
			p.calls.Add(int64(strings.Count(strings.ToLower(string(buf[:n])), "\r\neval")))
			if _, err := upstream.Write(buf[:n]); err != nil {
				return
			}
		}
	})
	return p
}

// scripted is a server that answers EVALSHA and EVAL with replies in the Redis
// protocol, the last of them for good.
type scripted struct {
	addr string

	mu      sync.Mutex
	replies []string
	names   []string // of the script calls
}

func newScripted(t *testing.T, replies ...string) *scripted {
	t.Helper()
	s := &scripted{replies: replies}
	s.addr = listen(t, func(c net.Conn) {
		r := bufio.NewReader(c)
		for {
			words, err := command(r)
			if err != nil {
				return
			}
			if _, err := io.WriteString(c, s.reply(strings.ToLower(words[0]))); err != nil {
				return
			}
		}
	})
	return s
}

func (s *scripted) reply(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch name {
	case "evalsha", "eval":
		s.names = append(s.names, name)
		reply := s.replies[0]
		if len(s.replies) > 1 {
			s.replies = s.replies[1:]
		}
		return reply
	case "hello":
		return "-ERR unknown command 'HELLO'\r\n"
	default:
		return "+OK\r\n"
	}
}

func (s *scripted) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.names...)
}

// command reads one command of the Redis protocol.
func command(r *bufio.Reader) ([]string, error) {
	n, err := length(r, '*')
	if err != nil {
		return nil, err
	}
	words := make([]string, n)
	for i := range words {
		size, err := length(r, '$')
		if err != nil {
			return nil, err
		}
		word := make([]byte, size+2)
		if _, err := io.ReadFull(r, word); err != nil {
			return nil, err
		}
		words[i] = string(word[:size])
	}
	return words, nil
}

func length(r *bufio.Reader, kind byte) (int, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return 0, err
	}
	if line[0] != kind {
		return 0, fmt.Errorf("%q does not begin with %q", line, kind)
	}
	return strconv.Atoi(strings.TrimSpace(line[1:]))
}

// integers is a reply.
func integers(values ...int64) string {
	reply := fmt.Sprintf("*%d\r\n", len(values))
	for _, v := range values {
		reply += fmt.Sprintf(":%d\r\n", v)
	}
	return reply
}

var errFake = errors.New("made up")
