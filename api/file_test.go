package api_test

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
)

var fileTime = time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)

const fileDate = "Mon, 30 Nov 2026 12:00:00 GMT"

func files() fstest.MapFS {
	return fstest.MapFS{
		"a.json":     {Data: []byte(`{"a":1}`), ModTime: fileTime},
		"dir/plain":  {Data: []byte("<html>"), ModTime: fileTime},
		"empty.json": {},
	}
}

func TestFile(t *testing.T) {
	header := func(pairs ...string) http.Header {
		h := http.Header{}
		for i := 0; i < len(pairs); i += 2 {
			h.Set(pairs[i], pairs[i+1])
		}
		return h
	}
	whole := header("Content-Type", "application/json", "Content-Length", "7", "Accept-Ranges", "bytes", "Last-Modified", fileDate)
	tagged := whole.Clone()
	tagged.Set("Etag", `"1"`)
	json := api.File(files(), "a.json")
	for name, row := range map[string]struct {
		method   string
		header   http.Header
		response api.Response
		want     answer
	}{
		"whole": {"GET", nil, json, answer{200, whole, `{"a":1}`}},
		"HEAD":  {"HEAD", nil, json, answer{200, whole, ""}}, // FW-270
		"no sniffing": {"GET", nil, api.File(files(), "dir/plain"), answer{200, header("Content-Type", "application/octet-stream",
			"Content-Length", "6", "Accept-Ranges", "bytes", "Last-Modified", fileDate), "<html>"}},
		"own media type": {"GET", nil, api.WithHeader(api.File(files(), "dir/plain"), header("Content-Type", "text/html")), answer{200, header("Content-Type", "text/html",
			"Content-Length", "6", "Accept-Ranges", "bytes", "Last-Modified", fileDate), "<html>"}},
		"empty": {"GET", header("Range", "bytes=0-1"), api.File(files(), "empty.json"), answer{200, header("Content-Type", "application/json",
			"Content-Length", "0", "Accept-Ranges", "bytes"), ""}},
		"range": {"GET", header("Range", "bytes=1-3"), json, answer{206, header("Content-Type", "application/json", "Content-Length", "3",
			"Accept-Ranges", "bytes", "Content-Range", "bytes 1-3/7", "Last-Modified", fileDate), `"a"`}},
		"range of HEAD": {"HEAD", header("Range", "bytes=1-3"), json, answer{206, header("Content-Type", "application/json", "Content-Length", "3",
			"Accept-Ranges", "bytes", "Content-Range", "bytes 1-3/7", "Last-Modified", fileDate), ""}},
		"not modified":  {"GET", header("If-Modified-Since", fileDate), json, answer{304, header("Last-Modified", fileDate), ""}}, // FW-270
		"the same tag":  {"GET", header("If-None-Match", `"1"`), api.WithHeader(json, header("ETag", `"1"`)), answer{304, header("Etag", `"1"`), ""}},
		"a changed tag": {"GET", header("If-None-Match", `"2"`), api.WithHeader(json, header("ETag", `"1"`)), answer{200, tagged, `{"a":1}`}},
		"conditions of POST are not about the file": {"POST", header("If-None-Match", "*", "If-Match", `"2"`, "Range", "bytes=1-3"), json, answer{200, whole, `{"a":1}`}},
		"cannot seek": {"GET", header("Range", "bytes=1-3"), api.File(streaming{files()}, "a.json"), answer{206, header("Content-Type", "application/json",
			"Content-Length", "3", "Accept-Ranges", "bytes", "Content-Range", "bytes 1-3/7", "Last-Modified", fileDate), `"a"`}},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(row.method, "/", nil)
			for name, values := range row.header {
				r.Header[name] = values
			}
			for range 2 {
				w := httptest.NewRecorder()
				require.NoError(t, row.response.Send(w, r))
				require.Equal(t, row.want, answer{w.Code, w.Header(), w.Body.String()})
			}
		})
	}
	require.Equal(t, 200, json.Status())
	require.Equal(t, answer{200, whole, `{"a":1}`}, sent(t, json))
}

func TestFileOfADirectory(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.txt"), []byte("hello"), 0o600))
	require.Equal(t, "hello", sent(t, api.File(os.DirFS(folder), "a.txt")).Body)
	for _, name := range []string{"a.txt/b", "b.txt", ".", strings.Repeat("a", 300), "a\x00"} {
		require.Equal(t, api.NotFound("file"), api.File(os.DirFS(folder), name).Send(&untouched{t: t}, nil))
	}
}

