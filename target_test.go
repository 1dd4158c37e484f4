package sallyport_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/ratelimit"
)

func TestTargetsThatAreTooLong(t *testing.T) {
	const path = "/api/v1/users"
	query := func(length int) string { return path + "?" + strings.Repeat("x", length-len(path)-1) }
	long := "/api/v1/" + strings.Repeat("x", 8<<10)
	for name, row := range map[string]struct {
		max    int
		target string
		status int
	}{
		"as long as it may be":         {0, query(8 << 10), 200},
		"a byte more":                  {0, query(8<<10 + 1), 414},
		"a bound of one's own":         {20, query(20), 200},
		"a byte more than that":        {20, query(21), 414},
		"no bound":                     {-1, query(1 << 20), 200},
		"a path has one":               {-1, long, 414},
		"and it is no mistake of text": {1 << 20, long, 414},
		"as it was sent":               {20, "/api/v1/%75%73%65%72%73", 414},
		"before anything is looked up": {20, "/elsewhere/" + strings.Repeat("x", 20), 414},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProgram(sallyport.Config{MaxURL: row.max})
			p.AddApi(api.GET("1", "users"), ok, open)
			h := p.build(t)
			fromServer := httptest.NewRequest(http.MethodGet, row.target, nil)
			own := httptest.NewRequest(http.MethodGet, row.target, nil)
			own.RequestURI = ""
			for _, r := range []*http.Request{fromServer, own} {
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				require.Equal(t, row.status, w.Code)
				require.Equal(t, "*", w.Header().Get("Access-Control-Allow-Origin"))
			}
		})
	}
}

func TestALongTargetCostsNothing(t *testing.T) {
	p := newProgram(sallyport.Config{MaxURL: 20})
	p.AddApi(api.GET("1", "users"), panics("must not run"), refusing(api.Forbidden("no")), ratelimit.Use(ownLimiter(func(*ratelimit.Context) ([]ratelimit.Result, error) { panic("must not be asked") })))
	h := p.build(t)
	for _, method := range []string{http.MethodGet, http.MethodOptions, http.MethodPut} {
		res := send(h, request{method: method, path: "/api/v1/users?" + strings.Repeat("x", 20)})
		require.Equal(t, 414, res.StatusCode)
		require.Equal(t, `{"status":"error","message":"The address of the request is too long"}`, body(t, res))
	}
	require.Empty(t, p.log.String())
}

func TestOwnRequestsAreMeasuredByTheirURL(t *testing.T) {
	p := newProgram(sallyport.Config{MaxURL: 20})
	p.AddApi(api.GET("1", "{name}"), ok, open)
	h := p.build(t)
	for raw, status := range map[string]int{"": 200, "/api/v1/%61%62%63%64%65%66": 414} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, &http.Request{Method: http.MethodGet, URL: &url.URL{Path: "/api/v1/abcdef", RawPath: raw}, Header: http.Header{}})
		require.Equal(t, status, w.Code)
	}
}

func TestMistakesOfMaxURL(t *testing.T) {
	_, err := sallyport.NewPresenter(sallyport.NewApiDecider(sallyport.Config{MaxURL: -2}))
	require.ErrorContains(t, err, "the URL limit -2: bytes, or -1 for no limit")
}
