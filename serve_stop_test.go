package sallyport_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
)

// pipes is a network without the system, so that the time of a bubble applies.
type pipes struct {
	conns  chan net.Conn
	fails  chan error
	once   sync.Once
	closed chan struct{}
}

func newPipes() *pipes {
	return &pipes{conns: make(chan net.Conn), fails: make(chan error), closed: make(chan struct{})}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case err := <-p.fails:
		return nil, err
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-p.closed:
		return nil, errors.New("connection refused")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// client has connections of its own, which end with the bubble.
func (p *pipes) client(t *testing.T, h2c bool) *http.Client {
	client := newClient(t, h2c)
	client.Transport.(*http.Transport).DialContext = p.dial
	return client
}

// answer is what a request of a test ends with.
type answer struct {
	status     int
	connection string // "close": the client shall not come back on it
	body       string
	broken     bool // it came without its end, or not at all
}

// ask makes requests in the background.
func ask(t *testing.T, client *http.Client, path string) <-chan answer {
	answers := make(chan answer, 1)
	go func() {
		r, err := http.NewRequestWithContext(t.Context(), "POST", "http://example.com"+path, nil)
		if err != nil {
			panic(err)
		}
		res, err := client.Do(r)
		if err != nil {
			answers <- answer{broken: true}
			return
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		a := answer{status: res.StatusCode, body: string(text), broken: err != nil}
		if res.Close {
			a.connection = "close"
		}
		answers <- a
	}()
	synctest.Wait()
	return answers
}

func inBothProtocols(t *testing.T, test func(t *testing.T, h2c bool)) {
	for name, h2c := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, h2c) }) // which fails for goroutines that stay
		})
	}
}

// waits is a handler that waits for a time or the end of its context.
func waits(d time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(d):
			_, _ = io.WriteString(w, "done")
		case <-r.Context().Done():
		}
	}
}

func TestARunningRequestHasTheGrace(t *testing.T) {
	for name, row := range map[string]struct {
		grace, takes time.Duration
		took         time.Duration
		broken       bool
		err          string
	}{
		"it is enough":        {0, 9 * time.Second, 9 * time.Second, false, ""},
		"it is not":           {0, time.Minute, 10 * time.Second, true, "sallyport: serve: 1 running requests were cut: the grace of 10s was over"},
		"a short one":         {time.Millisecond, time.Minute, time.Millisecond, true, "sallyport: serve: 1 running requests were cut: the grace of 1ms was over"},
		"as long as it takes": {-1, time.Hour, time.Hour, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			inBothProtocols(t, func(t *testing.T, h2c bool) {
				network := newPipes()
				s := startServer(t, sallyport.Server{Listener: network, H2C: true, WriteTimeout: -1, Grace: row.grace}, waits(row.takes))
				answers := ask(t, network.client(t, h2c), "/")
				start := time.Now()
				s.stop()
				got := <-answers
				require.Equal(t, row.broken, got.broken)
				require.Equal(t, row.took, time.Since(start))
				if !row.broken {
					require.Equal(t, "done", got.body)
				}
				err := <-s.stopped
				if row.err == "" {
					require.NoError(t, err)
				} else {
					require.EqualError(t, err, row.err)
				}
				require.LessOrEqual(t, time.Since(start), row.took+2*time.Second)
			})
		})
	}
}

// A handler that does not look at its context cannot hold up the stop.
func TestAHandlerThatDoesNotEndIsLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		forever := make(chan struct{})
		defer close(forever)
		network := newPipes()
		s := startServer(t, sallyport.Server{Listener: network}, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-forever }))
		answers := ask(t, network.client(t, false), "/")
		start := time.Now()
		require.EqualError(t, s.end(), "sallyport: serve: 1 running requests were cut: the grace of 10s was over")
		require.Equal(t, 11*time.Second, time.Since(start))
		require.Equal(t, answer{broken: true}, <-answers)
	})
}

