package api

import (
	"errors"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/sallyport-go/sallyport/internal/mediatype"
)

// Content is the whole body of the request and its media type, in lower case and
// without parameters. Without a body it is "" and nil, whatever the header says.
//
// The media type must be one of accept, such as "application/json", where
// "application/*+json" stands for all with that suffix (RFC 6839) and "*/*" for
// all, also for none. Another one, a charset other than UTF-8 of a text, and a
// body in a Content-Encoding are an [Error] with the status 415. For the limit of
// the body's length see [Request.Bytes].
func (r *Request) Content(accept ...string) (data []byte, mediaType string, err error) {
	if r.bodyless() {
		return nil, "", nil
	}
	if err := r.decoded(); err != nil {
		return nil, "", err
	}
	mediaType, unsupported := r.mediaType(accept)
	if unsupported != nil && r.ContentLength > 0 { // not worth reading
		return nil, "", unsupported
	}
	data, err = r.Bytes(0)
	switch {
	case err != nil:
		return nil, "", err
	case len(data) == 0:
		return nil, "", nil
	case unsupported != nil:
		return nil, "", unsupported
	}
	return data, mediaType, nil
}

// bodyless reports whether the request says that it has no body.
func (r *Request) bodyless() bool {
	return r.Request == nil || r.Body == nil || r.Body == http.NoBody
}

// mediaType is that of the body, or an error when it is not one of accept.
func (r *Request) mediaType(accept []string) (string, error) {
	header := r.Header.Values("Content-Type")
	if len(header) == 0 && slices.Contains(accept, mediatype.Any) {
		return "", nil
	}
	if len(header) != 1 {
		return "", r.unsupported(accept, errors.New("api: there is not one Content-Type"))
	}
	mediaType, params, err := mime.ParseMediaType(header[0])
	if err != nil {
		return "", r.unsupported(accept, err)
	}
	if charset, given := params["charset"]; given && !strings.EqualFold(charset, "utf-8") && !strings.EqualFold(charset, "us-ascii") {
		return "", r.unsupported(accept, errors.New("api: the charset is not UTF-8"))
	}
	if !mediatype.MatchAny(accept, mediaType) {
		return "", r.unsupported(accept, nil)
	}
	return mediaType, nil
}

// decoded refuses a body in a Content-Encoding: nothing here decodes one.
func (r *Request) decoded() error {
	for _, line := range r.Header.Values("Content-Encoding") {
		for coding := range strings.SplitSeq(line, ",") {
			if coding = strings.TrimSpace(coding); coding != "" && !strings.EqualFold(coding, "identity") {
				return Error{Status: http.StatusUnsupportedMediaType, Header: http.Header{"Accept-Encoding": {"identity"}}}
			}
		}
	}
	return nil
}

// unsupported tells which media types are read: in Accept (RFC 9110, section
// 15.5.16), and by the method in Accept-Post (W3C LDP) and Accept-Patch (RFC 5789).
// Without a word for them it tells nothing.
func (r *Request) unsupported(accept []string, cause error) error {
	ranges := slices.DeleteFunc(slices.Clone(accept), func(t string) bool {
		return strings.Contains(t, "*+") // no media range of HTTP
	})
	if len(ranges) == 0 {
		return Error{Status: http.StatusUnsupportedMediaType, Err: cause}
	}
	types := []string{strings.Join(ranges, ", ")}
	header := http.Header{"Accept": types}
	switch r.Method {
	case http.MethodPost:
		header["Accept-Post"] = types
	case http.MethodPatch:
		header["Accept-Patch"] = types
	}
	return Error{Status: http.StatusUnsupportedMediaType, Header: header, Err: cause}
}
