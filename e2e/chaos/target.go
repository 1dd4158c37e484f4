package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/sallyport-go/sallyport"
)

var targetScenarios = []scenario{
	{name: "http/targets", promise: "absolute-form is served as RFC 9112 has it, anything else that is no path is refused", run: targets},
	{name: "http/path tricks", promise: "no spelling of a path passes the authorization or leaves a directory; a segment is decoded once", run: pathTricks},
	{name: "http/CR, LF, NUL and escapes in every place", promise: "a 4xx, or a value of one request: no line of the log, field of the answer or request is forged", run: controls},
}

func targets(t *trial) {
	h := startTarget(t, sallyport.Server{H2C: true}, sallyport.Config{})
	for _, a := range []attack{
		{"absolute-form", "GET http://a/api/v1/open HTTP/1.1\r\nHost: a\r\n\r\n", []int{200}},
		{"absolute-form of another host", "GET http://evil.example/api/v1/open HTTP/1.1\r\nHost: a\r\n\r\n", []int{200}},
		{"absolute-form with a user", "GET http://user:pass@a/api/v1/open HTTP/1.1\r\nHost: a\r\n\r\n", []int{200, 400}},
		{"absolute-form without a path", "GET http://a HTTP/1.1\r\nHost: a\r\n\r\n", []int{404}},
		{"absolute-form of another scheme", "GET file:///etc/passwd HTTP/1.1\r\nHost: a\r\n\r\n", []int{400, 404}},
		{"absolute-form of a protected path", "GET http://a/api/v1/admin HTTP/1.1\r\nHost: a\r\n\r\n", []int{401}},
		{"an asterisk for OPTIONS", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", []int{200, 204, 400, 404}},
		{"an asterisk for GET", "GET * HTTP/1.1\r\nHost: a\r\n\r\n", nil},
		{"authority-form", "GET a:80 HTTP/1.1\r\nHost: a\r\n\r\n", nil},
		{"CONNECT", "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", nil},
		{"CONNECT with a path", "CONNECT /api/v1/admin HTTP/1.1\r\nHost: a\r\n\r\n", nil},
		{"TRACE", "TRACE /api/v1/open HTTP/1.1\r\nHost: a\r\nCookie: a=secret\r\n\r\n", nil},
		{"no slash", "GET api/v1/open HTTP/1.1\r\nHost: a\r\n\r\n", nil},
		{"nothing", "GET  HTTP/1.1\r\nHost: a\r\n\r\n", nil},
		{"a question mark alone", "GET ? HTTP/1.1\r\nHost: a\r\n\r\n", nil},
		{"a fragment", "GET /api/v1/open#x HTTP/1.1\r\nHost: a\r\n\r\n", nil},
		{"a network path", "GET //evil.example/api/v1/open HTTP/1.1\r\nHost: a\r\n\r\n", nil},
		{"no host", "GET /api/v1/open HTTP/1.1\r\n\r\n", []int{400}},
		{"two hosts", "GET /api/v1/open HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", []int{400}},
		{"a host with a path", "GET /api/v1/open HTTP/1.1\r\nHost: a/../b\r\n\r\n", []int{400, 200}},
		{"HTTP/0.9", "GET /api/v1/open\r\n", nil},
		{"HTTP/1.0", "GET /api/v1/open HTTP/1.0\r\n\r\n", []int{200}},
		{"HTTP/3.0", "GET /api/v1/open HTTP/3.0\r\nHost: a\r\n\r\n", []int{400, 505}},
		{"a lower-case version", "GET /api/v1/open http/1.1\r\nHost: a\r\n\r\n", nil},
		{"a lower-case method, which finds its endpoint", "get /api/v1/open HTTP/1.1\r\nHost: a\r\n\r\n", []int{200}},
		{"an unknown method", "BREW /api/v1/open HTTP/1.1\r\nHost: a\r\n\r\n", nil},
		{"PRI without HTTP/2", "PRI * HTTP/2.0\r\nHost: a\r\n\r\n", nil},
		{"an upgrade to h2c", "GET /api/v1/open HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n\r\n", []int{200}},
		{"an override of the method that is off", "POST /api/v1/open HTTP/1.1\r\nHost: a\r\nX-HTTP-Method-Override: GET\r\nContent-Length: 0\r\n\r\n", nil},
	} {
		k := say(h.addr, a.bytes, 150*time.Millisecond)
		ok := k.onlyRefused()
		if a.status != nil {
			ok = len(k.statuses) == 1 && slices.Contains(a.status, k.statuses[0])
		}
		t.check(ok, "%s: answered %s", a.name, k)
		t.measure("%s %v", a.name, k.statuses)
		for _, head := range k.headers {
			t.check(!strings.Contains(fmt.Sprint(head), "evil.example"), "%s: the host stands in the answer", a.name)
		}
	}
	t.check(h.reached.Load() == 0, "the secret was reached")
	h.forged(t)
}

func pathTricks(t *trial) {
	h := startTarget(t, sallyport.Server{}, sallyport.Config{})
	paths := []string{
		"/api/v1/admin", "/api/v1/admin/x", "//api/v1/admin", "/api//v1/admin", "/api/v1//admin", "/api/v1/admin/", "/api/v1/./admin",
		"/api/v1/open/../admin", "/api/v1/names/../admin", "/api/v1/names/%2e%2e/admin", "/api/v1/names/..%2fadmin", "/api/v1/names%2f..%2fadmin",
		"/api/v1/files/../admin", "/api/v1/files/%2e%2e/admin", "/api/v1/files/..%2f..%2fadmin", "/api/v1/files/..;/admin", "/api/v1/open;/../admin",
		"/api/v1/admin;a=b", "/api/v1/admin;/x", "/api/v1/admin%3b", "/api/v1/admin%20", "/api/v1/admin%09", "/api/v1/admin%00", "/api/v1/admin%0a", "/api/v1/admin.",
		"/api/v1/admin.json", "/api/v1/Admin", "/api/v1/ADMIN", "/API/v1/admin", "/api/V1/admin", "/api/v1/%61dmin", "/api/v1/%61%64%6d%69%6e", "/api/v1/%2561dmin",
		"/api/v1\\admin", "/api/v1/\\admin", "/api\\v1\\admin", "/api/v1/names/..\\admin", "/api/v1/names/%5c..%5cadmin", "\\api\\v1\\admin",
		"/api/v1/adm\u0131n", "/api/v1/admin%c0%af", "/api/v1/%c0%ae%c0%ae/admin", "/api/v1/admin%ef%bc%8f", "/api/v1/admin?", "/api/v1/admin#", "/api/v1/admin/%2e", "/api/v1/admin/..", "/api/v1/admin/x/..",
		"/api/v1/admin/%00", "/api/v1/admin/.", "/api/v01/admin", "/api/v1.0/admin", "/api/1/admin", "/api/v%31/admin", "/api/v1/admin/%252e%252e", "/%61pi/v1/admin",
	}
	got := map[string]int{}
	for _, path := range paths {
		for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS"} {
			k := say(h.addr, method+" "+path+" HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", time.Second)
			if t.check(len(k.statuses) == 1, "%s %q: answered %s", method, path, k) {
				got[fmt.Sprintf("%d", k.statuses[0])]++
				t.check(!strings.Contains(k.bodies[0], "TOP-SECRET"), "%s %q: the secret", method, path)
				location := k.headers[0].Get("Location")
				t.check(location == "" || strings.HasPrefix(location, "/api/") && !strings.HasPrefix(location, "//"), "%s %q leads to %q", method, path, location)
			}
		}
	}
	t.check(h.reached.Load() == 0, "the endpoint was reached %d times without a token", h.reached.Load())
	t.measure("%d requests for a protected path: %s", 4*len(paths), counts(got))

	got = map[string]int{}
	for _, path := range []string{
		"../secret.txt", "..%2fsecret.txt", "%2e%2e/secret.txt", "%2e%2e%2fsecret.txt", "..%5csecret.txt", "..\\secret.txt", "....//secret.txt", "./../secret.txt", "x/../../secret.txt",
		"..;/secret.txt", "%252e%252e/secret.txt", "..%00/secret.txt", "page.txt%00", "page.txt/../../secret.txt", "/../secret.txt", "%2fetc%2fpasswd", "//etc/passwd", "..%c0%afsecret.txt", "..%u2215secret.txt", ".../secret.txt", "~root", "C:%5cwindows", "page.txt/", "",
	} {
		k := say(h.addr, get("/api/v1/files/"+path), time.Second)
		if t.check(len(k.statuses) == 1, "%q: answered %s", path, k) {
			got[fmt.Sprint(k.statuses[0])]++
			t.check(!strings.Contains(k.bodies[0], "TOP-SECRET") && !strings.Contains(k.bodies[0], "root:"), "%q: a file outside", path)
			t.check(k.statuses[0] != 200, "%q was found", path)
		}
	}
	t.measure("24 ways out of a directory: %s", counts(got))

	decoded := 0
	for path, want := range map[string]string{
		"a%2fb": "a/b", "a%252fb": "a%2fb", "%2e": ".", "..%2f..": "../..", "a;b=c": "a;b=c", "a%5cb": `a\\b`, "a+b": "a+b", "a%20b": "a b", "%c3%a9": "é",
	} {
		k := say(h.addr, get("/api/v1/names/"+path), time.Second)
		ok := len(k.statuses) == 1 && (k.statuses[0] == 200 && strings.TrimSpace(k.bodies[0]) == `"`+want+`"` || k.statuses[0] >= 400 && k.statuses[0] < 500)
		t.check(ok, "%q: answered %v %q, not %q", path, k, k.bodies, want)
		if ok && k.statuses[0] == 200 {
			decoded++
		}
	}
	t.measure("9 segments with escapes: %d decoded once, the others refused", decoded)
	h.forged(t)
}

