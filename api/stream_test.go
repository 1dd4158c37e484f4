package api_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
)

// network connects a client to a server without the system, so that the time of
// a bubble applies.
type network struct {
	connections chan net.Conn
	once        sync.Once
	closed      chan struct{}
}

func (n *network) Accept() (net.Conn, error) {
	select {
	case c := <-n.connections:
		return c, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

func (n *network) Close() error {
	n.once.Do(func() { close(n.closed) })
	return nil
}

func (n *network) Addr() net.Addr { return &net.TCPAddr{} }

func (n *network) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	n.connections <- server
	return client, nil
}

// started serves a response as the presenter does, which cuts what broke off. The
// channel gets what Send returned.
func started(t *testing.T, server *http.Server, response api.Response) (client *http.Client, results <-chan error) {
	t.Helper()
	errs := make(chan error, 8)
	return served(t, server, func(w http.ResponseWriter, r *http.Request) {
		err := response.Send(w, r)
		errs <- err
		if err != nil {
			panic(http.ErrAbortHandler)
		}
	}), errs
}

func served(t *testing.T, server *http.Server, handler http.HandlerFunc) *http.Client {
	t.Helper()
	n := &network{connections: make(chan net.Conn), closed: make(chan struct{})}
	server.Handler = handler
	go func() { _ = server.Serve(n) }() // ends with the test
	transport := &http.Transport{DialContext: n.dial, Protocols: server.Protocols}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		require.NoError(t, server.Close())
	})
	return &http.Client{Transport: transport}
}

func get(t *testing.T, client *http.Client) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://example.com/", nil)
	require.NoError(t, err)
	res, err := client.Do(r)
	require.NoError(t, err)
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

func TestStreamSendsEachPiece(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := make(chan struct{})
		client, results := started(t, &http.Server{}, api.Stream("text/csv", func(_ context.Context, w io.Writer) error {
			for _, piece := range []string{"a\n", "b\n"} {
				if _, err := io.WriteString(w, piece); err != nil {
					return err
				}
				<-next
			}
			return nil
		}))
		res := get(t, client)
		require.Equal(t, 200, res.StatusCode)
		require.Equal(t, "text/csv", res.Header.Get("Content-Type"))
		lines := bufio.NewReader(res.Body)
		for _, want := range []string{"a\n", "b\n"} {
			line, err := lines.ReadString('\n') // it is here, although the function waits
			require.NoError(t, err)
			require.Equal(t, want, line)
			next <- struct{}{}
		}
		_, err := lines.ReadByte()
		require.Equal(t, io.EOF, err)
		require.NoError(t, <-results)
	})
}

// The timeouts of a server are for whole answers. A stream has them for each
// piece, and leaves none to the next request of the connection.
func TestStreamOutlivesTheTimeoutsOfTheServer(t *testing.T) {
	for name, row := range map[string]struct {
		timeout time.Duration
		http2   bool
	}{
		"HTTP/1, none": {0, false}, "HTTP/1": {time.Second, false}, "HTTP/2, none": {0, true}, "HTTP/2": {time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				protocols := &http.Protocols{}
				protocols.SetHTTP1(!row.http2)
				protocols.SetUnencryptedHTTP2(row.http2)
				server := &http.Server{Protocols: protocols, WriteTimeout: row.timeout, ReadTimeout: row.timeout, IdleTimeout: time.Hour}
				client, results := started(t, server, api.Stream("text/csv", func(ctx context.Context, w io.Writer) error {
					for range 3 {
						time.Sleep(time.Minute)
						if _, err := io.WriteString(w, "a"); err != nil {
							return err
						}
					}
					time.Sleep(time.Minute)
					return ctx.Err()
				}))
				for range 2 {
					body, err := io.ReadAll(get(t, client).Body)
					require.NoError(t, err)
					require.Equal(t, "aaa", string(body)) // peer-fw 67
					require.NoError(t, <-results)
					time.Sleep(2 * time.Minute)
				}
			})
		})
	}
}

// What stands in place of a stream has its time, however late it is.
func TestStreamThatFailsAfterTheTimeoutIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := served(t, &http.Server{WriteTimeout: time.Second}, func(w http.ResponseWriter, r *http.Request) {
			err := api.Stream("text/csv", func(context.Context, io.Writer) error {
				time.Sleep(time.Minute)
				return errors.New("no report")
			}).Send(w, r)
			http.Error(w, err.Error(), http.StatusInternalServerError)
		})
		res := get(t, client)
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.Equal(t, 500, res.StatusCode)
		require.Equal(t, "no report\n", string(body))
	})
}

