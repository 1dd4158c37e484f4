package console

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// files makes files in a new folder.
func files(t *testing.T, contents map[string]string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for name, content := range contents {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	}
	return folder
}

func TestEveryPartIsSentAndTheAnswerShown(t *testing.T) {
	s := workshop(t)
	p := open(t, s.console())
	p.endpoint("POST v1/everything")
	p.fill("query:get", "from the query")
	p.fill("form:post", "from the form")
	p.fill("header:X-Field", "from a field")
	p.fill("cookie:crumb", "from-a-cookie")
	p.fill("auth:basic:user", "ada")
	p.fill("auth:basic:password", "analytical")
	p.fill("common:headers", "X-Own: one\nX-Other:  two ")
	p.send() // FW-378

	call := s.last(t)
	require.Equal(t, "POST", call.Method)
	require.Equal(t, "/api/v1/everything?get=from%20the%20query", call.URI)
	require.Equal(t, url.Values{"post": {"from the form"}}, values(t, call.Body))
	require.Equal(t, "application/x-www-form-urlencoded", call.Header.Get("Content-Type"))
	require.Equal(t, "from a field", call.Header.Get("X-Field"))
	require.Equal(t, "crumb=from-a-cookie", call.Header.Get("Cookie"))
	require.Equal(t, "Basic YWRhOmFuYWx5dGljYWw=", call.Header.Get("Authorization"))
	require.Equal(t, "one", call.Header.Get("X-Own"))
	require.Equal(t, "two", call.Header.Get("X-Other"))

	require.Equal(t, "200 OK", p.text("#status"))
	require.Regexp(t, `^\d+ ms$`, p.text("#time"))
	require.Contains(t, p.text("#body"), `"caller": "basic"`)
	require.Contains(t, p.text("#headers"), "application/json")
	// TC-056: all that was sent can be read.
	line := p.text("#curl")
	for _, part := range []string{s.URL + "/api/v1/everything?get=from%20the%20query", "post=from%20the%20form", "X-Field: from a field", "crumb=from-a-cookie", "Authorization: Basic", "X-Own: one"} {
		require.Contains(t, line, part)
	}
	require.Contains(t, p.text("#history"), "POST")
	require.Contains(t, p.text("#history"), "/api/v1/everything?get=from%20the%20query")
	require.Empty(t, js[string](p, `document.cookie`), "nothing is left behind")
}

func values(t *testing.T, text string) url.Values {
	t.Helper()
	v, err := url.ParseQuery(text)
	require.NoError(t, err)
	return v
}

func TestQueryValuesJoinTheURL(t *testing.T) {
	s := workshop(t)
	p := open(t, s.console())
	for _, tc := range []struct{ name, id, q, key, uri string }{
		{"none", "GET v1/auth/query", "", "", "/api/v1/auth/query"},
		{"one", "GET v1/auth/query", "", token, "/api/v1/auth/query?key=my-token"},
		{"another", "GET v1/auth/query", "go", token, "/api/v1/auth/query?q=go&key=my-token"},
	} {
		p.expectStatus(401)
		p.endpoint(tc.id)
		p.fill("query:q", tc.q)
		p.fill("auth:apiKey:key", tc.key)
		p.send()
		require.Equal(t, tc.uri, s.last(t).URI, tc.name) // FW-379
		require.Contains(t, p.text("#curl"), s.URL+tc.uri)
	}
	p.endpoint("GET v1/books/{isbn}")
	p.fill("path:isbn", "a?b")
	p.fill("query:q", "go")
	p.send()
	require.Equal(t, "/api/v1/books/a%3Fb?q=go", s.last(t).URI, "a question mark of a value begins no query") // FW-379

	// No endpoint has a query in its address, but the module takes such a URL.
	for before, want := range map[string]string{
		"/a": "/a?q=1&b%5B%5D=%26", "/a?x=y": "/a?x=y&q=1&b%5B%5D=%26", "/a?": "/a?q=1&b%5B%5D=%26", "/a?x&": "/a?x&q=1&b%5B%5D=%26",
	} {
		require.Equal(t, want, js[string](p, `import(location.pathname + "?asset=request.js").then((m) => m.joinQuery(%s, [["q", "1"], ["b[]", "&"]]))`, before)) // FW-379
	}
}

