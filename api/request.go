package api

import (
	"bytes"
	"io"
	"math"
	"net/http"
	"slices"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// Request is one request on its way through the gates, and the whole of what
// handlers, authorizations and error handlers see of it. It belongs to that
// request and is not kept after the answer.
//
// A test of a handler fills in what it needs:
//
//	r := &api.Request{Request: httptest.NewRequest("GET", "/", nil), PathValues: api.PathValues{{"id", "7"}}}
type Request struct {
	// Request is the request as it came. Its Body is bounded by MaxBody.
	*http.Request

	Api      *Api     // the registration that serves; read only, never nil in a served request
	ID       string   // the request id, which stands in the answer and in the log
	Identity Identity // who calls; zero before the authorization and when nobody was identified

	PathValues PathValues // the variables of the path, decoded
	Values     Values     // of the parameters that the handler declares; nil until they were read

	// Limits is what the rate limits see of the request.
	Limits ratelimit.Context

	ctx   requestContext
	body  *readBody
	query *readQuery
	form  *readForm

	program *Program
}

type readBody struct {
	data []byte
	err  error
}

// PathValues are the variables of a path, in their order.
type PathValues []PathValue

// PathValue is one variable of a path.
type PathValue struct {
	Name, Value string
}

// Get returns the value of the variable, or "" when the path has none of that name.
func (p PathValues) Get(name string) string {
	for i := range p {
		if p[i].Name == name {
			return p[i].Value
		}
	}
	return ""
}

// Endpoint is the endpoint that serves the request. HEAD is served by a GET
// endpoint unless it has its own.
func (r *Request) Endpoint() EndpointIdentifier {
	if r.Api == nil {
		return EndpointIdentifier{}
	}
	return r.Api.Endpoint
}

// PathValue is the decoded value of a variable of the path; "" without one.
func (r *Request) PathValue(name string) string { return r.PathValues.Get(name) }

// SetPathValue sets the variable in PathValues and, for handlers of net/http, in the
// embedded request.
func (r *Request) SetPathValue(name, value string) {
	if i := slices.IndexFunc(r.PathValues, func(p PathValue) bool { return p.Name == name }); i >= 0 {
		r.PathValues[i].Value = value
	} else {
		r.PathValues = append(r.PathValues, PathValue{Name: name, Value: value})
	}
	if r.Request != nil {
		r.Request.SetPathValue(name, value)
	}
}

// ClientIP is the address of the client as the program's IP detector tells it.
func (r *Request) ClientIP() (string, error) { return r.Limits.IP() }

// Bytes reads the whole body and keeps it: an authorization that signs the body
// calls it, and so may whoever comes next, with the same result, which nobody
// changes. A body longer than limit is a [http.MaxBytesError], which is answered
// 413; limit 0 or less means MaxBody alone. Afterwards Body gives the same bytes
// again, and ends with the same error.
func (r *Request) Bytes(limit int64) ([]byte, error) {
	if r.body == nil {
		r.body = &readBody{}
		if r.Request != nil && r.Body != nil {
			r.body.data, r.body.err = readAll(r.Body, limit)
			r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(r.body.data), failing{r.body.err}))
		}
	}
	if r.body.err == nil && limit > 0 && int64(len(r.body.data)) > limit {
		return nil, &http.MaxBytesError{Limit: limit}
	}
	return r.body.data, r.body.err
}

func readAll(body io.Reader, limit int64) ([]byte, error) {
	if limit > 0 && limit < math.MaxInt64 {
		body = io.LimitReader(body, limit+1) // one more byte tells a body that is too long
	}
	data, err := io.ReadAll(body)
	if err == nil && limit > 0 && int64(len(data)) > limit {
		err = &http.MaxBytesError{Limit: limit}
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// failing ends a replayed body as the real one ended.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err == nil {
		return 0, io.EOF
	}
	return 0, f.err
}