// It is not kept open for a client that takes nothing.
func TestStreamThatFailsWaitsForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		closed := make(chan time.Time, 1)
		server := &http.Server{ConnState: func(_ net.Conn, state http.ConnState) {
			if state == http.StateClosed {
				closed <- time.Now()
			}
		}}
		client := served(t, server, func(w http.ResponseWriter, r *http.Request) {
			err := api.Stream("text/csv", func(context.Context, io.Writer) error { return errors.New("no report") }).Send(w, r)
			http.Error(w, err.Error(), http.StatusInternalServerError)
		})
		start := time.Now()
		conn, err := client.Transport.(*http.Transport).DialContext(t.Context(), "", "")
		require.NoError(t, err)
		_, err = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n")
		require.NoError(t, err)
		require.Equal(t, 30*time.Second, (<-closed).Sub(start))
	})
}

func TestStreamGivesUpAClientThatTakesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, results := started(t, &http.Server{}, api.Stream("text/csv", func(_ context.Context, w io.Writer) error {
			for {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return err
				}
			}
		}))
		start := time.Now()
		_ = get(t, client)
		require.Error(t, <-results)
		require.Equal(t, 30*time.Second, time.Since(start))
	})
}

func TestStreamEndsWithItsClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := make(chan error, 1)
		client, results := started(t, &http.Server{}, api.Stream("text/csv", func(ctx context.Context, w io.Writer) error {
			if _, err := io.WriteString(w, "a"); err != nil {
				return err
			}
			<-ctx.Done()
			_, err := io.WriteString(w, "b")
			late <- err
			return ctx.Err()
		}))
		require.NoError(t, get(t, client).Body.Close())
		require.Equal(t, context.Canceled, <-results)
		require.Equal(t, context.Canceled, <-late)
	})
}

// A program that shuts down ends the context of its server, and the streams with it.
func TestStreamEndsWithItsServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base, shutdown := context.WithCancel(t.Context())
		server := &http.Server{BaseContext: func(net.Listener) context.Context { return base }}
		server.RegisterOnShutdown(shutdown)
		client, results := started(t, server, api.Events(func(ctx context.Context, _ func(api.Event) error) error {
			<-ctx.Done()
			return nil
		}))
		res, rest := get(t, client), make(chan error, 1)
		go func() {
			_, err := io.ReadAll(res.Body)
			rest <- err
		}()
		require.NoError(t, server.Shutdown(t.Context())) // peer-fw 68
		require.NoError(t, <-results)
		require.NoError(t, <-rest)
	})
}

func TestStreamThatFailsLateIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("the database is gone")
		client, results := started(t, &http.Server{}, api.Stream("text/csv", func(_ context.Context, w io.Writer) error {
			_, err := io.WriteString(w, "a")
			return errors.Join(err, broken)
		}))
		body, err := io.ReadAll(get(t, client).Body)
		require.Equal(t, io.ErrUnexpectedEOF, err)
		require.Equal(t, "a", string(body))
		require.ErrorIs(t, <-results, broken)
	})
}

func TestStreamFailsBeforeItsFirstByte(t *testing.T) {
	write := func(context.Context, io.Writer) error { return api.NotFound("report") }
	for _, row := range []struct {
		response api.Response
		want     error
	}{
		{api.Stream("text/csv", write), api.NotFound("report")},
		{api.Stream("text/csv", nil), errors.New("api: stream the response: there is no function")},
		{api.Stream("", write), errors.New(`api: "" cannot be the media type of a response`)},
		{api.Stream("a\nb", write), errors.New(`api: "a\nb" cannot be the media type of a response`)},
		{api.Events(nil), errors.New("api: send events: there is no function")},
	} {
		require.EqualError(t, row.response.Send(&untouched{t: t}, nil), row.want.Error())
	}
}

func TestStreamOfNothing(t *testing.T) {
	written := 0
	response := api.WithHeader(api.Stream("text/csv", func(context.Context, io.Writer) error { written++; return nil }), http.Header{"Content-Type": {"text/tsv"}})
	want := answer{200, http.Header{"Content-Type": {"text/tsv"}}, ""}
	require.Equal(t, want, sent(t, response))
	require.Equal(t, want, sent(t, response), "sent again")
	require.Equal(t, 2, written)

	w := httptest.NewRecorder()
	require.NoError(t, response.Send(w, httptest.NewRequest(http.MethodHead, "/", nil)))
	require.Equal(t, want, answer{w.Code, w.Header(), w.Body.String()}) // FW-270
	require.Equal(t, 2, written, "HEAD does not call it")
	require.ErrorIs(t, api.Stream("text/csv", func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, "a")
		return err
	}).Send(brokenConnection{httptest.NewRecorder()}, nil), http.ErrHandlerTimeout)
}
