package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/ipdetector"
)

var authScenarios = []scenario{
	{name: "auth/forged JWT", promise: "401 for each token that is not valid now, for this audience, from this issuer and signed by its key", run: forgedJWT},
	{name: "auth/scopes", promise: "403 for a valid token without the scope, however it is spelled", run: scopes},
	{name: "auth/credentials in odd places", promise: "nobody is admitted by credentials that stand twice, elsewhere, or are half", run: places},
	{name: "auth/addresses of tokens", promise: "an address counts in whatever form it comes, and no other one does", run: addresses},
	{name: "auth/forged X-Forwarded-For and Forwarded", promise: "the client is what the vectors of the specifications say, and no header counts from a stranger", run: forwarded},
	{name: "auth/secrets leak nowhere", promise: "a token is never found in logs, answers, keys of Redis or files", run: secrets},
}

// identify answers with who calls.
var identify = handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
	return api.JSON(200, r.Identity.String()), nil
})

// answer is what is left of an http.Response whose body was read.
type answer struct {
	Status     string
	StatusCode int
	Header     http.Header
}

func (s *site) ask(t *trial, path string, fields ...string) (answer, string) {
	r, err := http.NewRequestWithContext(t.ctx, "GET", s.url+path, nil)
	t.must(err)
	for i := 0; i+1 < len(fields); i += 2 {
		r.Header.Add(fields[i], fields[i+1])
	}
	res, err := s.client.Do(r)
	t.must(err)
	defer func() { _ = res.Body.Close() }()
	var b bytes.Buffer
	_, err = b.ReadFrom(res.Body)
	t.must(err)
	return answer{res.Status, res.StatusCode, res.Header}, b.String()
}

func segment(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

func scopes(t *trial) {
	tokens := auth.Tokens{}
	rows := map[string][]string{
		"none": nil, "read": {"orders:read"}, "prefix": {"orders:write2"}, "part": {"orders"}, "case": {"Orders:Write"}, "wildcard": {"*"}, "star": {"orders:*"},
		"comma": {"orders:read,orders:write"}, "good": {"orders:read", "orders:write"},
	}
	for name, s := range rows {
		tokens[name+"-token"] = auth.Token{ID: name, IPs: auth.AnyIP(), Scopes: s}
	}
	s := serve(t, sallyport.Server{}, sallyport.Config{}, func(d *sallyport.ApiDecider) {
		d.AddApi(api.GET("1", "write"), identify, auth.Scopes(auth.Bearer(tokens), "orders:write"))
		d.AddApi(api.GET("1", "any"), identify, auth.Any(auth.Scopes(auth.Bearer(tokens), "orders:write"), auth.HeaderKey("X-API-Key", tokens)))
		d.AddApi(api.GET("1", "all"), identify, auth.Scopes(auth.All(auth.Bearer(tokens), auth.HeaderKey("X-API-Key", tokens)), "orders:write"))
	})
	got := map[string]int{}
	for name := range rows {
		for _, path := range []string{"write", "any"} {
			res, text := s.ask(t, "/api/v1/"+path, "Authorization", "Bearer "+name+"-token")
			got[fmt.Sprint(res.StatusCode)]++
			want := 403
			if name == "good" {
				want = 200
			}
			t.check(res.StatusCode == want, "%s at %s: %s %s", name, path, res.Status, text)
		}
	}
	// The scopes of one caller do not count for another.
	res, text := s.ask(t, "/api/v1/all", "Authorization", "Bearer read-token", "X-API-Key", "good-token")
	t.check(res.StatusCode == 403, "the scopes of a second member: %s %s", res.Status, text)
	res, text = s.ask(t, "/api/v1/any", "Authorization", "Bearer read-token", "X-API-Key", "good-token")
	t.check(res.StatusCode == 403, "a key beside a token without the scope: %s %s", res.Status, text)
	t.measure("%d tokens at two endpoints: %s; scopes of another member: %d", len(rows), counts(got), res.StatusCode)
}

func addresses(t *trial) {
	s := serve(t, sallyport.Server{}, sallyport.Config{IPDetector: ipdetector.NewTrustedProxies("X-Forwarded-For", "127.0.0.1")}, func(d *sallyport.ApiDecider) {
		d.AddApi(api.GET("1", "bound"), identify, auth.Bearer(auth.StaticTokens{"v4": "192.0.2.0/24", "v6": "2001:db8::/32", "mapped": "::ffff:198.51.100.7", "link": "fe80::1", "local": "127.0.0.1"}))
	})
	right, wrong := 0, 0
	for _, row := range []struct {
		token, from string
		allowed     bool
	}{
		{"v4", "192.0.2.7", true}, {"v4", "::ffff:192.0.2.7", true}, {"v4", "[::ffff:192.0.2.7]:80", true}, {"v4", "::ffff:c000:207", true}, {"v4", "192.0.2.7:80", true},
		{"v4", "192.0.3.7", false}, {"v4", "::192.0.2.7", false}, {"v4", "64:ff9b::192.0.2.7", false}, {"v4", "2002:c000:207::1", false}, {"v4", "192.0.2.07", false}, {"v4", "192.0.2", false},
		{"v4", "3221225991", false}, {"v4", "0xc0.0.2.7", false}, {"v4", "192.0.2.7.evil.example", false}, {"v4", "192.0.2.7, 203.0.113.1", false}, {"v4", "203.0.113.1, 192.0.2.7", true},
		{"v4", "", false}, {"v4", "unknown", false}, {"v4", "*", false}, {"v4", "192.0.2.0/24", false}, {"v4", "192.0.2.7%eth0", false}, {"v4", "::ffff:192.0.2.7%eth0", true},
		{"v6", "2001:db8::1", true}, {"v6", "2001:DB8:0::1", true}, {"v6", "[2001:db8::1]:443", true}, {"v6", "2001:db8::1%eth0", true}, {"v6", "2001:db9::1", false}, {"v6", "::2001:db8:0:1", false},
		{"mapped", "198.51.100.7", true}, {"mapped", "::ffff:198.51.100.7", true}, {"mapped", "198.51.100.8", false},
		{"link", "fe80::1%eth0", true}, {"link", "fe80::1", true}, {"link", "fe80::1%25eth0", true}, {"link", "fe80::2%fe80::1", false},
		{"local", "", true}, {"local", "localhost", true}, {"local", "0.0.0.0", true}, {"local", "::1", false}, {"local", "127.0.0.2", false}, {"local", "10.0.0.1", false},
	} {
		fields := []string{"Authorization", "Bearer " + row.token}
		if row.from != "" {
			fields = append(fields, "X-Forwarded-For", row.from)
		}
		res, text := s.ask(t, "/api/v1/bound", fields...)
		ok := res.StatusCode == 401
		if row.allowed {
			ok = res.StatusCode == 200
		}
		if t.check(ok, "the token %s from %q: %s %s", row.token, row.from, res.Status, text) {
			right++
		} else {
			wrong++
		}
	}
	t.measure("%d addresses, %d as they should be, %d not", right+wrong, right, wrong)
}