func TestFileIsNotThere(t *testing.T) {
	for _, name := range []string{"missing", "dir", ".", "", "..", "../a.json", "/a.json", "dir/../a.json", "a.json/", "a.json/b", "a.json\x00"} {
		require.Equal(t, api.NotFound("file"), api.File(files(), name).Send(&untouched{t: t}, nil), name)
	}
}

func TestFileFailsBeforeItsFirstByte(t *testing.T) {
	get := func(header ...string) *http.Request {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		return r
	}
	broken := errors.New("the disk is broken")
	for name, row := range map[string]struct {
		response api.Response
		request  *http.Request
		want     error
	}{
		"no file system":  {api.File(nil, "a.json"), get(), errors.New("api: open the file: there is no file system")},
		"cannot be read":  {api.File(failing{open: fs.ErrPermission}, "a.json"), get(), fs.ErrPermission},
		"has no state":    {api.File(failing{stat: broken}, "a.json"), get(), broken},
		"cannot be sized": {api.File(failing{seek: broken}, "a.json"), get(), errors.New("api: read the file: seeker can't seek")},
		"cannot be sized but read": {
			api.File(streaming{failing{read: broken}}, "a.json"), get(), broken,
		},
		"no such range": {api.File(files(), "a.json"), get("Range", "bytes=7-"),
			api.Error{Status: 416, Header: http.Header{"Content-Range": {"bytes */7"}}}},
		"no range":            {api.File(files(), "a.json"), get("Range", "lines=1"), api.Error{Status: 416}},
		"a condition":         {api.File(files(), "a.json"), get("If-Match", `"1"`), api.Error{Status: 412}},
		"a broken media type": {api.WithHeader(api.File(files(), "a.json"), http.Header{"Content-Type": {"a\n"}}), get(), errors.New(`api: the header field Content-Type cannot have the value "a\n"`)},
	} {
		t.Run(name, func(t *testing.T) {
			w := &bodyless{header: http.Header{}, t: t}
			err := row.response.Send(w, row.request)
			if !errors.Is(err, row.want) {
				if _, ok := api.AsError(row.want); ok {
					require.Equal(t, row.want, err)
				} else {
					require.EqualError(t, err, row.want.Error())
				}
			}
		})
	}
}

func TestFileThatBecomesShorterBreaksOff(t *testing.T) {
	w := httptest.NewRecorder()
	require.ErrorIs(t, api.File(failing{short: true}, "a.json").Send(w, nil), io.ErrUnexpectedEOF)
	require.ErrorIs(t, api.File(files(), "a.json").Send(brokenConnection{httptest.NewRecorder()}, nil), http.ErrHandlerTimeout)
	require.ErrorIs(t, api.File(files(), "a.json").Send(readerFrom{brokenConnection{httptest.NewRecorder()}}, nil), http.ErrHandlerTimeout)
}

// bodyless is a writer of an answer that may get header fields, and nothing else.
type bodyless struct {
	header http.Header
	t      *testing.T
}

func (b *bodyless) Header() http.Header { return b.header }
func (b *bodyless) WriteHeader(int)     { b.t.Error("status") }
func (b *bodyless) Write(p []byte) (int, error) {
	b.t.Error("body")
	return len(p), nil
}

// readerFrom is a connection that sends files itself.
type readerFrom struct{ http.ResponseWriter }

func (r readerFrom) ReadFrom(io.Reader) (int64, error) { return 0, http.ErrHandlerTimeout }

// streaming has files that cannot seek.
type streaming struct{ fs.FS }

func (s streaming) Open(name string) (fs.File, error) {
	f, err := s.FS.Open(name)
	return struct{ fs.File }{f}, err
}

// failing has one file, which fails.
type failing struct {
	open, stat, seek, read error
	short                  bool
}

func (f failing) Open(name string) (fs.File, error) {
	if f.open != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: f.open}
	}
	file, err := files().Open(name)
	return failingFile{file, f}, err
}

type failingFile struct {
	fs.File
	failing
}

func (f failingFile) Stat() (fs.FileInfo, error) {
	if f.stat != nil {
		return nil, f.stat
	}
	return f.File.Stat()
}

func (f failingFile) Read(p []byte) (int, error) {
	switch {
	case f.read != nil:
		return 0, f.read
	case f.short:
		return 0, io.EOF
	}
	return f.File.Read(p)
}

func (f failingFile) Seek(int64, int) (int64, error) { return 7, f.seek }