// Both ways of taking input read name[], typed handlers no other index.
func TestListsAreSentWithBrackets(t *testing.T) {
	s := workshop(t)
	p := open(t, s.console())
	p.endpoint("GET v1/books")
	p.fill("query:page", "")
	p.fillAt("query:tags", 0, "go")
	p.fillAt("query:tags", 2, "rest & more")
	p.send()
	require.Equal(t, "200 OK", p.text("#status"))
	require.Equal(t, url.Values{"tags[]": {"go", "rest & more"}}, query(t, s.last(t))) // FW-380, FW-388: empty ones are left out
	p.fillAt("query:tags", 5, "sixth")
	require.Equal(t, 6, p.fields("query:tags"))
	p.sendEmpty("query:tags")
	p.send()
	require.Equal(t, url.Values{"tags[]": {"go", "", "rest & more", "", "", "sixth"}}, query(t, s.last(t))) // FW-388: unless the box is off
}

func query(t *testing.T, call seen) url.Values {
	t.Helper()
	u, err := url.ParseRequestURI(call.URI)
	require.NoError(t, err)
	return values(t, u.RawQuery)
}

func TestEmptyValues(t *testing.T) {
	s := workshop(t)
	p := open(t, s.console())
	p.endpoint("GET v1/books")
	p.send()
	require.Equal(t, "/api/v1/books?page=1", s.last(t).URI, "the default is filled in, the rest is left out")
	p.fill("query:page", "")
	p.sendEmpty("query:q")
	p.send()
	require.Equal(t, "/api/v1/books?q=", s.last(t).URI)
	require.NotContains(t, s.last(t).Header, "X-Trace")
}

func TestBodies(t *testing.T) {
	s := workshop(t)
	p := open(t, s.console())
	p.endpoint("POST v1/books")
	require.JSONEq(t, `{"title":"The C Programming Language","pages":272}`, js[string](p, `document.querySelector("#form textarea").value`))
	text := "{\"title\": \"Tom & Jerry = 100% ✓\"}\n"
	p.fill("json:book", text)
	p.send()
	call := s.last(t)
	require.Equal(t, []string{"POST", "/api/v1/books", text, "application/json"},
		[]string{call.Method, call.URI, call.Body, call.Header.Get("Content-Type")}) // FW-383: the name of the parameter is no query
	p.click("#form button.example")
	require.JSONEq(t, `{"title":"The C Programming Language","pages":272}`, js[string](p, `document.querySelector("#form textarea").value`))
	p.click("#form details.schema summary")
	require.Contains(t, p.text("#form details.schema[open]"), `"required"`)

	p.endpoint("POST v1/notes")
	p.fill("raw:note", "# A note\nnote=1&b=2")
	p.fill("query:kind", "short")
	p.send()
	call = s.last(t)
	require.Equal(t, []string{"/api/v1/notes?kind=short", "# A note\nnote=1&b=2", "text/markdown"},
		[]string{call.URI, call.Body, call.Header.Get("Content-Type")}) // FW-383
}

func TestCookiesAreJoined(t *testing.T) {
	s := workshop(t)
	p := open(t, s.console())
	p.endpoint("GET v1/books")
	p.fill("cookie:theme", "dark")
	p.fill("cookie:lang", "en&fr")
	p.send()
	require.Equal(t, "theme=dark; lang=en&fr", s.last(t).Header.Get("Cookie")) // FW-384
	require.Contains(t, p.text("#curl"), "theme=dark; lang=en&fr")             // FW-384
	p.fill("cookie:theme", "")
	p.send()
	require.Equal(t, "lang=en&fr", s.last(t).Header.Get("Cookie"))
}

