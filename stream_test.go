package sallyport_test

import (
	"bytes"
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/handler/output"
)

// streams is a handler that streams what f writes.
func streams(f func(ctx context.Context, w io.Writer) error) api.Handler {
	return handler.Describe(returns(api.Stream("text/plain", f), nil), api.Description{Outputs: []api.Output{output.Text(200)}})
}

func TestStreamsKnowTheirRequest(t *testing.T) {
	for _, checked := range []bool{false, true} {
		p := newProgram(sallyport.Config{Output: sallyport.Switches{Schema: checked}})
		p.AddApi(api.GET("1", "stream"), streams(func(ctx context.Context, w io.Writer) error {
			_, err := io.WriteString(w, api.RequestFrom(ctx).Endpoint().String()+" "+api.IdentityFrom(ctx).Scheme)
			return err
		}), bearer)
		p.AddApi(api.GET("1", "events"), returns(api.Events(func(ctx context.Context, send func(api.Event) error) error {
			return send(api.Event{Data: api.IdentityFrom(ctx).Scheme})
		}), nil), bearer)
		h := p.build(t)
		require.Equal(t, "GET v1/stream bearer", body(t, send(h, request{path: "/api/v1/stream", token: "my-token"})))
		require.Equal(t, "data: bearer\n\n", body(t, send(h, request{path: "/api/v1/events", token: "my-token"})))
	}
}

func TestStreamsEndWithTheTimeOfTheEndpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wait := streams(func(ctx context.Context, _ io.Writer) error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Minute):
				return nil
			}
		})
		p := newProgram(sallyport.Config{Timeout: time.Second})
		p.AddApi(api.GET("1", "short"), wait, open)
		p.Add(api.Api{Endpoint: api.GET("1", "long"), Handler: wait, Authorization: open, Timeout: -1})
		h := p.build(t)
		start := time.Now()
		require.Equal(t, http.StatusServiceUnavailable, get(h, "/api/v1/short").StatusCode)
		require.Equal(t, time.Second, time.Since(start))
		require.Equal(t, http.StatusOK, get(h, "/api/v1/long").StatusCode)
	})
}

// Middleware that copies the request leaves the server's own without the form.
func TestFilesOfUploadsAreRemovedBehindMiddleware(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	filesThere := func() int {
		entries, err := os.ReadDir(folder)
		require.NoError(t, err)
		return len(entries)
	}
	written := 0
	p := newProgram(sallyport.Config{MaxBody: 20 << 20})
	p.AddApi(api.POST("1", "files"), handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
		_, err := r.FormFields()
		written += filesThere()
		return api.NoContent(), err
	}), open)
	h := p.build(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(r.Context()))
	}))
	defer server.Close()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	file, err := w.CreateFormFile("file", "a.bin")
	require.NoError(t, err)
	_, err = file.Write(make([]byte, 15<<20))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/api/v1/files", &form)
	require.NoError(t, err)
	r.Header.Set("Content-Type", w.FormDataContentType())
	res, err := server.Client().Do(r)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusNoContent, res.StatusCode)
	server.Close()
	require.Equal(t, 1, written, "the upload did not go to a file")
	require.Zero(t, filesThere())
}

func TestChecksLeaveAnswersAsTheyAre(t *testing.T) {
	for name, row := range map[string]struct {
		answer http.HandlerFunc
		output api.Output
	}{
		"no media type": {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "plain text") }, output.Text(200)},
		"a late field": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.WriteHeader(http.StatusOK)
			w.Header().Set("X-Late", "1")
			_, _ = io.WriteString(w, "a")
		}, output.Text(200)},
		"early hints": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusEarlyHints)
			_, _ = io.WriteString(w, "plain text")
		}, output.Text(200)},
	} {
		t.Run(name, func(t *testing.T) {
			ask := func(checked bool) (status int, header http.Header, text string) {
				p := newProgram(sallyport.Config{Output: sallyport.Switches{Schema: checked}})
				p.AddApi(api.GET("1", "a"), handler.Describe(handler.HTTP(row.answer), api.Description{Outputs: []api.Output{row.output}}), open)
				server := httptest.NewServer(p.build(t))
				defer server.Close()
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/api/v1/a", nil)
				require.NoError(t, err)
				res, err := server.Client().Do(r)
				require.NoError(t, err)
				res.Header.Del("Date")
				res.Header.Del("X-Request-Id")
				return res.StatusCode, res.Header, body(t, res)
			}
			status, header, text := ask(false)
			require.Equal(t, http.StatusOK, status)
			checkedStatus, checkedHeader, checkedText := ask(true)
			require.Equal(t, status, checkedStatus)
			require.Equal(t, header, checkedHeader)
			require.Equal(t, text, checkedText)
		})
	}
}

func TestChecksLetConnectionsGo(t *testing.T) {
	p := newProgram(sallyport.Config{Output: sallyport.Switches{Schema: true}})
	p.AddApi(api.GET("1", "a"), handler.Describe(handler.HTTP(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi")
		_ = conn.Close()
	})), api.Description{Outputs: []api.Output{output.Text(200)}}), open)
	server := httptest.NewServer(p.build(t))
	defer server.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/api/v1/a", nil)
	require.NoError(t, err)
	res, err := server.Client().Do(r)
	require.NoError(t, err)
	require.Equal(t, "hi", body(t, res))
	server.Close()
	require.Empty(t, p.log.String())
}