// Streams end when the stop begins, and nobody waits for them; a request beside
// them keeps its context.
func TestStreamsEndWhenTheServerStops(t *testing.T) {
	for name, row := range map[string]struct {
		handler api.Handler
		want    answer
	}{
		"events": {returns(api.Events(func(ctx context.Context, send func(api.Event) error) error {
			if err := send(api.Event{Data: "hello"}); err != nil {
				return err
			}
			<-ctx.Done()
			return send(api.Event{Data: "too late"})
		}), nil), answer{status: 200, body: "data: hello\n\n"}},
		"a stream, which is not whole": {returns(api.Stream("text/csv", func(ctx context.Context, w io.Writer) error {
			_, err := io.WriteString(w, "a")
			<-ctx.Done()
			return errors.Join(err, ctx.Err())
		}), nil), answer{status: 200, body: "a", broken: true}},
		"a stream that has not begun": {returns(api.Stream("text/csv", func(ctx context.Context, _ io.Writer) error {
			<-ctx.Done()
			return ctx.Err()
		}), nil), answer{status: 503, body: `{"status":"error","message":"Service Unavailable"}`}},
		"a long poll": {handler.Func(func(ctx context.Context, _ *api.Request) (api.Response, error) {
			<-api.ServerEnding(ctx)
			return api.JSON(200, "nothing new"), nil
		}), answer{status: 200, body: `"nothing new"`}},
	} {
		t.Run(name, func(t *testing.T) {
			inBothProtocols(t, func(t *testing.T, h2c bool) {
				p := newProgram(sallyport.Config{})
				p.AddApi(api.POST("1", "stream"), row.handler, auth.None())
				p.AddApi(api.POST("1", "plain"), handler.HTTP(waits(5*time.Second)), auth.None())
				network := newPipes()
				s := startServer(t, sallyport.Server{Listener: network, H2C: true}, p.build(t))
				client := network.client(t, h2c)
				stream, plain := ask(t, client, "/api/v1/stream"), ask(t, client, "/api/v1/plain")
				start := time.Now()
				s.stop()
				require.Equal(t, row.want, <-stream) // peer-fw 68
				require.Zero(t, time.Since(start))
				require.Equal(t, "done", (<-plain).body)
				require.Equal(t, 5*time.Second, time.Since(start))
				require.NoError(t, <-s.stopped)
			})
		})
	}
}

// Streams that come while the server stops end, too, and tell it in the right type.
func TestEventsOfAServerThatStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := make(chan struct{})
		p := newProgram(sallyport.Config{})
		p.AddApi(api.GET("1", "events"), handler.Func(func(ctx context.Context, r *api.Request) (api.Response, error) {
			next <- struct{}{}
			<-api.ServerEnding(ctx)
			return api.Events(func(ctx context.Context, _ func(api.Event) error) error {
				<-ctx.Done()
				return ctx.Err()
			}), nil
		}), auth.None())
		network := newPipes()
		s := startServer(t, sallyport.Server{Listener: network}, p.build(t))
		go func() {
			<-next
			s.stop()
		}()
		res, text := call(t, network.client(t, false), "GET", "http://example.com/api/v1/events")
		require.Equal(t, 200, res.StatusCode)
		require.Equal(t, "text/event-stream", res.Header.Get("Content-Type")) // anything else tells a browser to give up
		require.Empty(t, text)
		require.NoError(t, <-s.stopped)
	})
}

func TestTheWriteTimeout(t *testing.T) {
	for name, row := range map[string]struct {
		timeout, takes time.Duration
		want           answer
	}{
		"in time":  {0, 29 * time.Second, answer{status: 200, body: "done"}},
		"too late": {0, 31 * time.Second, answer{broken: true}},
		"a longer": {time.Minute, 31 * time.Second, answer{status: 200, body: "done"}},
		"none":     {-1, time.Hour, answer{status: 200, body: "done"}},
	} {
		t.Run(name, func(t *testing.T) {
			inBothProtocols(t, func(t *testing.T, h2c bool) {
				network := newPipes()
				s := startServer(t, sallyport.Server{Listener: network, H2C: true, WriteTimeout: row.timeout}, waits(row.takes))
				require.Equal(t, row.want, <-ask(t, network.client(t, h2c), "/"))
				require.NoError(t, s.end())
			})
		})
	}
}

// A connection of HTTP/2 that is open for nothing is closed before it is idle.
func TestASilentConnectionOfHTTP2(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := newPipes()
		s := startServer(t, sallyport.Server{Listener: network, H2C: true}, okPage)
		conn, err := network.dial(t.Context(), "", "")
		require.NoError(t, err)
		start := time.Now()
		go func() {
			_, _ = io.WriteString(conn, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00")
		}()
		_, err = io.Copy(io.Discard, conn)
		require.NoError(t, err)
		require.Equal(t, 45*time.Second, time.Since(start))
		require.NoError(t, s.end())
	})
}

func TestServerEndingOutsideOfAServer(t *testing.T) {
	require.Nil(t, api.ServerEnding(t.Context())) // never ready
}