// tricky has what encodings give a meaning to.
const tricky = `a b+c%20&d=e;f/g?h#i"j'k\l<m>ü✓😀[0]`

func TestValuesAreEncodedOnce(t *testing.T) {
	s := workshop(t)
	p := open(t, s.console())
	p.endpoint("PUT v1/books/{isbn}")
	p.fill("path:isbn", tricky)
	p.fill("form:title", tricky)
	p.send()
	call := s.last(t)
	require.Equal(t, "200 OK", p.text("#status"))
	u, err := url.ParseRequestURI(call.URI)
	require.NoError(t, err)
	require.Equal(t, "/api/v1/books/"+tricky, u.Path)                     // FW-385
	require.Equal(t, url.Values{"title": {tricky}}, values(t, call.Body)) // FW-385

	p.endpoint("GET v1/books")
	p.fill("query:page", "")
	p.fill("query:q", tricky)
	p.fill("header:X-Trace", "über")
	p.send()
	require.Equal(t, url.Values{"q": {tricky}}, query(t, s.last(t))) // FW-385
	require.Equal(t, "über", s.last(t).Header.Get("X-Trace"))

	p.endpoint("GET v1/files/{path...}")
	p.fill("path:path", "a/b c/d%2Fe")
	p.send()
	require.Equal(t, "/api/v1/files/a/b%20c/d%252Fe", s.last(t).URI)
	p.fill("path:path", "")
	p.send()
	require.Equal(t, "/api/v1/files/", s.last(t).URI, "the rest of a path may be nothing")
}

func TestAMissingKeySendsNothing(t *testing.T) {
	s := workshop(t)
	p := open(t, s.console())
	p.expectStatus(401)
	for id, field := range map[string]string{
		"GET v1/auth/header": "auth:apiKey:X-API-Key", "GET v1/auth/query": "auth:apiKey:key", "GET v1/auth/cookie": "auth:apiKey:session",
		"GET v1/auth/bearer": "auth:bearer", "GET v1/auth/basic": "auth:basic:user",
	} {
		p.endpoint(id)
		p.fill(field, "")
		p.send()
		call := s.last(t)
		require.Equal(t, "401 Unauthorized", p.text("#status"), id)
		for _, name := range []string{"X-Api-Key", "Authorization", "Cookie"} {
			require.NotContains(t, call.Header, name, id) // FW-389
		}
		require.NotContains(t, call.URI, "?", id) // FW-389
		require.NotContains(t, p.text("#curl"), "-H", id)
	}
}

func TestSchemes(t *testing.T) {
	s := workshop(t)
	p := open(t, s.console())
	for id, fields := range map[string]map[string]string{
		"GET v1/auth/bearer": {"auth:bearer": token},
		"GET v1/auth/basic":  {"auth:basic:user": "ada", "auth:basic:password": "analytical"},
		"GET v1/auth/header": {"auth:apiKey:X-API-Key": token},
		"GET v1/auth/query":  {"auth:apiKey:key": token},
		"GET v1/auth/cookie": {"auth:apiKey:session": token},
		"GET v1/auth/any":    {"auth:bearer": token},
		"GET v1/auth/all":    {"auth:bearer": token, "auth:apiKey:X-API-Key": token},
	} {
		p.endpoint(id)
		for name, value := range fields {
			p.fill(name, value)
		}
		p.send()
		require.Equal(t, "200 OK", p.text("#status"), id)
	}
	p.endpoint("GET v1/auth/any")
	p.chooseIn("#authorization select", js[string](p, `document.querySelector("#authorization select").options[1].value`))
	p.fill("auth:apiKey:X-API-Key", token)
	p.send()
	require.Equal(t, "200 OK", p.text("#status"))
	require.NotContains(t, s.last(t).Header, "Authorization", "the other choice")
	p.endpoint("GET v1/auth/none")
	require.Equal(t, "No authorization - global access", js[string](p, `document.querySelector("#authorization input:disabled").value`))
}

