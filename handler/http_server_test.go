package handler_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler"
)

// serve starts a server that gives each request a context with an end, as the
// presenter does, and answers it by h. A panic is answered 500.
func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	served := handler.HTTP(h)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), time.Hour)
		defer cancel()
		defer func() {
			if recover() != nil {
				w.WriteHeader(http.StatusInternalServerError)
			}
		}()
		response, err := served.Handle(ctx, &api.Request{Request: r})
		if err == nil {
			err = response.Send(w, r)
		}
		if err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// form is a body with a file that does not fit into one byte of memory.
func form(t *testing.T) (body *bytes.Buffer, contentType string) {
	t.Helper()
	body = &bytes.Buffer{}
	w := multipart.NewWriter(body)
	file, err := w.CreateFormFile("file", "a.txt")
	require.NoError(t, err)
	_, err = io.WriteString(file, "an upload")
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return body, w.FormDataContentType()
}

// filesIn are the names of the files in a folder.
func filesIn(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	names := []string{}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func TestHTTPLeavesNoFilesOfUploads(t *testing.T) {
	read := func(t *testing.T, r *http.Request) string {
		if err := r.ParseMultipartForm(1); err != nil {
			t.Error(err)
			return ""
		}
		file, err := r.MultipartForm.File["file"][0].Open()
		if err != nil {
			t.Error(err)
			return ""
		}
		defer file.Close()
		text, err := io.ReadAll(file)
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	for name, row := range map[string]struct {
		answer func(w io.Writer, text string)
		status int
		body   string
	}{
		"an answer": {func(w io.Writer, text string) { _, _ = io.WriteString(w, text) }, 200, "an upload"},
		"a panic":   {func(io.Writer, string) { panic("no disk") }, 500, ""},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			t.Setenv("TMPDIR", folder)
			written := 0
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				text := read(t, r)
				written += len(filesIn(t, folder))
				row.answer(w, text)
			})
			for range 3 {
				body, contentType := form(t)
				request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, body)
				require.NoError(t, err)
				request.Header.Set("Content-Type", contentType)
				request.Close = true
				response, err := server.Client().Do(request)
				require.NoError(t, err)
				text, err := io.ReadAll(response.Body)
				require.NoError(t, err)
				require.NoError(t, response.Body.Close())
				require.Equal(t, row.status, response.StatusCode)
				require.Equal(t, row.body, string(text))
			}
			server.Close() // waits until the server is done with its requests
			require.GreaterOrEqual(t, written, 3, "the uploads did not go to files")
			require.Empty(t, filesIn(t, folder))
		})
	}
}

func TestHTTPHandsTrailersOn(t *testing.T) {
	for name, row := range map[string]struct {
		announced string
		sent      string
		want      string
	}{
		"announced":         {"Trailer: X-Sum\r\n", "X-Sum: 42\r\n", "map[X-Sum:[]] hello map[X-Sum:[42]]"},
		"not announced":     {"", "X-Sum: 42\r\n", "map[] hello map[X-Sum:[42]]"},
		"one more":          {"Trailer: X-Sum\r\n", "X-Sum: 42\r\nX-More: 1\r\n", "map[X-Sum:[]] hello map[X-More:[1] X-Sum:[42]]"},
		"none":              {"", "", "map[] hello map[]"},
		"announced in vain": {"Trailer: X-Sum\r\n", "", "map[X-Sum:[]] hello map[X-Sum:[]]"},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				before := fmt.Sprint(r.Trailer)
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				_, _ = fmt.Fprintf(w, "%s %s %v", before, body, r.Trailer)
			})
			var dialer net.Dialer
			conn, err := dialer.DialContext(t.Context(), "tcp", server.Listener.Addr().String())
			require.NoError(t, err)
			defer conn.Close()
			_, err = io.Copy(conn, strings.NewReader("POST / HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n"+
				row.announced+"Connection: close\r\n\r\n5\r\nhello\r\n0\r\n"+row.sent+"\r\n"))
			require.NoError(t, err)
			response, err := http.ReadResponse(bufio.NewReader(conn), nil)
			require.NoError(t, err)
			defer response.Body.Close()
			got, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			require.Equal(t, row.want, string(got))
		})
	}
}
