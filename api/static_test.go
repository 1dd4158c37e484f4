package api_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
)

func TestStatic(t *testing.T) {
	document := api.Static("application/json", []byte(`{"openapi":"3.1.1"}`))
	require.Equal(t, 200, document.Status())
	send := func(method string, header ...string) (*httptest.ResponseRecorder, error) {
		w, r := httptest.NewRecorder(), httptest.NewRequest(method, "/", nil)
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		return w, document.Send(w, r)
	}
	w, err := send(http.MethodGet)
	require.NoError(t, err)
	etag := w.Header().Get("ETag")
	require.Equal(t, http.Header{
		"Content-Type": {"application/json"}, "Content-Length": {"19"}, "Accept-Ranges": {"bytes"}, "Etag": {etag},
	}, w.Header())
	for name, tc := range map[string]struct {
		method, field, value string
		status               int
		body                 string
	}{
		"the whole":            {"GET", "", "", 200, `{"openapi":"3.1.1"}`},
		"known already":        {"GET", "If-None-Match", etag, 304, ""},
		"known in another way": {"GET", "If-None-Match", `"a", W/` + etag, 304, ""},
		"another one is known": {"GET", "If-None-Match", `"a"`, 200, `{"openapi":"3.1.1"}`},
		"a part":               {"GET", "Range", "bytes=1-3", 206, `"op`},
		"HEAD":                 {"HEAD", "", "", 200, ""},
		"POST":                 {"POST", "If-None-Match", etag, 200, `{"openapi":"3.1.1"}`},
	} {
		var fields []string
		if tc.field != "" {
			fields = []string{tc.field, tc.value}
		}
		w, err := send(tc.method, fields...)
		require.NoError(t, err, name)
		require.Equal(t, tc.status, w.Code, name)
		require.Equal(t, tc.body, w.Body.String(), name)
	}
	_, err = send(http.MethodGet, "If-Match", `"a"`)
	require.Equal(t, api.Error{Status: http.StatusPreconditionFailed}, err)
	require.Error(t, api.Static("text/\nplain", nil).Send(httptest.NewRecorder(), nil))
	require.NotEqual(t, document, api.Static("application/json", []byte(`{}`)))
}
