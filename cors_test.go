package sallyport_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/ratelimit"
)

func TestCORS(t *testing.T) {
	const origin = "https://shop.example"
	page := http.Header{"Origin": {origin}}
	preflight := http.Header{"Origin": {origin}, "Access-Control-Request-Method": {"GET"}}
	list := sallyport.CORS{Origins: []string{origin}, Credentials: true, MaxAge: 10 * time.Minute}
	expose := "RateLimit, RateLimit-Policy, Retry-After, X-Request-Id"
	for _, tc := range []struct {
		name   string
		cors   sallyport.CORS
		q      request
		status int
		want   http.Header
	}{
		{"every origin", sallyport.CORS{}, request{header: page}, 200, http.Header{"Access-Control-Allow-Origin": {"*"}, "Access-Control-Expose-Headers": {expose}}},                                                                                                                     // FW-082, FW-092, FW-094
		{"off", sallyport.CORS{Off: true}, request{header: page}, 200, http.Header{}},                                                                                                                                                                                                    // FW-080, FW-084, TC-148
		{"off, in a preflight", sallyport.CORS{Off: true}, request{method: "OPTIONS", header: preflight}, 204, http.Header{}},                                                                                                                                                            // FW-080
		{"an origin of the list", list, request{header: page}, 200, http.Header{"Access-Control-Allow-Origin": {origin}, "Access-Control-Allow-Credentials": {"true"}, "Access-Control-Expose-Headers": {expose}, "Vary": {"Origin"}}},                                                   // FW-083, FW-088, TC-145
		{"one origin", sallyport.CORS{Origins: []string{origin}}, request{header: page}, 200, http.Header{"Access-Control-Allow-Origin": {origin}, "Access-Control-Expose-Headers": {expose}, "Vary": {"Origin"}}},                                                                       // FW-085
		{"an origin with its port", sallyport.CORS{Origins: []string{origin + ":8443"}}, request{header: http.Header{"Origin": {origin + ":8443"}}}, 200, http.Header{"Access-Control-Allow-Origin": {origin + ":8443"}, "Access-Control-Expose-Headers": {expose}, "Vary": {"Origin"}}}, // FW-090
		{"an origin with another port", sallyport.CORS{Origins: []string{origin + ":8443"}}, request{header: page}, 200, http.Header{"Vary": {"Origin"}}},                                                                                                                                // FW-090
		{"no origin", list, request{header: http.Header{"Referer": {origin + "/x"}}}, 200, http.Header{"Vary": {"Origin"}}},                                                                                                                                                              // FW-086, FW-089, TC-144, TC-147
		{"an origin that only begins like it", list, request{header: http.Header{"Origin": {origin + ".evil.example"}}}, 200, http.Header{"Vary": {"Origin"}}},                                                                                                                           // FW-087
		{"the null origin", list, request{header: http.Header{"Origin": {"null"}}}, 200, http.Header{"Vary": {"Origin"}}},
		{"a preflight", sallyport.CORS{}, request{method: "OPTIONS", header: preflight}, 204, http.Header{"Access-Control-Allow-Origin": {"*"}, "Access-Control-Allow-Methods": {"GET, HEAD, OPTIONS"}, "Access-Control-Allow-Headers": {"Authorization, Content-Type, X-Requested-With"}}},                                                                                                           // FW-282, FW-284, TC-150, peer-fw 19
		{"a preflight from the list", list, request{method: "OPTIONS", header: preflight}, 204, http.Header{"Access-Control-Allow-Origin": {origin}, "Access-Control-Allow-Credentials": {"true"}, "Access-Control-Allow-Methods": {"GET, HEAD, OPTIONS"}, "Access-Control-Allow-Headers": {"Authorization, Content-Type, X-Requested-With"}, "Access-Control-Max-Age": {"600"}, "Vary": {"Origin"}}}, // FW-093
		{"a preflight from elsewhere", list, request{method: "OPTIONS", header: http.Header{"Origin": {"https://evil.example"}, "Access-Control-Request-Method": {"GET"}}}, 204, http.Header{"Vary": {"Origin"}}},
		{"OPTIONS that is no preflight", sallyport.CORS{}, request{method: "OPTIONS", header: page}, 204, http.Header{"Access-Control-Allow-Origin": {"*"}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newProgram(sallyport.Config{CORS: tc.cors, RateLimits: []ratelimit.Policy{{Name: "perIp", Limit: 1, Interval: time.Hour}}})
			p.AddApi(api.GET("1", "users"), ok, open, ratelimit.Named("perIp"))
			tc.q.path = "/api/v1/users"
			h := p.build(t)
			res := send(h, tc.q)
			require.Equal(t, tc.status, res.StatusCode)
			got := http.Header{}
			for name, values := range res.Header {
				if strings.HasPrefix(name, "Access-Control-") || name == "Vary" {
					got[name] = values
				}
			}
			require.Equal(t, tc.want, got)
			if tc.q.method == "OPTIONS" {
				require.Empty(t, res.Header.Get("RateLimit"), "a preflight is not counted") // AMB-11, peer 91
				require.Equal(t, 200, get(h, "/api/v1/users").StatusCode)
			}
		})
	}
}

