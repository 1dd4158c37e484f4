package api_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
)

// failure is an error as the client gets to know it.
type failure struct {
	status int
	header http.Header
	code   string
}

func failureOf(t *testing.T, err error) failure {
	t.Helper()
	if err == nil {
		return failure{}
	}
	e, ok := api.AsError(err)
	require.True(t, ok, "%v", err)
	f := failure{status: e.Status, header: e.Header}
	for _, field := range e.Fields {
		f.code += field.In + " " + field.Code
	}
	return f
}

// sentBy is a request with a body, whose length may be unknown.
func sentBy(method, body string, chunked bool, header ...string) *api.Request {
	var reader io.Reader = strings.NewReader(body)
	if chunked {
		reader = io.MultiReader(reader)
	}
	r := httptest.NewRequest(method, "/", reader)
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	return &api.Request{Request: r}
}

func TestContent(t *testing.T) {
	const json, patch = "application/json", "application/*+json"
	unsupported := func(fields ...string) failure {
		h := http.Header{"Accept": {json}}
		for _, field := range fields {
			h[field] = h["Accept"]
		}
		return failure{status: 415, header: h}
	}
	encoded := failure{status: 415, header: http.Header{"Accept-Encoding": {"identity"}}}
	for name, row := range map[string]struct {
		method    string
		body      string
		header    []string
		accept    []string
		mediaType string
		failure   failure
	}{
		"the type":                         {"POST", "{}", []string{"Content-Type", json}, nil, json, failure{}},
		"in other letters":                 {"POST", "{}", []string{"Content-Type", "Application/JSON ; Charset=UTF-8"}, nil, json, failure{}},
		"a suffix":                         {"POST", "{}", []string{"Content-Type", "application/vnd.a+json"}, nil, "application/vnd.a+json", failure{}},
		"a suffix alone":                   {"POST", "{}", []string{"Content-Type", "application/+json"}, nil, "", unsupported("Accept-Post")},
		"a longer name":                    {"POST", "{}", []string{"Content-Type", "application/jsonx"}, nil, "", unsupported("Accept-Post")},
		"another type, PATCH":              {"PATCH", "{}", []string{"Content-Type", "text/plain"}, nil, "", unsupported("Accept-Patch")},
		"another type, PUT":                {"PUT", "{}", []string{"Content-Type", "text/plain"}, nil, "", unsupported()},
		"no type":                          {"PUT", "{}", nil, nil, "", unsupported()},
		"an empty type":                    {"PUT", "{}", []string{"Content-Type", ""}, nil, "", unsupported()},
		"two types":                        {"PUT", "{}", []string{"Content-Type", json, "Content-Type", json}, nil, "", unsupported()},
		"broken type":                      {"PUT", "{}", []string{"Content-Type", "application/json; charset"}, nil, "", unsupported()},
		"another charset":                  {"PUT", "{}", []string{"Content-Type", json + "; charset=utf-16"}, nil, "", unsupported()},
		"ASCII is UTF-8":                   {"PUT", "{}", []string{"Content-Type", json + "; charset=us-ascii"}, nil, json, failure{}},
		"no body":                          {"POST", "", []string{"Content-Type", "text/plain"}, nil, "", failure{}},
		"an encoding":                      {"POST", "x", []string{"Content-Type", json, "Content-Encoding", "gzip"}, nil, "", encoded},
		"one of several":                   {"POST", "x", []string{"Content-Type", json, "Content-Encoding", "identity, br"}, nil, "", encoded},
		"identity is none":                 {"POST", "x", []string{"Content-Type", json, "Content-Encoding", "Identity"}, nil, json, failure{}},
		"everything":                       {"POST", "x", []string{"Content-Type", "image/png"}, []string{"*/*"}, "image/png", failure{}},
		"everything, no type":              {"POST", "x", nil, []string{"*/*"}, "", failure{}},
		"a range":                          {"POST", "x", []string{"Content-Type", "image/png"}, []string{"image/*"}, "image/png", failure{}},
		"a suffix that no Accept can name": {"POST", "x", []string{"Content-Type", "text/plain"}, []string{patch}, "", failure{status: 415}},
		"outside of the range":             {"POST", "x", []string{"Content-Type", "imagex/png"}, []string{"image/*"}, "", failure{status: 415, header: http.Header{"Accept": {"image/*"}, "Accept-Post": {"image/*"}}}},
	} {
		for _, chunked := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				accept := row.accept
				if accept == nil {
					accept = []string{json, patch}
				}
				data, mediaType, err := sentBy(row.method, row.body, chunked, row.header...).Content(accept...)
				require.Equal(t, row.failure, failureOf(t, err))
				require.Equal(t, row.mediaType, mediaType)
				if err == nil {
					require.Equal(t, row.body, string(data))
				}
			})
		}
	}
}

