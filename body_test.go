package sallyport_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler"
)

func TestTheBodyIsBoundedAndNotReadBeforeTheHandler(t *testing.T) {
	reads := 0
	readsBody := handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
		data, err := r.Bytes(0)
		return api.Text(200, string(data)), err
	})
	for _, tc := range []struct {
		name    string
		maxBody int64
		body    string
		length  int64
		a       api.Authorization
		status  int
		reads   bool
	}{
		{"a body of exactly the limit", 4, "1234", 4, open, 200, true},        // peer-fw 26
		{"a longer one that says so", 4, "12345", 5, open, 413, false},        // FW-076
		{"a longer one that does not", 4, "12345", -1, open, 413, true},       // FW-076, peer-fw 28
		{"a shorter one that does not say so", 4, "123", -1, open, 200, true}, // peer-fw 28
		{"no limit", -1, "12345", 5, open, 200, true},
		{"an unauthorized one", 4, "1234", 4, bearer, 401, false}, // FW-058
	} {
		t.Run(tc.name, func(t *testing.T) {
			reads = 0
			p := newProgram(sallyport.Config{})
			p.Add(api.Api{Endpoint: api.POST("1", "users"), Handler: readsBody, Authorization: tc.a, MaxBody: tc.maxBody})
			r := httptest.NewRequest("POST", "/api/v1/users", countingReader{strings.NewReader(tc.body), &reads})
			r.ContentLength = tc.length
			w := httptest.NewRecorder()
			p.build(t).ServeHTTP(w, r)
			require.Equal(t, tc.status, w.Code)
			require.Equal(t, tc.reads, reads > 0)
			if tc.status == 200 {
				require.Equal(t, tc.body, w.Body.String())
			}
		})
	}
}

// bodyReader is a handler that answers with the body, bounded by itself.

func bodyReader(limit int64) api.Handler {
	return handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
		data, err := r.Bytes(limit)
		return api.Text(200, string(data)), err
	})
}

func TestABodyThatCannotBeReadIsTheClientsFault(t *testing.T) {
	down := fmt.Errorf("db: %w", os.ErrDeadlineExceeded)
	wrapped := handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
		_, err := io.ReadAll(r.Body)
		return nil, api.Error{Status: 422, Message: "no JSON", Err: err}
	})
	for _, tc := range []struct {
		name    string
		h       api.Handler
		err     error
		status  int
		message string
	}{
		{"it breaks off", bodyReader(0), io.ErrUnexpectedEOF, 400, "The request body cannot be read"},
		{"it is badly chunked", bodyReader(0), errors.New("malformed chunked encoding"), 400, "The request body cannot be read"},
		{"it is too slow for the server", bodyReader(0), os.ErrDeadlineExceeded, 408, "The request body came too slowly"},
		{"the handler says something else", wrapped, io.ErrUnexpectedEOF, 400, "The request body cannot be read"},
		{"the time-out of another connection is the server's", returns(nil, down), nil, 500, "Internal server error"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newProgram(sallyport.Config{})
			p.Add(api.Api{Endpoint: api.POST("1", "users"), Handler: tc.h, Authorization: readingAuth})
			r := httptest.NewRequest("POST", "/api/v1/users", io.MultiReader(strings.NewReader("part"), iotest.ErrReader(tc.err)))
			w := httptest.NewRecorder()
			p.build(t).ServeHTTP(w, r)
			require.Equal(t, tc.status, w.Code)
			require.Equal(t, fmt.Sprintf(`{"status":"error","message":%q}`, tc.message), w.Body.String())
			require.Equal(t, tc.status == 500, p.log.Len() > 0, "clients do not fill the log of errors")
		})
	}
}

// readingAuth reads a part of the body, as one that signs it might.

var readingAuth = authFunc{f: func(_ context.Context, r *api.Request) (api.Identity, error) {
	_, err := io.ReadFull(r.Body, make([]byte, 2))
	return api.Identity{}, err
}}

func TestTheTimeOfAnEndpointEndsASlowBody(t *testing.T) {
	p := newProgram(sallyport.Config{})
	p.Add(api.Api{Endpoint: api.POST("1", "users"), Handler: bodyReader(0), Authorization: open, Timeout: 50 * time.Millisecond})
	server := httptest.NewServer(p.build(t))
	t.Cleanup(server.Close)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "POST /api/v1/users HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf")
	require.NoError(t, err)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil) // the rest never comes
	require.NoError(t, err)
	require.Equal(t, 408, res.StatusCode)
	require.NoError(t, res.Body.Close())
}

type countingReader struct {
	io.Reader
	reads *int
}

func (c countingReader) Read(b []byte) (int, error) { *c.reads++; return c.Reader.Read(b) }

func TestAnAuthorizationMayReadTheBody(t *testing.T) {
	signed := authFunc{f: func(_ context.Context, r *api.Request) (api.Identity, error) {
		data, err := r.Bytes(4)
		return api.Identity{Scheme: "signature", ID: string(data)}, err
	}}
	p := newProgram(sallyport.Config{})
	p.AddApi(api.POST("1", "users"), handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
		rest, err := io.ReadAll(r.Body)
		return api.Text(200, r.Identity.ID+" "+string(rest)), err
	}), signed)
	h := p.build(t)
	res := send(h, request{method: "POST", path: "/api/v1/users", body: "1234"})
	require.Equal(t, "1234 1234", body(t, res))
	require.Equal(t, 413, send(h, request{method: "POST", path: "/api/v1/users", body: "12345"}).StatusCode)
}

func TestAMultipartBodyAboveTheBoundIsTooLarge(t *testing.T) { // peer-fw 25
	p := newProgram(sallyport.Config{MaxBody: 60})
	p.AddApi(api.POST("1", "users"), handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
		return api.NoContent(), r.ParseMultipartForm(10)
	}), open)
	text := "--b\r\nContent-Disposition: form-data; name=\"a\"\r\nX-Long: " + strings.Repeat("x", 100) + "\r\n\r\nv\r\n--b--\r\n"
	r := httptest.NewRequest("POST", "/api/v1/users", io.MultiReader(strings.NewReader(text)))
	r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	w := httptest.NewRecorder()
	p.build(t).ServeHTTP(w, r)
	require.Equal(t, 413, w.Code)
	require.Empty(t, p.log.String())
}

func TestATimeOutDoesNotPutOffTheServersOwn(t *testing.T) {
	p := newProgram(sallyport.Config{Timeout: time.Hour})
	p.AddApi(api.POST("1", "users"), bodyReader(0), open)
	server := httptest.NewUnstartedServer(p.build(t))
	server.Config.ReadTimeout = 50 * time.Millisecond
	server.Start()
	t.Cleanup(server.Close)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "POST /api/v1/users HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf")
	require.NoError(t, err)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	require.Equal(t, 408, res.StatusCode)
	require.NoError(t, res.Body.Close())
}