func TestAPreflightTellsTheMethodsOfThePath(t *testing.T) {
	p := newProgram(sallyport.Config{})
	for _, e := range []api.EndpointIdentifier{api.PATCH("1", "users", "{id}"), api.DELETE("1", "users", "{id}"), api.GET("1", "users", "{id}"), api.PUT("1", "users", "me"), api.POST("1", "users")} {
		p.AddApi(e, ok, open)
	}
	h := p.build(t)
	for path, want := range map[string]string{
		"/api/v1/users":    "OPTIONS, POST",
		"/api/v1/users/7":  "DELETE, GET, HEAD, OPTIONS, PATCH", // FW-079, FW-081
		"/api/v1/users/me": "DELETE, GET, HEAD, OPTIONS, PATCH, PUT",
	} {
		res := send(h, request{method: "OPTIONS", path: path, header: http.Header{"Origin": {"https://a.example"}, "Access-Control-Request-Method": {"PATCH"}}})
		require.Equal(t, want, res.Header.Get("Access-Control-Allow-Methods"))
	}
	res := send(h, request{method: "OPTIONS", path: "/api/v1/books", header: http.Header{"Origin": {"https://a.example"}, "Access-Control-Request-Method": {"GET"}}})
	require.Equal(t, 404, res.StatusCode)
	require.Empty(t, res.Header.Get("Access-Control-Allow-Methods")) // FW-396
}

func TestAHandlerCannotTakeVaryAway(t *testing.T) {
	p := newProgram(sallyport.Config{CORS: sallyport.CORS{Origins: []string{"https://shop.example"}}})
	p.AddApi(api.GET("1", "users"), returns(responseFunc(func(w http.ResponseWriter) error {
		w.Header().Set("Vary", "Accept")
		return nil
	}), nil), open)
	require.Equal(t, []string{"Accept", "Origin"}, get(p.build(t), "/api/v1/users").Header.Values("Vary"))
}

func TestMistakesOfCORS(t *testing.T) {
	for _, tc := range []struct {
		name string
		cors sallyport.CORS
		want string // "": none
	}{
		{"an origin with a port", sallyport.CORS{Origins: []string{"https://a.example:8443"}}, ""},
		{"credentials for every origin", sallyport.CORS{Credentials: true}, "credentials for every origin: name the Origins that may send them"},                                                 // FW-087, peer-fw 20
		{"an origin in upper case", sallyport.CORS{Origins: []string{"https://A.example"}}, `origin "https://A.example": write it as browsers do, like "https://shop.example:8443"`},             // FW-085
		{"an origin with its own port", sallyport.CORS{Origins: []string{"https://a.example:443"}}, `origin "https://a.example:443": write it as browsers do, like "https://shop.example:8443"`}, // FW-090, TC-147
		{"null", sallyport.CORS{Origins: []string{"null"}}, `origin "null": write it as browsers do, like "https://shop.example:8443"`},
		{"a star among others", sallyport.CORS{Origins: []string{"*"}}, `origin "*": leave Origins empty for every origin`},
		{"a negative age", sallyport.CORS{MaxAge: -1}, "MaxAge -1ns is negative"},
		{"an age with a part of a second", sallyport.CORS{MaxAge: 500 * time.Millisecond}, "MaxAge 500ms: write whole seconds"},
		{"an age in whole seconds", sallyport.CORS{MaxAge: 90 * time.Second}, ""},
		{"no header field", sallyport.CORS{AllowHeaders: []string{"X Y", "X:Y", "a(b"}, ExposeHeaders: []string{"", "é", "a,b", "a\x7f"}}, `"X Y" is no header field
"X:Y" is no header field
"a(b" is no header field
"" is no header field
"é" is no header field
"a,b" is no header field
"a\x7f" is no header field`},
		{"odd header fields", sallyport.CORS{ExposeHeaders: []string{"!#$%&'*+-.^_`|~09azAZ"}}, ""},
		{"every header field", sallyport.CORS{AllowHeaders: []string{"*", "Authorization"}, ExposeHeaders: []string{"*"}}, ""},
		{"every header field beside credentials", sallyport.CORS{Origins: []string{"https://a.example"}, Credentials: true, AllowHeaders: []string{"*"}}, `"*" beside credentials is not every header field but one of that name: list the fields`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.want == "" {
				require.NoError(t, tc.cors.Validate())
				return
			}
			require.EqualError(t, tc.cors.Validate(), tc.want)
		})
	}
}

