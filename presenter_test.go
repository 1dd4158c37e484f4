package sallyport_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler"
)

// says is a handler that answers with its endpoint and the variables of the path.

var says = handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
	text := r.Endpoint().String()
	for _, p := range r.PathValues {
		text += " " + p.Name + "=" + p.Value
	}
	return api.Text(http.StatusOK, text), nil
})

func TestPathsAndMethods(t *testing.T) {
	p := newProgram(sallyport.Config{CORS: sallyport.CORS{Off: true}})
	for _, e := range []api.EndpointIdentifier{
		api.GET("1", "users"), api.POST("1", "users", "send-email"), api.GET("1", "users", "{id}"), api.GET("1", "users", "search"),
		api.GET("1", "users", "{uid}", "posts"), api.DELETE("1", "users", "{id}"), api.GET("1.33-dev", "users"),
		api.GET("2", "files", "{path...}"), api.NewEndpointIdentifier("OPTIONS", "1", "explicit", ""), api.GET("1", "explicit"),
		api.NewEndpointIdentifier("HEAD", "1", "head", ""), api.GET("1", "head"),
	} {
		p.AddApi(e, says, open)
	}
	h := p.build(t)
	const unknown = `{"status":"error","message":"Unknown api endpoint"}`
	for _, tc := range []struct {
		method, path string
		status       int
		body, allow  string
	}{
		{"GET", "/api/v1/users", 200, "GET v1/users", ""},                           // FW-013, FW-016, FW-041, TC-229
		{"get", "/api/v1/users", 200, "GET v1/users", ""},                           // TC-136
		{"POST", "/api/v1/users/send-email", 200, "POST v1/users/send-email", ""},   // TC-229
		{"GET", "/api/v1/users/", 200, "GET v1/users", ""},                          // FW-009
		{"GET", "/api/v1/users/5", 200, "GET v1/users/{id} id=5", ""},               // FW-044, FW-273
		{"GET", "/api/v1/users/search", 200, "GET v1/users/search", ""},             // FW-045, peer-fw 1
		{"GET", "/api/v1/users/7/posts", 200, "GET v1/users/{uid}/posts uid=7", ""}, // peer-fw 2
		{"GET", "/api/v1/users/a%2Fposts", 200, "GET v1/users/{id} id=a/posts", ""}, // peer-fw 4
		{"GET", "/api/v1/users/a%2fb", 200, "GET v1/users/{id} id=a/b", ""},         // peer-fw 5
		{"GET", "/api/v1/users/%2541+", 200, "GET v1/users/{id} id=%41+", ""},       // peer-fw 5
		{"GET", "/api/v1/%75sers", 200, "GET v1/users", ""},                         // FW-011
		{"GET", "/api/v1/Users", 404, unknown, ""},                                  // FW-011
		{"GET", "/api/v1.33-dev/users", 200, "GET v1.33-dev/users", ""},             // FW-042, FW-393
		{"GET", "/api/v2/files/a/b", 200, "GET v2/files/{path...} path=a/b", ""},
		{"GET", "/api/v1/users?apiAction=search", 200, "GET v1/users", ""}, // FW-047
		{"GET", "/api/v1/users?apiAction[]=x", 200, "GET v1/users", ""},    // TC-139
		{"DELETE", "/api/v1/users/search", 200, "DELETE v1/users/{id} id=search", ""},
		{"GET", "/api/v1/explicit", 200, "GET v1/explicit", ""},
		{"OPTIONS", "/api/v1/explicit", 200, "OPTIONS v1/explicit", ""}, // FW-036, TC-129
		{"HEAD", "/api/v1/users", 200, "", ""},                          // peer-fw 14
		{"HEAD", "/api/v1/head", 200, "", ""},
		{"OPTIONS", "/api/v1/users", 204, "", "GET, HEAD, OPTIONS"}, // FW-030
		{"OPTIONS", "/api/v1/users/5", 204, "", "DELETE, GET, HEAD, OPTIONS"},
		{"OPTIONS", "/api/v1/unknown", 404, unknown, ""},                                                          // FW-031, FW-396, TC-130
		{"POST", "/api/v1/users", 405, `{"status":"error","message":"Method not allowed"}`, "GET, HEAD, OPTIONS"}, // FW-029
		{"BREW", "/api/v1/users", 405, `{"status":"error","message":"Method not allowed"}`, "GET, HEAD, OPTIONS"}, // peer-fw 16
		{"BREW", "/api/v1/unknown", 404, unknown, ""},                                                             // peer-fw 16
		{"GET", "/", 404, unknown, ""},                                                                            // FW-039
		{"GET", "/api", 404, unknown, ""},                                                                         // FW-039
		{"GET", "/api/v1", 404, unknown, ""},                                                                      // FW-039
		{"GET", "/api/v3/users", 404, `{"status":"error","message":"Unknown api version","code":"unknown_version"}`, ""},
		{"GET", "/api/v1/users/7/posts/9", 404, unknown, ""}, // FW-043
		{"GET", "/api/v1/users//posts", 404, unknown, ""},    // peer-fw 10
		{"GET", "//api/v1/users", 404, unknown, ""},
		{"GET", "/api/v1/./users", 404, unknown, ""},
		{"GET", "/API/v1/users", 404, unknown, ""},
		{"GET", "/api/v1/users/%00", 400, `{"status":"error","message":"The path of the request cannot be read"}`, ""},
		{"OPTIONS", "*", 404, unknown, ""},
	} {
		t.Run(tc.method+" "+tc.path, func(t *testing.T) {
			r := httptest.NewRequest(tc.method, "/", nil)
			target, query, _ := strings.Cut(tc.path, "?")
			r.URL.RawQuery = query
			r.URL.Path, r.URL.RawPath = unescape(t, target), target
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			require.Equal(t, tc.status, w.Code)
			require.Equal(t, tc.body, w.Body.String())
			require.Equal(t, tc.allow, w.Header().Get("Allow"))
			require.Empty(t, w.Header().Get("Location"), "no redirects") // peer-fw 8
		})
	}
}

