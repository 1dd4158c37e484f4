package main

import (
	"encoding/base64"
	"fmt"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
)

func places(t *trial) {
	tokens := auth.StaticTokens{"good-token": "*", "other-token": "*"}
	users := auth.Passwords{"ada": "analytical engine"}
	s := serve(t, sallyport.Server{}, sallyport.Config{}, func(d *sallyport.ApiDecider) {
		d.AddApi(api.GET("1", "bearer"), identify, auth.Bearer(tokens))
		d.AddApi(api.GET("1", "key"), identify, auth.HeaderKey("X-API-Key", tokens))
		d.AddApi(api.GET("1", "query"), identify, auth.QueryKey("api_key", tokens))
		d.AddApi(api.GET("1", "cookie"), identify, auth.CookieKey("session", tokens))
		d.AddApi(api.GET("1", "basic"), identify, auth.Basic(users))
		d.AddApi(api.GET("1", "any"), identify, auth.Any(auth.Bearer(tokens), auth.HeaderKey("X-API-Key", tokens), auth.None()))
	})
	basic := func(text string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(text)) }
	for path, fields := range map[string][]string{
		"bearer": {"Authorization", "Bearer good-token"}, "key": {"X-API-Key", "good-token"}, "query?api_key=good-token": nil,
		"cookie": {"Cookie", "session=good-token"}, "basic": {"Authorization", basic("ada:analytical engine")},
	} {
		res, _ := s.ask(t, "/api/v1/"+path, fields...)
		t.check(res.StatusCode == 200, "good credentials at %s: %s", path, res.Status)
	}
	rows := []struct {
		path   string
		fields []string
	}{
		{"bearer", []string{"Authorization", "Bearer good-token", "Authorization", "Bearer good-token"}},
		{"bearer", []string{"Authorization", "Bearer good-token", "Authorization", "Basic eA=="}},
		{"bearer", []string{"Authorization", "Bearer good-token, Bearer other-token"}},
		{"bearer", []string{"Authorization", "Bearer  good-token other"}},
		{"bearer", []string{"Authorization", "Bearer\tgood-token"}},
		{"bearer", []string{"Authorization", "Bearergood-token"}},
		{"bearer", []string{"Authorization", "good-token"}},
		{"bearer", []string{"Authorization", "Bearer"}},
		{"bearer", []string{"Authorization", "Bearer good-toke"}},
		{"bearer", []string{"Authorization", "Bearer good-token2"}},
		{"bearer", []string{"Authorization", "Bearer GOOD-TOKEN"}},
		{"bearer", []string{"Authorization", "Basic good-token"}},
		{"bearer", []string{"Authorization", "Bearer \"good-token\""}},
		{"bearer", []string{"Proxy-Authorization", "Bearer good-token"}},
		{"bearer", []string{"X-Authorization", "Bearer good-token"}},
		{"bearer", []string{"Cookie", "Authorization=Bearer good-token"}},
		{"bearer?access_token=good-token", nil},
		{"bearer?Authorization=Bearer+good-token", nil},
		{"key", []string{"X-API-Key", "good-token", "X-API-Key", "good-token"}},
		{"key", []string{"X-API-Key", "good-token", "X-API-Key", ""}},
		{"key", []string{"X-API-Key", "good-token,other-token"}},
		{"key", []string{"X_API_Key", "good-token"}},
		{"key", []string{"X-API-Key", "good-token\xa0"}},
		{"key?X-API-Key=good-token", nil},
		{"key", []string{"Authorization", "Bearer good-token"}},
		{"query?api_key=good-token&api_key=good-token", nil},
		{"query?api_key=&api_key=good-token", nil},
		{"query?api_key[]=good-token", nil},
		{"query?API_KEY=good-token", nil},
		{"query?api_key=good-token%00", nil},
		{"query?x=1;api_key=good-token", nil},
		{"query", []string{"api_key", "good-token"}},
		{"cookie", []string{"Cookie", "session=good-token; session=good-token"}},
		{"cookie", []string{"Cookie", "session=good-token", "Cookie", "session=other-token"}},
		{"cookie", []string{"Cookie", "Session=good-token"}},
		{"cookie", []string{"Cookie", "x=session=good-token"}},
		{"cookie?session=good-token", nil},
		{"basic", []string{"Authorization", basic("ada:analytical engine"), "Authorization", basic("ada:x")}},
		{"basic", []string{"Authorization", basic("ada:analytical engine\x00")}},
		{"basic", []string{"Authorization", basic("ada\x00:analytical engine")}},
		{"basic", []string{"Authorization", basic("ADA:analytical engine")}},
		{"basic", []string{"Authorization", basic("ada:")}},
		{"basic", []string{"Authorization", basic(":")}},
		{"basic", []string{"Authorization", basic("ada")}},
		{"basic", []string{"Authorization", basic("")}},
		{"basic", []string{"Authorization", "Basic !!!!"}},
		{"basic", []string{"Authorization", basic("ada:analytical engine") + "="}},
		{"any", []string{"Authorization", "Bearer wrong", "X-API-Key", "wrong"}},
		{"any", []string{"Authorization", "Bearer wrong"}},
		{"any", []string{"X-API-Key", "wrong"}},
		{"any", []string{"Authorization", "Bearer good-token", "Authorization", "Bearer wrong"}},
	}
	got := map[string]int{}
	for _, row := range rows {
		res, text := s.ask(t, "/api/v1/"+row.path, row.fields...)
		got[fmt.Sprint(res.StatusCode)]++
		t.check(res.StatusCode == 400 || res.StatusCode == 401, "%s %q: %s %s", row.path, row.fields, res.Status, text)
	}
	t.measure("%d ways: %s", len(rows), counts(got))
}
