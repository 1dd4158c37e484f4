package standards_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/internal/ratefield"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// RFC 9110, RFC 6585
var httpSemantics = map[string]runner{
	"http-semantics/retry_after": func(t *testing.T, input json.RawMessage) any {
		in := decode[struct {
			Wait time.Duration `json:"wait_ns"`
		}](t, input)
		seconds, ok := ratelimit.RetryAfter([]ratelimit.Result{{RetryAfter: in.Wait}})
		require.True(t, ok)
		return answer{"out": strconv.FormatInt(seconds, 10)}
	},
	// The program writes the field and never reads it: a value is valid when a
	// refusal with that wait has it.
	"http-semantics/retry_after_valid": func(t *testing.T, input json.RawMessage) any {
		value := decode[struct{ Value string }](t, input).Value
		wait, err := time.ParseDuration(value + "s")
		if err != nil {
			return answer{"valid": false}
		}
		res := send(t, program{limits: refusing(wait)}.start(t), call{})
		return answer{"valid": res.field("Retry-After") == value}
	},
	"http-semantics/response/405": func(t *testing.T, input json.RawMessage) any {
		in := decode[struct {
			Methods []string `json:"route_methods"`
			Method  string
		}](t, input)
		res := send(t, program{methods: in.Methods}.start(t), call{method: in.Method})
		return answer{"status": res.status, "allow": strings.Split(res.field("Allow"), ", ")}
	},
	"http-semantics/response/unknown method token": func(t *testing.T, input json.RawMessage) any {
		return answer{"status": send(t, program{}.start(t), call{method: decode[struct{ Method string }](t, input).Method}).status}
	},
	"http-semantics/response/HEAD on a rate limited route": func(t *testing.T, input json.RawMessage) any {
		h := program{
			config: sallyport.Config{RateLimiting: ratelimit.Options{Clock: noon{}}},
			limits: []ratelimit.Rule{ratelimit.Policy{Limit: 1, Interval: time.Minute}},
		}.start(t)
		require.Equal(t, http.StatusOK, send(t, h, call{}).status)
		get := send(t, h, call{})
		head := send(t, h, call{method: decode[struct{ Method string }](t, input).Method})
		require.Equal(t, get.status, head.status)
		differs := func(name string) bool {
			return get.field(name) == "" || get.field(name) != head.field(name)
		}
		return answer{"status": head.status, "body_bytes": len(head.body), "headers_like_get": slices.DeleteFunc(
			[]string{"RateLimit", "RateLimit-Policy", "Retry-After", "Content-Type"}, differs)}
	},
	"http-semantics/response/body over limit": func(t *testing.T, _ json.RawMessage) any {
		p := program{methods: []string{http.MethodPost}, config: sallyport.Config{MaxBody: 4}}.start(t)
		require.Equal(t, http.StatusOK, send(t, p, call{method: http.MethodPost, body: "1234"}).status)
		res := send(t, p, call{method: http.MethodPost, body: "12345"})
		return answer{"status": res.status, "retry_after": res.field("Retry-After")}
	},
	"http-semantics/response/429 stored by cache": func(t *testing.T, _ json.RawMessage) any {
		res := send(t, program{limits: refusing(time.Minute)}.start(t), call{})
		require.Equal(t, http.StatusTooManyRequests, res.status)
		return answer{"cacheable": !listed(res.field("Cache-Control"), "no-store"), "suggest": "Cache-Control: " + res.field("Cache-Control")}
	},
	"http-semantics/response/Vary for Authorization": func(t *testing.T, _ json.RawMessage) any {
		p := program{authorization: auth.Bearer(auth.StaticTokens{"token": "*"})}
		res := send(t, p.start(t), call{header: http.Header{"Authorization": {"Bearer token"}}})
		require.Equal(t, http.StatusOK, res.status)
		return answer{"needed": listed(res.field("Vary"), "Authorization")}
	},
	"http-semantics/response/Vary for content negotiated problem body": func(t *testing.T, _ json.RawMessage) any {
		p := program{config: sallyport.Config{ErrorHandler: errorhandler.ProblemDetails{}}}.start(t)
		return answer{"vary_contains": send(t, p, call{method: http.MethodDelete}).field("Vary")}
	},
	"http-semantics/response/repeat of a singleton field line": func(t *testing.T, input json.RawMessage) any {
		in := decode[struct {
			Field string
			Lines []json.Number
		}](t, input)
		require.Equal(t, "Retry-After", in.Field)
		var refusals []ratelimit.Result
		for _, line := range in.Lines {
			refusals = append(refusals, ratelimit.Result{Policy: "wait" + line.String(), RetryAfter: wait(t, line)})
		}
		lines := send(t, program{limits: saying(refusals...)}.start(t), call{}).header.Values(in.Field)
		require.NotEmpty(t, lines)
		return answer{"sender_may": len(lines) > 1}
	},
	"http-semantics/response/repeat of a list field line": func(t *testing.T, input json.RawMessage) any {
		lines := decode[struct{ Lines []string }](t, input).Lines
		combined := ratefield.Merge("", nil, lines, false)
		return answer{"sender_may": combined != "", "combined": combined}
	},
	"http-semantics/response/OPTIONS on /x": func(t *testing.T, input json.RawMessage) any {
		in := decode[struct {
			Method  string
			Methods []string `json:"route_methods"`
		}](t, input)
		res := send(t, program{methods: in.Methods}.start(t), call{method: in.Method})
		has := answer{"status": res.status}
		if listed(res.field("Allow"), in.Methods[0]) {
			has["should_have"] = "Allow"
		}
		return has
	},
	"http-semantics/response/unsupported Content-Encoding": func(t *testing.T, input json.RawMessage) any {
		encoding := decode[struct {
			Encoding string `json:"content_encoding"`
		}](t, input).Encoding
		reads := handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
			_, _, err := r.Content("application/json")
			return api.NoContent(), err
		})
		h := program{methods: []string{http.MethodPost}, handler: reads}.start(t)
		header := http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {encoding}}
		res := send(t, h, call{method: http.MethodPost, header: header, body: "{}"})
		return answer{"status": res.status, "accept_encoding_response_header": res.field("Accept-Encoding")}
	},
	"http-semantics/response/auth by X-API-Key header, cacheable response": func(t *testing.T, _ json.RawMessage) any {
		sent := func(cacheControl string) string {
			says := handler.Func(func(context.Context, *api.Request) (api.Response, error) {
				header := http.Header{}
				if cacheControl != "" {
					header.Set("Cache-Control", cacheControl)
				}
				return api.WithHeader(api.Text(http.StatusOK, "yours"), header), nil
			})
			h := program{handler: says, authorization: auth.HeaderKey("X-API-Key", auth.StaticTokens{"key": "*"})}.start(t)
			res := send(t, h, call{header: http.Header{"X-Api-Key": {"key"}}})
			require.Equal(t, http.StatusOK, res.status)
			return res.field("Cache-Control")
		}
		return answer{"nothing said": sent(""), "an age": sent("max-age=60")}
	},
	// The answer is that of net/http, before the program has a request.
	"http-semantics/response/request header section too large": func(t *testing.T, _ json.RawMessage) any {
		server := httptest.NewUnstartedServer(program{}.start(t))
		server.Config.MaxHeaderBytes = 1 << 10 // and a few KiB of net/http
		server.Start()
		t.Cleanup(server.Close)
		status := func(length int) int {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+target, nil)
			require.NoError(t, err)
			r.Header.Set("X-Long", strings.Repeat("x", length))
			res, err := server.Client().Do(r)
			require.NoError(t, err)
			require.NoError(t, res.Body.Close())
			return res.StatusCode
		}
		require.Equal(t, http.StatusOK, status(1))
		return answer{"status": status(8 << 10)}
	},
}

// noon is a clock that stands still.
type noon struct{}

func (noon) Now() time.Time { return time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC) }