func TestOriginsThatBrowsersSend(t *testing.T) {
	label := strings.Repeat("a", 63)
	for origin, valid := range map[string]bool{
		"https://a.example":             true,
		"http://localhost:5173":         true,
		"http://localhost:443":          true,
		"https://a.example:65535":       true,
		"https://a.example.":            true,
		"https://my_host.a-b.example":   true,
		"https://xn--exmple-cua.com":    true,
		"https://" + label + ".example": true,
		"https://192.0.2.1":             true,
		"https://[2001:db8::1]:8443":    true,
		"chrome-extension://abcdefghij": true,

		"https://*.example.com":                       false,
		"https://exämple.com":                         false,
		"https://ex%C3%A4mple.com":                    false,
		"https://a.example:99999":                     false,
		"https://a.example:65536":                     false,
		"https://a.example:0443":                      false,
		"https://a.example:0":                         false,
		"https://a.example:":                          false,
		"https://a.example:443":                       false,
		"http://a.example:80":                         false,
		"https://a.example:http":                      false,
		"https://a..b":                                false,
		"https://.a":                                  false,
		"https://a..":                                 false,
		"https://.":                                   false,
		"https://":                                    false,
		"https://:8443":                               false,
		"https://a b.example":                         false,
		"https://a,b.example":                         false,
		"https://a" + label + ".example":              false,
		"https://" + strings.Repeat("a.", 127) + "aa": false,
		"https://192.0.2.256":                         false,
		"https://192.0.2":                             false,
		"https://192.0.02.1":                          false,
		"https://[2001:DB8::1]":                       false,
		"https://[2001:db8:0::1]":                     false,
		"https://[fe80::1%25eth0]":                    false,
		"https://[192.0.2.1]":                         false,
		"https://[::ffff:192.0.2.1]":                  false,
		"https://2001:db8::1":                         false,
		"https://A.example":                           false,
		"HTTPS://a.example":                           false,
		"https://a.example/":                          false,
		"https://a.example/x":                         false,
		"https://a.example?x":                         false,
		"https://a.example#x":                         false,
		"https://u@a.example":                         false,
		"//a.example":                                 false,
		"a.example":                                   false,
		"null":                                        false,
		"file:///x":                                   false,
		"":                                            false,
	} {
		err := sallyport.CORS{Origins: []string{origin}}.Validate()
		if valid {
			require.NoError(t, err)
			continue
		}
		require.EqualError(t, err, fmt.Sprintf(`origin %q: write it as browsers do, like "https://shop.example:8443"`, origin))
	}
}

func TestAPreflightHandlerOfOnesOwn(t *testing.T) { // FW-033, FW-037
	p := newProgram(sallyport.Config{})
	p.EnableGlobalPreflight(ownPreflight{})
	p.AddApi(api.GET("1", "users"), ok, open)
	res := send(p.build(t), request{method: "OPTIONS", path: "/api/v1/users", header: http.Header{"Origin": {"https://a.example"}, "Access-Control-Request-Method": {"GET"}}})
	require.Equal(t, 200, res.StatusCode)
	require.Equal(t, `["OPTIONS v1/users"]`, body(t, res))
	require.Equal(t, "GET, HEAD, OPTIONS", res.Header.Get("Access-Control-Allow-Methods"))
}

func TestFieldsOfAnUpstreamAreReplaced(t *testing.T) { // FW-091
	upstream := responseFunc(func(w http.ResponseWriter) error {
		for _, name := range []string{"Access-Control-Allow-Origin", "Access-Control-Allow-Credentials", "X-Request-Id", "X-Content-Type-Options"} {
			w.Header().Add(name, "theirs")
		}
		return nil
	})
	p := newProgram(sallyport.Config{})
	p.AddApi(api.GET("1", "users"), returns(upstream, nil), open)
	h := get(p.build(t), "/api/v1/users").Header
	require.Equal(t, []string{"*"}, h.Values("Access-Control-Allow-Origin"))
	require.Empty(t, h.Values("Access-Control-Allow-Credentials"))
	require.Equal(t, []string{"nosniff"}, h.Values("X-Content-Type-Options"))
	require.Len(t, h.Values("X-Request-Id"), 1)
	require.NotEqual(t, "theirs", h.Get("X-Request-Id"))
}

func TestVaryOfAnOuterMiddlewareIsKept(t *testing.T) {
	shared := make([]string, 1, 4)
	shared[0] = "Accept-Encoding"
	p := newProgram(sallyport.Config{CORS: sallyport.CORS{Origins: []string{"https://shop.example"}}})
	p.AddApi(api.GET("1", "users"), ok, open)
	h := p.build(t)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			w := httptest.NewRecorder()
			w.Header()["Vary"] = shared
			h.ServeHTTP(w, httptest.NewRequest("GET", "/api/v1/users", nil))
			if got := w.Header()["Vary"]; !slices.Equal(got, []string{"Accept-Encoding", "Origin"}) {
				t.Error(got)
			}
		})
	}
	group.Wait()
}
