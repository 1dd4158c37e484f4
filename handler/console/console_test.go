package console_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/handler/console"
	"github.com/sallyport-go/sallyport/handler/param"
	"github.com/sallyport-go/sallyport/ratelimit"
)

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; " +
	"form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// library has endpoints of two versions.
func library() *sallyport.ApiDecider {
	d := decider()
	perIP := ratelimit.Policy{Name: "perIp", Limit: 100, Interval: time.Minute}
	d.AddApi(api.GET("1", "books"), handler.Describe(handler.AlwaysOk{}, api.Description{Summary: "Find books", Tags: []string{"Books", "open"}}),
		auth.None(), perIP, ratelimit.Policy{Name: "burst", Limit: 5, Interval: time.Second})
	d.AddApi(api.GET("2", "books"), handler.AlwaysOk{}, auth.None())
	d.AddApi(api.DELETE("1", "books", "{id}"), handler.Describe(handler.AlwaysOk{}, api.Description{Tags: []string{"Books"}, Deprecated: true}),
		auth.Bearer(auth.StaticTokens{"t": "*"}), perIP)
	d.AddApi(api.POST("1", "orders", "{id}"), handler.AlwaysOk{}, own{}, ratelimit.Off)
	return d
}

// row is an endpoint in the list.
type row struct{ Group, ID, Class, Text string }

func rows(nodes []node) (all []row) {
	var version, tag string
	for _, n := range nodes {
		switch {
		case n.Tag == "h2" && strings.HasPrefix(n.Text, "Version "):
			version = n.Text
		case n.Tag == "h3":
			tag = n.Text
		case hasClass("endpoint")(n):
			all = append(all, row{version + ", " + tag, n.Attr["data-endpoint"], n.Attr["class"], n.Text})
		}
	}
	return all
}

func TestList(t *testing.T) {
	one := []row{
		{"Version 1, Books", "GET v1/books", "endpoint", "GET /api/v1/books Find books 100/60s +1"},
		{"Version 1, Books", "DELETE v1/books/{id}", "endpoint deprecated", "DELETE /api/v1/books/{id} deprecated authorization bearer 100/60s"},
		{"Version 1, orders", "POST v1/orders/{id}", "endpoint", "POST /api/v1/orders/{id} authorization custom"},
	}
	for name, row := range map[string]struct {
		console *console.Console
		want    []row
		title   string
	}{
		"its own version": {&console.Console{}, append(one[:3:3], row{"Version 1, console", "GET v1/console", "endpoint", "GET /api/v1/console API console"}), "API console"},
		"all versions": { // FW-365
			&console.Console{Title: "Library <&>", AllVersions: true},
			append(one[:3:3], row{"Version 1, console", "GET v1/console", "endpoint", "GET /api/v1/console Library <&>"},
				row{"Version 2, books", "GET v2/books", "endpoint", "GET /api/v2/books"}),
			"Library <&>",
		},
	} {
		t.Run(name, func(t *testing.T) {
			nodes := parse(t, page(t, row.console, library()))
			require.Equal(t, row.want, rows(nodes))
			require.Equal(t, row.title, where(nodes, func(n node) bool { return n.Tag == "h1" })[0].Text)
			require.Contains(t, texts(nodes), fmt.Sprintf("%d endpoints", len(row.want)))
		})
	}
	require.Contains(t, text(t, get(build(t, &console.Console{}, decider()), "/api/v1/console?asset=console.css")), ".deprecated .path, .path.deprecated { text-decoration: line-through;") // FW-365
}

func TestFormsOfOtherVersionsAreNotThere(t *testing.T) {
	presenter := build(t, &console.Console{}, library())
	require.Equal(t, http.StatusOK, get(presenter, "/api/v1/console?form=GET+v1/books").StatusCode)
	require.Equal(t, http.StatusNotFound, get(presenter, "/api/v1/console?form=GET+v2/books").StatusCode)
	slash := get(presenter, "/api/v1/console/") // its files would be looked for below it
	require.Equal(t, http.StatusPermanentRedirect, slash.StatusCode)
	require.Equal(t, "../console", slash.Header.Get("Location"))
}

