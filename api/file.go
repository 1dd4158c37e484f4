package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"syscall"
)

// File answers with a file of fsys, a whole or the part that the request asks
// for: ranges, conditions and HEAD are those of [http.ServeContent]. The media
// type is that of the name's extension, else application/octet-stream; the content
// is never looked at. A name that is not valid by [fs.ValidPath], a folder and a
// file that does not exist are [NotFound]. A condition that fails and a range that
// cannot be had, 412 and 416, are errors too, so that they have the format of the
// error handler.
//
// Status is 200 until it is sent. The file is opened each time. One that cannot
// seek is read into memory. An [os.DirFS] follows symbolic links to everywhere;
// the FS of an [os.Root] does not.
func File(fsys fs.FS, name string) Response { return fileResponse{fsys: fsys, name: name} }

type fileResponse struct {
	fsys      fs.FS
	name      string
	mediaType string // "": by the extension
}

func (f fileResponse) Status() int { return http.StatusOK }

func (f fileResponse) as(mediaType string) Response { return fileResponse{f.fsys, f.name, mediaType} }

func (f fileResponse) Send(w http.ResponseWriter, r *http.Request) error {
	file, info, err := f.open()
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	content, err := seeker(file)
	if err != nil {
		return fmt.Errorf("api: read the file: %w", err)
	}
	w.Header().Set("Content-Type", either(f.mediaType, either(mime.TypeByExtension(path.Ext(f.name)), "application/octet-stream")))
	out := &fileWriter{ResponseWriter: w}
	http.ServeContent(out, conditional(r), f.name, info.ModTime(), content)
	return out.end(r)
}

// open tells what is not there from what cannot be opened.
func (f fileResponse) open() (fs.File, fs.FileInfo, error) {
	switch {
	case f.fsys == nil:
		return nil, nil, errors.New("api: open the file: there is no file system")
	case !fs.ValidPath(f.name), strings.ContainsRune(f.name, 0):
		return nil, nil, NotFound("file")
	}
	file, err := f.fsys.Open(f.name)
	if err != nil {
		return nil, nil, openError(err)
	}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = fs.ErrNotExist
	}
	if err != nil {
		_ = file.Close() // the first error counts
		return nil, nil, openError(err)
	}
	return file, info, nil
}

// openError takes a name that the file system cannot have for one that is not there.
func openError(err error) error {
	for _, missing := range [...]error{fs.ErrNotExist, fs.ErrInvalid, syscall.ENOTDIR, syscall.ENAMETOOLONG} {
		if errors.Is(err, missing) {
			return NotFound("file")
		}
	}
	return fmt.Errorf("api: open the file: %w", err)
}

func seeker(file fs.File) (io.ReadSeeker, error) {
	if content, ok := file.(io.ReadSeeker); ok {
		return content, nil
	}
	data, err := io.ReadAll(file)
	return bytes.NewReader(data), err
}

// conditional is the request as ServeContent sees it: conditions and ranges of
// other methods than GET and HEAD are not about the file.
func conditional(r *http.Request) *http.Request {
	if r != nil && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		return r
	}
	return &http.Request{Method: http.MethodGet, Header: http.Header{}}
}

// fileWriter takes the errors of ServeContent, which writes them itself and
// returns none.
type fileWriter struct {
	http.ResponseWriter
	refused int    // the status of an error; 0: there is none
	reason  string // its text
	written int64
	err     error
}

func (f *fileWriter) WriteHeader(status int) {
	if status >= http.StatusBadRequest {
		f.refused = status
		return
	}
	f.ResponseWriter.WriteHeader(status)
}

func (f *fileWriter) Write(p []byte) (int, error) {
	if f.refused != 0 {
		f.reason += string(p)
		return len(p), nil
	}
	n, err := f.ReadFrom(bytes.NewReader(p))
	return int(n), err
}

// ReadFrom keeps the server's way of sending files.
func (f *fileWriter) ReadFrom(src io.Reader) (int64, error) {
	n, err := io.Copy(f.ResponseWriter, src)
	f.written += n
	f.err = errors.Join(f.err, err)
	return n, err
}

// end is the error of what was sent. A file that has become shorter breaks off.
func (f *fileWriter) end(r *http.Request) error {
	h := f.Header()
	switch {
	case f.refused >= http.StatusInternalServerError:
		return fmt.Errorf("api: read the file: %s", strings.TrimSpace(f.reason))
	case f.refused != 0:
		refusal := Error{Status: f.refused}
		if bounds := h["Content-Range"]; bounds != nil {
			refusal.Header = http.Header{"Content-Range": bounds}
		}
		return refusal
	case f.err != nil || isHead(r):
		return f.err
	}
	if length, err := strconv.ParseInt(h.Get("Content-Length"), 10, 64); err == nil && length != f.written {
		return fmt.Errorf("api: send the file: %w", io.ErrUnexpectedEOF)
	}
	return nil
}
