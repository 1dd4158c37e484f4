package sallyport_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
)

// hijacks is a handler that takes its connection and says hello on it.
func hijacks(then func(ctx context.Context, conn net.Conn)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		_, _ = io.WriteString(conn, "hello\n")
		then(r.Context(), conn)
	}
}

// hijack makes a request over a connection and waits for the hello.
func hijack(t testing.TB, conn net.Conn) {
	t.Helper()
	_, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	require.NoError(t, err)
	hello := make([]byte, len("hello\n"))
	_, err = io.ReadFull(conn, hello)
	require.NoError(t, err)
	require.Equal(t, "hello\n", string(hello))
}

// A handler that looks at nothing cannot keep its connection open either.
func TestAHijackedConnectionIsCutWithItsHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		forever := make(chan struct{})
		defer close(forever)
		network := newPipes()
		s := startServer(t, sallyport.Server{Listener: network}, hijacks(func(context.Context, net.Conn) { <-forever }))
		conn, err := network.dial(t.Context(), "", "")
		require.NoError(t, err)
		hijack(t, conn)
		start := time.Now()
		s.stop()
		require.NoError(t, conn.SetReadDeadline(start.Add(time.Minute)))
		_, err = conn.Read(make([]byte, 1))
		require.Equal(t, io.EOF, err)
		require.Equal(t, 10*time.Second, time.Since(start))
		require.EqualError(t, <-s.stopped, "sallyport: serve: 1 running requests were cut: the grace of 10s was over")
	})
}

// A connection that goes on after its handler has the grace like any other.
func TestAHijackedConnectionThatOutlivesItsHandler(t *testing.T) {
	files := newCertificateFiles(t)
	files.write(t, 1)
	for protocol, server := range map[string]func(t *testing.T) sallyport.Server{
		"TCP": func(*testing.T) sallyport.Server { return sallyport.Server{} },
		"TLS": func(*testing.T) sallyport.Server {
			return sallyport.Server{CertFile: files.cert, KeyFile: files.key}
		},
		"a listener of TLS": func(t *testing.T) sallyport.Server {
			certificate, err := tls.LoadX509KeyPair(files.cert, files.key)
			require.NoError(t, err)
			inner, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
			require.NoError(t, err)
			return sallyport.Server{Listener: tls.NewListener(inner, &tls.Config{Certificates: []tls.Certificate{certificate}})}
		},
	} {
		for end, row := range map[string]struct {
			grace time.Duration
			after func(ctx context.Context, conn net.Conn)
			want  string // the error
		}{
			"it was closed before": {-1, func(_ context.Context, conn net.Conn) { _ = conn.Close() }, ""},
			"it ends": {-1, func(ctx context.Context, conn net.Conn) {
				<-api.ServerEnding(ctx)
				_ = conn.Close()
			}, ""},
			"it does not": {100 * time.Millisecond, func(context.Context, net.Conn) {},
				"sallyport: serve: 1 hijacked connections were cut: the grace of 100ms was over"},
		} {
			t.Run(protocol+", "+end, func(t *testing.T) {
				options := server(t)
				options.Grace = row.grace
				kept := make(chan net.Conn, 1)
				s := startServer(t, options, hijacks(func(ctx context.Context, conn net.Conn) {
					go row.after(ctx, conn)
					kept <- conn
				}))
				conn := dial(t, s.addr)
				if protocol != "TCP" {
					conn = tls.Client(conn, &tls.Config{InsecureSkipVerify: true})
				}
				hijack(t, conn)
				defer runtime.KeepAlive(<-kept) // or it is closed as garbage
				err := s.end()
				if row.want == "" {
					require.NoError(t, err)
				} else {
					require.EqualError(t, err, row.want)
				}
				_, err = conn.Read(make([]byte, 1))
				require.Equal(t, io.EOF, err)
			})
		}
	}
}

// A connection that was hijacked and closed is garbage while the server runs.
func TestHijackedConnectionsAreForgotten(t *testing.T) {
	const conns = 300
	var freed atomic.Int64
	s := startServer(t, sallyport.Server{}, hijacks(func(_ context.Context, conn net.Conn) {
		runtime.AddCleanup(conn.(*net.TCPConn), func(int) { freed.Add(1) }, 0) // nothing is wrapped around it
		_ = conn.Close()
	}))
	for range conns {
		conn := dial(t, s.addr)
		hijack(t, conn)
		_, err := conn.Read(make([]byte, 1))
		require.Equal(t, io.EOF, err)
		require.NoError(t, conn.Close())
	}
	for end := time.Now().Add(10 * time.Second); freed.Load() < conns/2; runtime.GC() {
		require.True(t, time.Now().Before(end), "%d of %d are freed", freed.Load(), conns)
	}
	require.NoError(t, s.end())
}

// oddListener has connections of a type of its own, which cannot be compared.
type oddListener struct{ *pipes }

type oddConn struct {
	net.Conn
	_ []byte
}

func (l oddListener) Accept() (net.Conn, error) {
	conn, err := l.pipes.Accept()
	return oddConn{Conn: conn}, err
}

// A connection of which nobody can tell when it is closed is the program's when
// its handler has returned.
func TestHijackedConnectionsOfOtherListeners(t *testing.T) {
	for name, listener := range map[string]func(p *pipes) net.Listener{
		"without a descriptor":    func(p *pipes) net.Listener { return p },
		"that cannot be compared": func(p *pipes) net.Listener { return oddListener{p} },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				network := newPipes()
				kept := make(chan net.Conn, 1)
				s := startServer(t, sallyport.Server{Listener: listener(network)}, hijacks(func(_ context.Context, conn net.Conn) { kept <- conn }))
				conn, err := network.dial(t.Context(), "", "")
				require.NoError(t, err)
				hijack(t, conn)
				start := time.Now()
				require.NoError(t, s.end())
				require.Less(t, time.Since(start), time.Second)
				require.NoError(t, (<-kept).Close())
			})
		})
	}
}
