package param_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
)

// read reads the parameters as the presenter does: all of them, whatever is wrong
// with one.
func read(t testing.TB, r *api.Request, params ...api.Param) (faults []api.FieldError, err error) {
	t.Helper()
	r.Values = nil
	for _, p := range params {
		input, err := p.Input()
		require.NoError(t, err)
		value, err := p.Read(r)
		r.Values = append(r.Values, api.Value{Name: input.Name, Value: value})
		if err == nil {
			continue
		}
		e, ok := api.AsError(err)
		if !ok || e.Status != http.StatusBadRequest || len(e.Fields) == 0 {
			return nil, err
		}
		require.Nil(t, value, "a value beside a fault")
		faults = append(faults, e.Fields...)
	}
	return faults, nil
}

// result is what one parameter makes of a request.
type result struct {
	Value  any // nil: none
	Faults []api.FieldError
}

func resultOf(t testing.TB, r *api.Request, p api.Param) result {
	t.Helper()
	faults, err := read(t, r, p)
	require.NoError(t, err)
	return result{r.Values[0].Value, faults}
}

func value(v any) result { return result{Value: v} }

func fault(in api.Source, code, message string) result {
	return result{Faults: []api.FieldError{{In: string(in), Name: "x", Code: code, Message: message}}}
}

func required(in api.Source) result { return fault(in, "required", "Field is required") }

func wrongType(in api.Source, expected string) result {
	return fault(in, "type", "Value has invalid type. Expected "+expected+".")
}

func notAllowed(in api.Source) result {
	return fault(in, "enum", "Field contains not available value(s)")
}

func repeated(in api.Source) result {
	return fault(in, "repeated", "Field was sent more than once")
}

func get(query string) *api.Request {
	return &api.Request{Request: httptest.NewRequest(http.MethodGet, "/?"+query, nil)}
}

func withBody(method, mediaType, body string) *api.Request {
	r := httptest.NewRequest(method, "/", strings.NewReader(body))
	if body == "" {
		r = httptest.NewRequest(method, "/", nil)
	}
	if mediaType != "" {
		r.Header.Set("Content-Type", mediaType)
	}
	return &api.Request{Request: r}
}

const formType = "application/x-www-form-urlencoded"

func form(method, body string) *api.Request { return withBody(method, formType, body) }

func withHeader(name string, lines ...string) *api.Request {
	r := get("")
	r.Header[http.CanonicalHeaderKey(name)] = lines
	return r
}

func cookies(line string) *api.Request { return withHeader("Cookie", line) }

func path(values ...api.PathValue) *api.Request {
	r := get("")
	r.PathValues = values
	return r
}

// part is a file of a form.
type part struct{ field, filename, mediaType, content string }

func parts(t testing.TB, method string, fields url.Values, files ...part) *api.Request {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, values := range fields {
		for _, v := range values {
			require.NoError(t, w.WriteField(name, v))
		}
	}
	for _, f := range files {
		header := textproto.MIMEHeader{"Content-Disposition": {`form-data; name="` + f.field + `"; filename="` + f.filename + `"`}}
		if f.mediaType != "" {
			header.Set("Content-Type", f.mediaType)
		}
		p, err := w.CreatePart(header)
		require.NoError(t, err)
		_, err = p.Write([]byte(f.content))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return withBody(method, w.FormDataContentType(), body.String())
}
