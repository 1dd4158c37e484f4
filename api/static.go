package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"
)

// Static answers with content that does not change while the program runs, such
// as a document that is made at start. Make it once: it has an ETag, so that who
// has the content already is answered 304. Ranges, conditions and HEAD are those of
// [File]. The data must not be changed any more.
func Static(mediaType string, data []byte) Response {
	sum := sha256.Sum256(data)
	return static{mediaType: mediaType, etag: `"` + hex.EncodeToString(sum[:12]) + `"`, data: data}
}

type static struct {
	mediaType string
	etag      string // strong: the data are the same byte for byte (RFC 9110, section 8.8.3)
	data      []byte
}

func (s static) Status() int { return http.StatusOK }

func (s static) as(mediaType string) Response {
	s.mediaType = mediaType
	return s
}

func (s static) Send(w http.ResponseWriter, r *http.Request) error {
	if err := checkMediaType(s.mediaType); err != nil {
		return err
	}
	w.Header().Set("Content-Type", s.mediaType)
	w.Header().Set("ETag", s.etag)
	out := &fileWriter{ResponseWriter: w}
	http.ServeContent(out, conditional(r), "", time.Time{}, bytes.NewReader(s.data))
	return out.end(r)
}
