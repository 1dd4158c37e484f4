package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/sallyport-go/sallyport/internal/httptoken"
)

// WithHeader is a response with more header fields, which replace those that were
// there; Vary and Set-Cookie are added to them. A Content-Type replaces that of
// the responses of this package that have one. What else a response sets itself,
// such as Content-Length and Location, stays its own.
//
// A field that HTTP cannot transport is an error when the response is sent.
func WithHeader(response Response, header http.Header) Response {
	header = canonical(header)
	err := checkHeader(header)
	if mediaType := header.Get("Content-Type"); mediaType != "" {
		if d, ok := decorate(response, nil).withMediaType(mediaType); ok {
			response = d
			delete(header, "Content-Type")
		}
	}
	d := decorate(response, func(h http.Header) { addHeader(h, header) })
	if d.err == nil {
		d.err = err
	}
	return d.orNil()
}

func canonical(header http.Header) http.Header {
	clone := make(http.Header, len(header))
	for name, values := range header {
		name = http.CanonicalHeaderKey(name)
		clone[name] = append(clone[name], values...)
	}
	return clone
}

func checkHeader(header http.Header) error {
	for name, values := range header {
		if !httptoken.Is(name) {
			return fmt.Errorf("api: %q cannot be the name of a header field", name)
		}
		for _, value := range values {
			if !httptoken.IsValue(value) {
				return fmt.Errorf("api: the header field %s cannot have the value %q", name, value)
			}
		}
	}
	return nil
}

func addHeader(h, header http.Header) {
	for name, values := range header {
		switch name {
		case "Vary":
			addVary(h, values...)
		case "Set-Cookie":
			h[name] = append(slices.Clip(h[name]), values...)
		default:
			h[name] = slices.Clone(values)
		}
	}
}

// addVary adds names to Vary that are not there yet (RFC 9110, section 12.5.5).
func addVary(h http.Header, names ...string) {
	for _, name := range names {
		if !slices.ContainsFunc(h["Vary"], func(line string) bool {
			return slices.ContainsFunc(strings.Split(line, ","), func(member string) bool {
				member = strings.TrimSpace(member)
				return member == "*" || strings.EqualFold(member, name)
			})
		}) {
			h["Vary"] = append(slices.Clip(h["Vary"]), name)
		}
	}
}

// decorated is a response with changes to the header in front of it, in their
// order: a later one wins.
type decorated struct {
	Response
	changes []func(http.Header)
	err     error // of the first change that cannot be made
}

// decorate adds a change to a response; nil: none.
func decorate(response Response, change func(http.Header)) decorated {
	d, ok := response.(decorated)
	if !ok {
		d = decorated{Response: response}
	}
	if change != nil {
		d.changes = append(slices.Clip(d.changes), change)
	}
	return d
}

// withMediaType is the response with another media type; ok is false when it
// cannot have one.
func (d decorated) withMediaType(mediaType string) (_ decorated, ok bool) {
	typed, ok := d.Response.(interface {
		as(mediaType string) Response
	})
	if ok {
		d.Response = typed.as(mediaType)
	}
	return d, ok
}

// orNil keeps no response what it is: a fault of the handler.
func (d decorated) orNil() Response {
	if d.Response == nil {
		return nil
	}
	return d
}

// Send changes the header and sends the response.
func (d decorated) Send(w http.ResponseWriter, r *http.Request) error {
	if d.err != nil {
		return d.err
	}
	h := w.Header()
	for _, change := range d.changes {
		change(h)
	}
	return d.Response.Send(w, r)
}

// Unwrap is the response without the changes.
func (d decorated) Unwrap() Response { return d.Response }