func TestUploads(t *testing.T) {
	s := workshop(t)
	folder := files(t, map[string]string{"cover.txt": "a cover", "one.txt": "1", "two.txt": "2"})
	p := open(t, s.console())
	p.endpoint("POST v1/covers")
	p.fill("form:title", "A & B")
	p.do(chromedp.SetUploadFiles(chromedp.CSS(p.field("file:cover", 0)), []string{filepath.Join(folder, "cover.txt")}))
	p.do(chromedp.SetUploadFiles(chromedp.CSS(p.field("file:pages", 0)), []string{filepath.Join(folder, "one.txt")}))
	p.do(chromedp.SetUploadFiles(chromedp.CSS(p.field("file:pages", 1)), []string{filepath.Join(folder, "two.txt")}))
	p.send()
	require.Equal(t, "200 OK", p.text("#status"))
	require.Equal(t, map[string][]string{
		"title": {"A & B"}, "cover": {"cover.txt text/plain a cover"}, "pages[]": {"one.txt text/plain 1", "two.txt text/plain 2"}, // FW-380
	}, s.last(t).form(t))
}

func TestMistakesAreTold(t *testing.T) {
	s := workshop(t)
	p := open(t, s.console())
	p.endpoint("GET v1/books/{isbn}")
	p.fill("path:isbn", "")
	p.send()
	require.Contains(t, p.text("#status"), "isbn", "a path with a hole is not called")
	for _, selector := range []string{"#body", "#headers", "#curl"} {
		require.False(t, p.visible(selector), "there is nothing to be shown")
	}
	p.fill("path:isbn", "1")
	p.fill("common:headers", "no header field")
	p.send()
	require.NotContains(t, p.text("#status"), "OK")
	require.Zero(t, s.count(), "nothing was called")
}

func TestAnswerOfAClosedPort(t *testing.T) {
	s := workshop(t)
	p := open(t, s.console())
	p.endpoint("POST v1/echo")
	p.choose("query:status", "ok")
	p.fill("query:message", "Hello")
	p.send()
	require.Equal(t, "200 OK", p.text("#status"))
	require.Contains(t, p.text("#body"), `"message": "Hello"`)

	s.CloseClientConnections()
	s.Close()
	p.expect("net::ERR_CONNECTION_REFUSED")
	p.send()
	require.Regexp(t, `(?i)fail|reach`, p.text("#status"))                                 // TC-055
	require.Contains(t, p.text("#curl"), s.URL+"/api/v1/echo?status=ok&message=Hello")     // TC-055
	require.Contains(t, p.texts("#history li")[0], "/api/v1/echo?status=ok&message=Hello") // TC-055
	require.Empty(t, p.text("#body"))
	require.Regexp(t, `^\d+ ms$`, p.text("#time"))
	require.Empty(t, p.texts("#headers tbody tr"))
}

func TestHistory(t *testing.T) {
	s := workshop(t)
	p := open(t, s.console())
	p.expectStatus(503)
	for _, id := range []string{"GET v1/answers/text", "GET v1/answers/failed", "GET v1/books"} {
		p.endpoint(id)
		p.send()
	}
	rows := p.texts("#history li")
	require.Len(t, rows, 3, "the last one stands in front")
	for i, want := range [][]string{
		{"GET", s.URL + "/api/v1/books?page=1", "200", "ms"},
		{"GET", s.URL + "/api/v1/answers/failed", "503", "ms"},
		{"GET", s.URL + "/api/v1/answers/text", "200", "ms"},
	} {
		for _, part := range want {
			require.Contains(t, rows[i], part)
		}
	}
	p.click("#history li:nth-child(3) button")
	require.Equal(t, "two\n  lines ✓", p.text("#body"))
	p.opened("GET v1/answers/text")
	p.click("#history li:nth-child(2) button")
	require.Equal(t, "503 Service Unavailable", p.text("#status"))
	require.Contains(t, p.text("#body"), "err message")
	require.Equal(t, 3, s.count(), "nothing is called again")
	require.Equal(t, http.MethodGet, s.last(t).Method)
}