// forgery is what a client would like to see in a log.
const forgery = `time=2026-01-01T00:00:00Z level=INFO msg="GET /forged" status=200`

func controls(t *trial) {
	h := startTarget(t, sallyport.Server{}, sallyport.Config{TrustRequestID: true, MethodOverride: true})
	got := map[string]int{}
	sent := 0
	for _, control := range []string{"\r\n", "\n", "\r", "\x00", "\x1b[2J", "\u0085", "\u2028", "\u202e", "\x7f", "\t", "\x08", "\xff", "\v", "\"", "\\", "\\n", "%0d%0a", "%0a", "%00", "%1b%5b2J", "%e2%80%a8", "%ff", "%22", "%5cn"} {
		v := "x" + control + forgery
		inPath := "x" + control + strings.ReplaceAll(forgery, " ", "%20")
		for name, bytes := range map[string]string{
			"method":           "GE" + control + "T /api/v1/open HTTP/1.1\r\nHost: a\r\n\r\n",
			"path":             get("/api/v1/names/" + inPath),
			"unknown path":     get("/" + inPath),
			"query":            get("/api/v1/query?a=" + inPath),
			"query's name":     get("/api/v1/query?" + inPath + "=1"),
			"fragment":         get("/api/v1/query#" + inPath),
			"version":          "GET /api/v1/open HTTP/1.1" + control + forgery + "\r\nHost: a\r\n\r\n",
			"host":             "GET /api/v1/open HTTP/1.1\r\nHost: " + v + "\r\nConnection: close\r\n\r\n",
			"field":            get("/api/v1/open", "X-A: "+v+"\r\n"),
			"field's name":     get("/api/v1/open", "X-"+v+": a\r\n"),
			"user agent":       get("/api/v1/open", "User-Agent: "+v+"\r\n"),
			"request id":       get("/api/v1/open", "X-Request-Id: "+v+"\r\n"),
			"request id alone": get("/api/v1/open", "X-Request-Id: "+"x"+control+"y\r\n"),
			"cookie":           get("/api/v1/open", "Cookie: a="+v+"\r\n"),
			"origin":           get("/api/v1/open", "Origin: http://"+v+"\r\n"),
			"bearer token":     get("/api/v1/admin", "Authorization: Bearer "+v+"\r\n"),
			"scheme":           get("/api/v1/admin", "Authorization: "+v+"\r\n"),
			"forwarded":        get("/api/v1/open", "X-Forwarded-For: "+v+"\r\n"),
			"override":         "POST /api/v1/open HTTP/1.1\r\nHost: a\r\nX-HTTP-Method-Override: " + v + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
			"preflight":        "OPTIONS /api/v1/open HTTP/1.1\r\nHost: a\r\nOrigin: http://b\r\nAccess-Control-Request-Method: " + v + "\r\nConnection: close\r\n\r\n",
			"accept":           get("/api/v1/open", "Accept: "+v+"\r\n"),
			"media type":       post("/api/v1/numbers", v, "{}"),
			"body":             post("/api/v1/numbers", "application/json", `{"n":"`+v+`"}`),
			"name in a body":   post("/api/v1/numbers", "application/json", `{"`+v+`":1`),
			"form":             post("/api/v1/form", "application/x-www-form-urlencoded", inPath+"=%zz"),
			"multipart name":   post("/api/v1/form", "multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\""+v+"\"\r\n\r\nx\r\n"),
			"range":            get("/api/v1/files/page.txt", "Range: "+v+"\r\n"),
			"etag":             get("/api/v1/files/page.txt", "If-None-Match: "+v+"\r\n"),
			"expect":           get("/api/v1/open", "Expect: "+v+"\r\n"),
		} {
			k := say(h.addr, bytes, time.Second)
			sent++
			ok := k.closed || len(k.statuses) > 0
			for i, s := range k.statuses {
				got[fmt.Sprintf("%dxx", s/100)]++
				ok = ok && s < 500
				for field, values := range k.headers[i] {
					t.check(!strings.Contains(field+strings.Join(values, ""), "forged") || field == "X-Request-Id", "%s, %q: a field of the answer: %s: %q", name, control, field, values)
					for _, value := range values {
						t.check(strings.IndexFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) < 0, "%s, %q: a field of the answer: %s: %q", name, control, field, value)
					}
				}
			}
			t.check(ok, "%s with %q: answered %s", name, control, k)
			t.check(len(k.statuses) <= 1 || name == "body" || strings.Contains(control, "\n"), "%s with %q: %d answers", name, control, len(k.statuses))
		}
	}
	t.measure("%d requests: %s", sent, counts(got))
	t.measure("in two formats %s", h.forged(t))
	for _, l := range h.errors.with("msg=\"GET /forged\"") {
		t.check(!strings.HasPrefix(l.text, "time=2026-01-01"), "a line of the error log: %.300q", l.text)
	}
	h.errors.mu.Lock()
	for _, l := range h.errors.lines {
		t.check(strings.HasPrefix(l.text, "time=20") && !strings.HasPrefix(l.text, "time=2026-01-01"), "a line of the error log that nobody wrote: %.300q", l.text)
	}
	t.measure("%d lines of the error log", len(h.errors.lines))
	h.errors.mu.Unlock()
	t.check(h.reached.Load() == 0, "the secret was reached")
	res, err := getFrom(t, h.client, h.url+"/api/v1/open")
	t.must(err)
	t.check(res.StatusCode == http.StatusOK, "the server answers %s at the end", res.Status)
	_ = res.Body.Close()
}
