package api

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/sallyport-go/sallyport/internal/httptoken"
)

// Response is an answer. An implementation does all that can fail before it
// writes its first byte, so that an error handler can still answer; it sets its
// header fields, calls WriteHeader once, and returns its error. A Response may
// be sent more than once, and concurrently.
type Response interface {
	Status() int
	Send(w http.ResponseWriter, r *http.Request) error
}

const (
	mediaJSON = "application/json; charset=utf-8"
	mediaText = "text/plain; charset=utf-8"
)

// JSON answers with v as JSON: no HTML escaping, no newline at the end, and nil
// slices and maps as [] and {}. A value that cannot be encoded is answered 500 by
// the error handler. The response is a [JSONResponse].
func JSON(status int, v any) Response { return JSONAs(mediaJSON, status, v) }

// JSONAs is [JSON] with a media type of its own, such as "application/problem+json".
// "" is that of JSON: "application/json; charset=utf-8".
func JSONAs(mediaType string, status int, v any) Response {
	if mediaType == "" {
		mediaType = mediaJSON
	}
	return JSONResponse{status, v, mediaType}
}

// JSONResponse is the response of [JSON], for those who read it back.
type JSONResponse struct {
	Code      int
	Value     any
	MediaType string // "": "application/json; charset=utf-8"
}

// Status is the code.
func (j JSONResponse) Status() int { return j.Code }

// Send encodes the value and sends it.
func (j JSONResponse) Send(w http.ResponseWriter, r *http.Request) error {
	e := encoders.Get().(*encoder) //nolint:forcetypeassert // nothing else is in the pool
	body, err := e.encode(j.Value)
	if err != nil {
		return fmt.Errorf("api: encode the response: %w", err)
	}
	err = send(w, r, j.Code, either(j.MediaType, mediaJSON), body)
	e.giveBack()
	return err
}

func (j JSONResponse) as(mediaType string) Response { return JSONAs(mediaType, j.Code, j.Value) }

// Text answers with plain text. The response is a [TextResponse].
func Text(status int, text string) Response { return TextResponse{status, text, mediaText} }

// TextResponse is the response of [Text], for those who read it back.
type TextResponse struct {
	Code      int
	Text      string
	MediaType string // "": "text/plain; charset=utf-8"
}

// Status is the code.
func (t TextResponse) Status() int { return t.Code }

// Send sends the text.
func (t TextResponse) Send(w http.ResponseWriter, r *http.Request) error {
	return sendBody(w, r, t.Code, either(t.MediaType, mediaText), len(t.Text), func() error {
		_, err := io.WriteString(w, t.Text) // a long text is not copied
		return err
	})
}

func (t TextResponse) as(mediaType string) Response { return TextResponse{t.Code, t.Text, mediaType} }

// NoContent answers 204 without a body.
func NoContent() Response { return empty(http.StatusNoContent) }

// empty is a response without a body.
type empty int

func (e empty) Status() int { return int(e) }

func (e empty) Send(w http.ResponseWriter, _ *http.Request) error {
	if err := checkStatus(int(e)); err != nil {
		return err
	}
	if !bodyless(int(e)) {
		w.Header().Set("Content-Length", "0")
	}
	w.WriteHeader(int(e))
	return nil
}

// send writes a whole body.
func send(w http.ResponseWriter, r *http.Request, status int, mediaType string, body []byte) error {
	return sendBody(w, r, status, mediaType, len(body), func() error {
		_, err := w.Write(body)
		return err
	})
}

// sendBody writes a body of that length, or none to HEAD and with the statuses that
// have none.
func sendBody(w http.ResponseWriter, r *http.Request, status int, mediaType string, length int, write func() error) error {
	if err := errors.Join(checkStatus(status), checkMediaType(mediaType)); err != nil {
		return err
	}
	if bodyless(status) {
		return empty(status).Send(w, r)
	}
	setContent(w.Header(), mediaType, length)
	w.WriteHeader(status)
	if isHead(r) {
		return nil
	}
	return write()
}

// checkStatus refuses what net/http panics on, a status that is no number of
// three digits, and 1xx, which would be no answer at all.
func checkStatus(status int) error {
	if status < 200 || status > 999 {
		return fmt.Errorf("api: %d cannot be the status of a response", status)
	}
	return nil
}

func checkMediaType(mediaType string) error {
	if mediaType == mediaJSON || mediaType == mediaText {
		return nil
	}
	if mediaType == "" || !httptoken.IsValue(mediaType) {
		return fmt.Errorf("api: %q cannot be the media type of a response", mediaType)
	}
	return nil
}

// bodyless reports whether a status has no body (RFC 9110, sections 15.3.5,
// 15.3.6 and 15.4.5).
func bodyless(status int) bool {
	return status == http.StatusNoContent || status == http.StatusResetContent || status == http.StatusNotModified
}

func isHead(r *http.Request) bool { return r != nil && r.Method == http.MethodHead }

func either(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