// The time-outs of the server are not those of a stream.
func TestStreamsOutliveTheTimeoutsOfTheServer(t *testing.T) {
	inBothProtocols(t, func(t *testing.T, h2c bool) {
		p := newProgram(sallyport.Config{})
		p.AddApi(api.POST("1", "stream"), returns(api.Stream("text/csv", func(ctx context.Context, w io.Writer) error {
			for range 10 {
				time.Sleep(time.Minute)
				if _, err := io.WriteString(w, "a"); err != nil {
					return err
				}
			}
			return ctx.Err()
		}), nil), auth.None())
		network := newPipes()
		s := startServer(t, sallyport.Server{Listener: network, H2C: true}, p.build(t))
		require.Equal(t, answer{status: 200, body: "aaaaaaaaaa"}, <-ask(t, network.client(t, h2c), "/api/v1/stream")) // peer-fw 67
		require.NoError(t, s.end())
	})
}

func TestTheDrainDelay(t *testing.T) {
	inBothProtocols(t, func(t *testing.T, h2c bool) {
		network := newPipes()
		s := startServer(t, sallyport.Server{
			Listener: network, H2C: true, DrainDelay: 5 * time.Second,
			Health: sallyport.Health{LivenessPath: "/livez", ReadinessPath: "/readyz"},
		}, okPage)
		client := network.client(t, h2c)
		res, text := call(t, client, "GET", "http://example.com/readyz")
		require.Equal(t, `200 {"status":"ok"}`, res.Status[:4]+text)
		require.False(t, res.Close)

		start := time.Now()
		s.stop()
		synctest.Wait()
		for path, want := range map[string]string{
			"/readyz": `503 {"status":"unavailable"}`, "/livez": `200 {"status":"ok"}`, "/": "200 ok", // requests are served as before
		} {
			res, text := call(t, client, "GET", "http://example.com"+path)
			require.Equal(t, want, res.Status[:4]+text)
			require.Equal(t, !h2c, res.Close, "HTTP/2 says it in a frame")
		}
		require.Zero(t, time.Since(start))
		time.Sleep(5 * time.Second)
		synctest.Wait()
		require.Equal(t, answer{broken: true}, <-ask(t, client, "/"))
		require.NoError(t, <-s.stopped)
	})
}

// Connections that were taken out of the server's hands have the grace, too.
func TestHijackedConnectionsHaveTheGrace(t *testing.T) {
	for name, ends := range map[string]bool{"it ends": true, "it does not": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				network := newPipes()
				s := startServer(t, sallyport.Server{Listener: network}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					conn, _, err := http.NewResponseController(w).Hijack()
					if err != nil {
						panic(err)
					}
					defer conn.Close()
					<-api.ServerEnding(r.Context())
					if ends {
						time.Sleep(3 * time.Second)
						_, _ = io.WriteString(conn, "bye\n")
						return
					}
					<-r.Context().Done() // its context does end
				}))
				conn, err := network.dial(t.Context(), "", "")
				require.NoError(t, err)
				_, err = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
				require.NoError(t, err)
				synctest.Wait()
				start := time.Now()
				s.stop()
				if ends {
					line, err := bufio.NewReader(conn).ReadString('\n')
					require.NoError(t, err)
					require.Equal(t, "bye\n", line)
					require.NoError(t, <-s.stopped)
					require.Equal(t, 3*time.Second, time.Since(start))
					return
				}
				require.EqualError(t, <-s.stopped, "sallyport: serve: 1 running requests were cut: the grace of 10s was over")
				require.Equal(t, 10*time.Second, time.Since(start))
			})
		})
	}
}

// A connection without a request is no loss, however long it is open.
func TestAConnectionWithoutARequestIsNoLoss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := newPipes()
		s := startServer(t, sallyport.Server{Listener: network, Grace: time.Second}, okPage)
		conn, err := network.dial(t.Context(), "", "")
		require.NoError(t, err)
		synctest.Wait()
		start := time.Now()
		require.NoError(t, s.end())
		require.Equal(t, time.Second, time.Since(start))
		_, err = conn.Read(make([]byte, 1))
		require.Equal(t, io.EOF, err)
	})
}

// A listener that breaks ends the server as its context does, with an error.
func TestAListenerThatBreaks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := newPipes()
		s := startServer(t, sallyport.Server{Listener: network, DrainDelay: time.Hour}, waits(5*time.Second))
		answers := ask(t, network.client(t, false), "/")
		network.fails <- errors.New("no more files")
		require.Equal(t, "done", (<-answers).body)
		require.EqualError(t, <-s.stopped, "sallyport: serve: no more files")
		<-network.closed
	})
}
