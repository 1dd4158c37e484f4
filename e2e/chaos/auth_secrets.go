package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/internal/redistest"
	"github.com/sallyport-go/sallyport/ratelimit"
	"github.com/sallyport-go/sallyport/ratelimit/filestorage"
	"github.com/sallyport-go/sallyport/ratelimit/redisstorage"
)

func secrets(t *trial) {
	const canary = "c4n4ry-QmFzZTY0LXRva2Vu"
	server := redistest.Start(t)
	client := connectRedis(t, server.Addr)
	counters, err := redisstorage.Open("redis://"+server.Addr, redisstorage.Options{})
	t.must(err)
	t.Cleanup(func() { _ = counters.Close() })
	dir := t.TempDir()
	files := filestorage.New(dir, filestorage.Options{})
	policy := func(name string, s ratelimit.Storage) ratelimit.Policy {
		return ratelimit.Policy{Name: name, Limit: 3, Interval: time.Hour, Key: ratelimit.Identity, Storage: s}
	}
	var answers, logs bytes.Buffer
	asked := 0
	for _, format := range []api.ErrorHandler{errorhandler.Default{}, errorhandler.ProblemDetails{}} {
		for _, known := range []bool{true, false} {
			tokens := auth.StaticTokens{"another-token": "*"}
			users := auth.Passwords{"bob": "another password"}
			if known {
				tokens[canary] = "*"
				users["ada"] = canary
			}
			s := serve(t, sallyport.Server{}, sallyport.Config{ErrorHandler: format, Debug: true}, func(d *sallyport.ApiDecider) {
				for path, a := range map[string]api.Authorization{
					"bearer": auth.Bearer(tokens), "key": auth.HeaderKey("X-API-Key", tokens), "query": auth.QueryKey("api_key", tokens), "cookie": auth.CookieKey("session", tokens), "basic": auth.Basic(users),
				} {
					d.Add(api.Api{Endpoint: api.GET("1", path), Handler: identify, Authorization: a, RateLimits: []ratelimit.Rule{
						policy("redis."+path, counters), policy("files."+path, files),
					}})
					d.Add(api.Api{Endpoint: api.GET("1", path, "fails"), Handler: handler.Func(func(context.Context, *api.Request) (api.Response, error) { panic("x") }), Authorization: a})
					d.Add(api.Api{Endpoint: api.GET("1", path, "typed"), Handler: handler.Typed(func(_ context.Context, in query) (query, error) { return query{}, nil }), Authorization: a})
				}
			})
			basic := base64.StdEncoding.EncodeToString([]byte("ada:" + canary))
			for range 5 { // the last ones are refused
				for _, row := range [][]string{
					{"bearer", "Authorization", "Bearer " + canary}, {"bearer", "Authorization", "Bearer " + canary, "Authorization", "Bearer " + canary}, {"bearer", "Authorization", "Bearer " + canary + " x"},
					{"bearer", "Authorization", canary}, {"bearer", "X-Api-Token", canary}, {"bearer?access_token=" + canary, "", ""},
					{"key", "X-API-Key", canary}, {"key", "X-API-Key", canary, "X-API-Key", canary}, {"query?api_key=" + canary}, {"query?api_key=" + canary + "&api_key=" + canary}, {"query?api_key=" + canary + "&x=%zz"},
					{"cookie", "Cookie", "session=" + canary}, {"cookie", "Cookie", "session=" + canary + "; session=" + canary}, {"basic", "Authorization", "Basic " + basic}, {"basic", "Authorization", "Basic " + basic + "!"},
					{"bearer/fails", "Authorization", "Bearer " + canary}, {"key/fails", "X-API-Key", canary}, {"query/fails?api_key=" + canary}, {"cookie/fails", "Cookie", "session=" + canary}, {"basic/fails", "Authorization", "Basic " + basic},
					{"query/typed?api_key=" + canary + "&unknown=1"}, {"query/unknown?api_key=" + canary}, {"bearer/typed", "Authorization", "Bearer " + canary},
				} {
					var fields []string
					for i := 1; i+1 < len(row); i += 2 {
						if row[i] != "" {
							fields = append(fields, row[i], row[i+1])
						}
					}
					res, text := s.ask(t, "/api/v1/"+row[0], fields...)
					asked++
					t.must(res.Header.Write(&answers))
					answers.WriteString(text)
				}
			}
			t.must(s.end())
			for _, log := range []*logBuffer{&s.text, &s.json, &s.errors} {
				logs.WriteString(log.String())
			}
		}
	}
	keys, err := client.Keys(t.ctx, "*").Result()
	t.must(err)
	var redisText strings.Builder
	for _, key := range keys {
		redisText.WriteString(key + " " + client.Get(t.ctx, key).Val() + "\n")
	}
	var fileText bytes.Buffer
	n := 0
	t.must(filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		fileText.WriteString(path + "\n")
		if err == nil && e.Type().IsRegular() {
			n++
			data, err := os.ReadFile(path) //nolint:gosec // in a directory of the trial
			fileText.Write(data)
			return err
		}
		return err
	}))
	forms := map[string]string{"plain": canary, "base64": base64.StdEncoding.EncodeToString([]byte("ada:" + canary)), "half": canary[:12]}
	for place, text := range map[string]string{"answers": answers.String(), "logs": logs.String(), "Redis": redisText.String(), "files": fileText.String()} {
		t.check(text != "", "nothing to look through: %s", place)
		for form, c := range forms {
			if i := strings.Index(text, c); i >= 0 {
				t.check(false, "%s (%s): ...%q", place, form, text[max(0, i-200):min(len(text), i+60)])
			}
		}
	}
	t.measure("%d requests, with Debug: not in %d KiB of answers, %d KiB of logs, %d keys of Redis, %d files", asked, answers.Len()/1024, logs.Len()/1024, len(keys), n)
}