func TestHeaders(t *testing.T) {
	presenter := build(t, &console.Console{}, library())
	version := regexp.MustCompile(`main\.js&amp;v=([0-9a-f]+)`).FindStringSubmatch(text(t, get(presenter, "/api/v1/console")))[1]
	for name, row := range map[string]struct {
		query, mediaType, cache string
		status                  int
	}{
		"the page":               {"", "text/html; charset=utf-8", "no-cache", 200},
		"a form":                 {"?form=GET%20v1/books", "text/html; charset=utf-8", "no-cache", 200},
		"a module":               {"?asset=main.js&v=" + version, "text/javascript; charset=utf-8", "max-age=31536000, immutable", 200},
		"a style":                {"?asset=console.css&v=" + version, "text/css; charset=utf-8", "max-age=31536000, immutable", 200},
		"a module of another":    {"?asset=main.js&v=00", "text/javascript; charset=utf-8", "no-cache", 200},
		"a module of no version": {"?asset=main.js", "text/javascript; charset=utf-8", "no-cache", 200},
		"no module":              {"?asset=../console.go", "application/json; charset=utf-8", "no-store", 404},
		"a template":             {"?asset=page.html", "application/json; charset=utf-8", "no-store", 404},
		"no endpoint":            {"?form=GET", "application/json; charset=utf-8", "no-store", 404},
	} {
		t.Run(name, func(t *testing.T) {
			res := get(presenter, "/api/v1/console"+row.query)
			require.Equal(t, row.status, res.StatusCode)
			h := res.Header
			require.Equal(t, []string{row.mediaType, row.cache}, []string{h.Get("Content-Type"), h.Get("Cache-Control")})
			require.Equal(t, []string{policy, "nosniff", "no-referrer"},
				[]string{h.Get("Content-Security-Policy"), h.Get("X-Content-Type-Options"), h.Get("Referrer-Policy")})
			if row.status != http.StatusOK {
				return
			}
			require.NotEmpty(t, h.Get("Etag"))
			again := get(presenter, "/api/v1/console"+row.query, "If-None-Match", h.Get("Etag"))
			require.Equal(t, http.StatusNotModified, again.StatusCode)
			require.Equal(t, policy, again.Header.Get("Content-Security-Policy"))
		})
	}
}

// An answer is never made a page of its own: no frame is there, and none may be.
func TestNoFrame(t *testing.T) { // FW-382
	require.Contains(t, policy, "default-src 'none'")
	require.NotContains(t, policy, "frame-src")
	presenter := build(t, &console.Console{}, library())
	for _, query := range []string{"", "?form=GET+v1/books", "?asset=answer.js", "?asset=main.js"} {
		body := text(t, get(presenter, "/api/v1/console"+query))
		require.NotContains(t, body, "iframe")
		require.NotContains(t, body, "srcdoc")
	}
	require.NotContains(t, text(t, get(presenter, "/api/v1/console?asset=answer.js")), "innerHTML") // FW-382, FW-387
}

// The server makes no calls for the page, and the page calls its own origin alone.
func TestServerCallsNobody(t *testing.T) { // FW-386
	called := make(chan string, 1)
	victim := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { called <- r.URL.String() }))
	defer victim.Close()
	presenter := build(t, &console.Console{}, library())
	want := text(t, get(presenter, "/api/v1/console"))
	for _, name := range []string{"url", "uri", "target", "endpoint"} {
		require.Equal(t, want, text(t, get(presenter, "/api/v1/console?"+name+"="+victim.URL)))
	}
	for _, query := range []string{"?form=" + victim.URL, "?asset=" + victim.URL} {
		require.Equal(t, http.StatusNotFound, get(presenter, "/api/v1/console"+query).StatusCode)
	}
	require.Empty(t, called)
	require.Contains(t, get(presenter, "/api/v1/console").Header.Get("Content-Security-Policy"), "connect-src 'self';") // FW-386
	require.Contains(t, text(t, get(presenter, "/api/v1/console?asset=send.js")), `mode: "same-origin"`)
}