func TestContentOfNoRequest(t *testing.T) {
	data, mediaType, err := (&api.Request{}).Content("*/*")
	require.NoError(t, err)
	require.Empty(t, string(data)+mediaType)
}

func TestQueryValues(t *testing.T) {
	for query, want := range map[string]failure{
		"":          {},
		"a=1&a=2&b": {},
		"a=%zz":     {400, nil, "query syntax"}, // peer-fw 40
		"a=1;b=2":   {400, nil, "query syntax"}, // peer-fw 40
	} {
		r := &api.Request{Request: httptest.NewRequest(http.MethodGet, "/", nil)}
		r.URL.RawQuery = query
		for range 2 {
			values, err := r.QueryValues()
			require.Equal(t, want, failureOf(t, err), query)
			require.Equal(t, len(values) > 0, query != "" && err == nil)
		}
	}
	values, err := (&api.Request{}).QueryValues()
	require.NoError(t, err)
	require.Empty(t, values)
}

func TestFormFields(t *testing.T) {
	const form, multi = "application/x-www-form-urlencoded", "multipart/form-data; boundary=b"
	types := http.Header{"Accept": {"application/x-www-form-urlencoded, multipart/form-data"}}
	part := func(disposition, text string) string {
		return "--b\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + text + "\r\n--b--\r\n"
	}
	for name, row := range map[string]struct {
		body, contentType string
		values            map[string][]string
		files             int
		failure           failure
	}{
		"urlencoded":            {"a=1&a=2&b=%C4%8D+", form, map[string][]string{"a": {"1", "2"}, "b": {"č "}}, 0, failure{}},
		"multipart":             {part(`name="a"`, "1"), multi, map[string][]string{"a": {"1"}}, 0, failure{}},
		"a file":                {part(`name="a"; filename="x.txt"`, "1"), multi, map[string][]string{}, 1, failure{}},
		"no file chosen":        {part(`name="a"; filename=""`, ""), multi, map[string][]string{"a": {""}}, 0, failure{}},
		"no body":               {"", "text/plain", nil, 0, failure{}},
		"broken urlencoded":     {"a=%zz", form, nil, 0, failure{400, nil, "form syntax"}},
		"broken multipart":      {"--b\r\nContent-Disposition", multi, nil, 0, failure{400, nil, "form syntax"}},
		"multipart without end": {strings.TrimSuffix(part(`name="a"`, "1"), "--\r\n"), multi, nil, 0, failure{400, nil, "form syntax"}},
		"no boundary":           {"x", "multipart/form-data", nil, 0, failure{400, nil, "form syntax"}},
		"another type":          {"x", "text/plain", nil, 0, failure{415, types, ""}},
		"another charset":       {"x", form + "; charset=latin1", nil, 0, failure{415, types, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			r := sentBy(http.MethodDelete, row.body, false, "Content-Type", row.contentType) // FW-214
			for range 2 {
				fields, err := r.FormFields()
				require.Equal(t, row.failure, failureOf(t, err))
				require.Equal(t, row.values, fields.Value)
				require.Len(t, fields.File, row.files)
			}
			require.Equal(t, row.files > 0 || strings.HasPrefix(row.contentType, "multipart/form-data; b") && row.failure.status == 0,
				r.MultipartForm != nil, "the server removes the files")
		})
	}
}

func TestFormFieldsOfABodyThatIsTooLong(t *testing.T) {
	for _, contentType := range []string{"application/x-www-form-urlencoded", "multipart/form-data; boundary=b"} {
		r := sentBy(http.MethodPost, "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n"+strings.Repeat("x", 100)+"\r\n--b--\r\n", true, "Content-Type", contentType)
		r.Body = http.MaxBytesReader(nil, r.Body, 50)
		_, err := r.FormFields()
		var tooLarge *http.MaxBytesError
		require.ErrorAs(t, err, &tooLarge) // peer-fw 25
	}
}
