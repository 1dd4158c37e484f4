package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// Response is an answer. An implementation does all that can fail before it
// writes its first byte, so that an error handler can still answer; it sets its
// header fields, calls WriteHeader once, and returns its error. A Response may
// be sent more than once, and concurrently.
type Response interface {
	Status() int
	Send(w http.ResponseWriter, r *http.Request) error
}

// JSON answers with v as JSON: no HTML escaping, no newline at the end. A value
// that cannot be encoded is answered 500 by the error handler.
func JSON(status int, v any) Response { return JSONAs("", status, v) }

// JSONAs is [JSON] with a media type of its own, such as "application/problem+json".
// "" is that of JSON: "application/json; charset=utf-8".
func JSONAs(mediaType string, status int, v any) Response {
	if mediaType == "" {
		mediaType = "application/json; charset=utf-8"
	}
	return jsonResponse{status, mediaType, v}
}

type jsonResponse struct {
	status    int
	mediaType string
	value     any
}

func (j jsonResponse) Status() int { return j.status }

func (j jsonResponse) Send(w http.ResponseWriter, r *http.Request) error {
	var buf bytes.Buffer
	encoder := json.NewEncoder(&buf)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(j.value); err != nil {
		return fmt.Errorf("api: encode the response: %w", err)
	}
	return send(w, j.status, j.mediaType, bytes.TrimSuffix(buf.Bytes(), []byte("\n")))
}

// Text answers with plain text.
func Text(status int, text string) Response { return textResponse{status, text} }

type textResponse struct {
	status int
	text   string
}

func (t textResponse) Status() int { return t.status }

func (t textResponse) Send(w http.ResponseWriter, r *http.Request) error {
	return send(w, t.status, "text/plain; charset=utf-8", []byte(t.text))
}

// NoContent answers 204 without a body.
func NoContent() Response { return noContent{} }

type noContent struct{}

func (noContent) Status() int { return http.StatusNoContent }

func (noContent) Send(w http.ResponseWriter, r *http.Request) error {
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// send writes a whole body, or none with the statuses that have none (RFC 9110,
// sections 15.3.5, 15.3.6 and 15.4.5). net/http panics on a status that is no
// number of three digits, and 1xx would be no answer at all.
func send(w http.ResponseWriter, status int, mediaType string, body []byte) error {
	switch {
	case status < 200 || status > 999:
		return fmt.Errorf("api: %d cannot be the status of a response", status)
	case status == http.StatusNoContent, status == http.StatusResetContent, status == http.StatusNotModified:
		w.WriteHeader(status)
		return nil
	}
	h := w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, err := w.Write(body)
	return err
}
