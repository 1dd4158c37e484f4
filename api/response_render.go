package api

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
)

const mediaXML = "text/xml; charset=utf-8"

// XML answers with v as XML: a string or []byte as it is, anything else as
// encoding/xml writes it, behind the declaration. A value that cannot be encoded
// is answered 500 by the error handler. The response is an [XMLResponse].
func XML(status int, v any) Response { return XMLResponse{status, v, mediaXML} }

// XMLResponse is the response of [XML], for those who read it back.
type XMLResponse struct {
	Code      int
	Value     any
	MediaType string // "": "text/xml; charset=utf-8"
}

// Status is the code.
func (x XMLResponse) Status() int { return x.Code }

// Send encodes the value and sends it.
func (x XMLResponse) Send(w http.ResponseWriter, r *http.Request) error {
	body, err := encodeXML(x.Value)
	if err != nil {
		return fmt.Errorf("api: encode the response: %w", err)
	}
	return send(w, r, x.Code, either(x.MediaType, mediaXML), body)
}

func (x XMLResponse) as(mediaType string) Response { return XMLResponse{x.Code, x.Value, mediaType} }

func encodeXML(v any) ([]byte, error) {
	switch v := v.(type) {
	case string:
		return []byte(v), nil
	case []byte:
		return v, nil
	}
	buf := bytes.NewBufferString(xml.Header)
	if err := xml.NewEncoder(buf).Encode(v); err != nil {
		return nil, err
	}
	if buf.Len() == len(xml.Header) {
		return nil, errors.New("xml: there is nothing to write")
	}
	return buf.Bytes(), nil
}

// Render answers with what renders itself, such as a template:
//
//	api.Render(200, "text/html; charset=utf-8", func(w io.Writer) error { return page.Execute(w, data) })
//
// It is rendered into memory first, so that an error is answered 500 by the error
// handler.
func Render(status int, mediaType string, render func(io.Writer) error) Response {
	return rendered{status, mediaType, render}
}

type rendered struct {
	status    int
	mediaType string
	render    func(io.Writer) error
}

func (r rendered) Status() int { return r.status }

func (r rendered) Send(w http.ResponseWriter, req *http.Request) error {
	if r.render == nil {
		return errors.New("api: render the response: there is no function")
	}
	var buf bytes.Buffer
	if err := r.render(&buf); err != nil {
		return fmt.Errorf("api: render the response: %w", err)
	}
	return send(w, req, r.status, r.mediaType, buf.Bytes())
}

func (r rendered) as(mediaType string) Response { return rendered{r.status, mediaType, r.render} }
