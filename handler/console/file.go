package console

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"
)

// file is what the console answers with, made at start.
type file struct {
	mediaType string
	etag      string
	body      []byte
	immutable bool // its URL changes when it does
}

func newFile(mediaType string, body []byte) *file {
	return &file{mediaType: mediaType, etag: `"` + digest(body) + `"`, body: body}
}

// digest names contents.
func digest(contents ...[]byte) string {
	h := sha256.New()
	for _, c := range contents {
		sum := sha256.Sum256(c)
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// forever is the file for those who asked for it by its version.
func (f *file) forever() *file {
	kept := *f
	kept.immutable = true
	return &kept
}

func (f *file) Status() int { return http.StatusOK }

// Send sends the file, or 304 to those who have it (RFC 9110, section 13.1.2).
func (f *file) Send(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	guard(h)
	h.Set("Content-Type", f.mediaType)
	h.Set("ETag", f.etag)
	h.Set("Cache-Control", "no-cache")
	if f.immutable {
		h.Set("Cache-Control", "max-age=31536000, immutable")
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.body))
	return nil
}

// policy lets the page load its own files and call its own origin, and nothing
// else: whatever text finds its way into the page, it cannot act.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; " +
	"form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

func guard(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
}