func unescape(t *testing.T, path string) string {
	t.Helper()
	text, err := http.NewRequest("GET", "http://x"+strings.Replace(path, "*", "/*", 1), nil)
	require.NoError(t, err)
	return strings.Replace(text.URL.Path, "/*", "*", 1)
}

func TestTheBasePath(t *testing.T) { // FW-048
	for base, path := range map[string]string{"": "/api/v1/users", "/": "/v1/users", "/shop/api": "/shop/api/v1/users"} {
		t.Run(base, func(t *testing.T) {
			p := newProgram(sallyport.Config{BasePath: base})
			p.AddApi(api.GET("1", "users"), says, open)
			h := p.build(t)
			require.Equal(t, 200, get(h, path).StatusCode)
			require.Equal(t, 404, get(h, "/other"+path).StatusCode)
		})
	}
}

func TestTheSmallestProgram(t *testing.T) { // FW-391, TC-109
	p := newProgram(sallyport.Config{})
	p.AddApi(api.GET("1", "test", "api"), handler.AlwaysOk{}, open)
	res := get(p.build(t), "/api/v1/test/api")
	require.Equal(t, 200, res.StatusCode)
	require.Equal(t, "application/json; charset=utf-8", res.Header.Get("Content-Type"))
	require.Equal(t, `{"status":"ok"}`, body(t, res))
}

func TestAWholeProgramIsUnderTwentyLines(t *testing.T) { // FW-390
	const source = "testdata/smallest/main.go"
	text, err := os.ReadFile(source)
	require.NoError(t, err)
	lines := slices.DeleteFunc(strings.Split(string(text), "\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
	require.Less(t, len(lines), 20)

	busy, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, busy.Close()) })
	out, err := exec.CommandContext(t.Context(), "go", "run", source, busy.Addr().String()).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "bind: ", "everything before was in order")
}

func TestOneHandlerServesSeveralEndpointsAtOnce(t *testing.T) { // FW-025, FW-026
	p := newProgram(sallyport.Config{})
	for _, pkg := range []string{"a", "b"} {
		p.AddApi(api.GET("1", pkg), says, open)
	}
	h := p.build(t)
	var group sync.WaitGroup
	for _, pkg := range []string{"a", "b"} {
		for range 4 {
			group.Go(func() {
				for range 50 {
					w := httptest.NewRecorder()
					h.ServeHTTP(w, httptest.NewRequest("GET", "/api/v1/"+pkg, nil))
					if w.Body.String() != "GET v1/"+pkg {
						t.Errorf("%s answered %s", pkg, w.Body)
					}
				}
			})
		}
	}
	group.Wait()
}

func TestLazyHandlersAreBuiltWhenTheyAreAsked(t *testing.T) { // FW-019, FW-020, FW-411, TC-132
	built := map[string]int{}
	lazy := func(name string, err error) api.Handler {
		return handler.Lazy(func() (api.Handler, error) { built[name]++; return ok, err }, handler.LazyInfo{})
	}
	p := newProgram(sallyport.Config{})
	p.AddApi(api.GET("1", "a"), lazy("a", nil), open)
	p.AddApi(api.GET("1", "b"), lazy("b", nil), open)
	p.AddApi(api.GET("1", "c"), lazy("c", errors.New("no database")), open)
	h := p.build(t)
	require.Empty(t, built)
	require.Equal(t, []int{200, 200}, statuses(h, 2, request{path: "/api/v1/a"}))
	require.Equal(t, 500, get(h, "/api/v1/c").StatusCode)
	require.Equal(t, map[string]int{"a": 1, "c": 1}, built)
}

func TestHostileRequestLinesGetAnAnswer(t *testing.T) {
	p := newProgram(sallyport.Config{})
	p.AddApi(api.GET("1", "users", "{id}"), says, open)
	server := httptest.NewServer(p.build(t))
	t.Cleanup(server.Close)
	for _, line := range []string{
		"GET http://other.example/api/v1/users/5 HTTP/1.1", "OPTIONS * HTTP/1.1", "CONNECT other.example:80 HTTP/1.1",
		"GET /api/v1/users/%zz HTTP/1.1", "GET /api/v1/users/%ff HTTP/1.1", "GET /api/v1/users/" + strings.Repeat("x", 20000) + " HTTP/1.1",
		"GET /api/v1/users/" + strings.Repeat("a/", 5000) + " HTTP/1.1", "GET //evil.example/ HTTP/1.1", "GET /api/v1/users/..%2f..%2fetc HTTP/1.1",
	} {
		t.Run(line[:min(len(line), 40)], func(t *testing.T) {
			conn, err := net.Dial("tcp", server.Listener.Addr().String())
			require.NoError(t, err)
			defer conn.Close()
			_, err = fmt.Fprintf(conn, "%s\r\nHost: x\r\nConnection: close\r\n\r\n", line)
			require.NoError(t, err)
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			require.NoError(t, err)
			require.Less(t, res.StatusCode, 500)
			require.Empty(t, res.Header.Get("Location"))
			require.NoError(t, res.Body.Close())
		})
	}
}

func TestHandlersOfNetHTTPKnowTheirPattern(t *testing.T) {
	p := newProgram(sallyport.Config{})
	p.AddApi(api.GET("1", "files", "{path...}"), handler.HTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s", r.Pattern, r.PathValue("path"))
	})), open)
	require.Equal(t, "GET /api/v1/files/{path...} a/b", body(t, get(p.build(t), "/api/v1/files/a/b")))
}