// The page names no host: its own is the one that the browser has reached it by.
func TestAddresses(t *testing.T) { // FW-376
	d := sallyport.NewApiDecider(sallyport.Config{BaseURL: "https://api.example.com", BasePath: "/my-api"})
	d.AddApi(api.GET("1", "books", "ä b"), handler.AlwaysOk{}, auth.None())
	d.AddApi(api.GET("1.1", "the console", "a&b"), &console.Console{}, auth.None(), ratelimit.Off)
	presenter, err := sallyport.NewPresenter(d)
	require.NoError(t, err)
	const at = "/my-api/v1.1/the%20console/a&b"
	body := text(t, get(presenter, at, "X-Forwarded-Host", "other.example", "X-Forwarded-Proto", "https"))
	nodes := parse(t, body)
	b := where(nodes, func(n node) bool { return n.Tag == "body" })[0]
	require.Equal(t, map[string]string{"data-base": "/my-api", "data-self": "v1.1/the%20console/a&b"}, b.Attr) // FW-376
	require.NotContains(t, body, "://")
	for _, n := range nodes {
		if src := n.Attr["src"] + n.Attr["href"]; strings.Contains(src, "asset=") {
			require.Equal(t, http.StatusOK, get(presenter, at+src).StatusCode)
		}
	}
	imports := regexp.MustCompile(`from "\./([^"]+)"`)
	for _, module := range imports.FindAllStringSubmatch(text(t, get(presenter, at+"?asset=main.js")), -1) {
		require.Equal(t, http.StatusOK, get(presenter, "/my-api/v1.1/the%20console/"+module[1]).StatusCode, module[1])
		require.Contains(t, module[1], "a&b?asset=")
	}
}

// Every module is there, and imports nothing that is not.
func TestModules(t *testing.T) {
	presenter := build(t, &console.Console{}, library())
	imports := regexp.MustCompile(`\bfrom "([^"]+)"`)
	seen := map[string]bool{}
	var visit func(query string)
	visit = func(query string) {
		if seen[query] {
			return
		}
		seen[query] = true
		body := text(t, get(presenter, "/api/v1/console"+query))
		require.LessOrEqual(t, strings.Count(body, "http://"), strings.Count(body, `"http://www.w3.org/2000/svg"`)) // a name, not an address
		for _, banned := range []string{"eval(", "new Function", "https://", "sessionStorage"} {
			require.NotContains(t, body, banned)
		}
		for _, found := range imports.FindAllStringSubmatch(body, -1) {
			rest, ok := strings.CutPrefix(found[1], "./console")
			require.True(t, ok, found[1])
			visit(rest)
		}
	}
	version := regexp.MustCompile(`\?asset=main\.js&amp;v=[0-9a-f]+`).FindString(text(t, get(presenter, "/api/v1/console")))
	require.NotEmpty(t, version)
	visit(strings.ReplaceAll(version, "&amp;", "&"))
	require.Greater(t, len(seen), 10)
}

func TestHostileTexts(t *testing.T) { // FW-387
	const hostile = `"><img src=x onerror=alert(1)></textarea></select><script>alert(1)</script>'`
	d := decider()
	d.AddApi(api.POST("1", hostile[:4], "x'y"), handler.Describe(handler.AlwaysOk{}, api.Description{
		Summary: hostile, Description: hostile, Tags: []string{hostile},
		Params: []api.Param{
			param.Query[string](hostile).Description(hostile).Example(hostile),
			param.Form[string]("b").Multi().AllowedValues(param.Choice[string]{Value: hostile, Description: hostile}),
			param.JSON[any]("c", `{"description":"</pre><script>alert(1)</script>"}`).NamedExample(hostile, `"</textarea><script>alert(1)</script>"`).Description(hostile),
		},
	}), own{Name: hostile, Type: "http", Scopes: []string{hostile}})
	d.AddApi(api.GET("1", "b"), handler.AlwaysOk{}, own{Name: hostile, Type: "apiKey", In: "header", ParameterName: hostile})
	presenter := build(t, &console.Console{Title: hostile}, d)
	for query, scripts := range map[string]int{
		"": 1, "?form=" + `POST+v1/%22%3E%3Ci/x'y`: 0, "?form=GET+v1/b": 0,
	} {
		body := text(t, get(presenter, "/api/v1/console"+query))
		nodes := parse(t, body)
		require.Len(t, where(nodes, func(n node) bool { return n.Tag == "script" }), scripts)
		require.Empty(t, where(nodes, func(n node) bool { return n.Tag == "img" }))
		for _, n := range nodes {
			for name := range n.Attr {
				require.False(t, strings.HasPrefix(name, "on") || name == "style", "%s of %s", name, n.Tag)
			}
		}
		require.Contains(t, body, "&lt;script&gt;")
	}
}
