package errorhandler_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/ratelimit"
)

func TestDefault(t *testing.T) {
	const (
		internal      = `{"status":"error","message":"Internal server error"}`
		internalDebug = `{"status":"error","message":"Internal server error","detail":"pq: password authentication failed"}`
	)
	for _, row := range []struct {
		kind   api.Kind
		status int
		body   string
		debug  string // the body in debug mode; "": the same
	}{
		{api.KindNotFound, 404, `{"status":"error","message":"Unknown api endpoint"}`, ""}, // FW-279
		{api.KindMethodNotAllowed, 405, `{"status":"error","message":"Method not allowed"}`, ""},
		{api.KindNotAcceptable, 406, `{"status":"error","message":"Not acceptable"}`, ""},
		{api.KindTooLarge, 413, `{"status":"error","message":"The request body is too large"}`, ""},
		{api.KindURITooLong, 414, `{"status":"error","message":"The address of the request is too long"}`, ""},
		{api.KindUnsupportedMedia, 415, `{"status":"error","message":"Unsupported media type"}`, ""},
		{api.KindRateLimit, 429, `{"status":"error","message":"Too many requests. Retry after 3600 seconds."}`, ""}, // RL-198
		{
			api.KindUnavailable, 503, `{"status":"error","message":"Service unavailable"}`,
			`{"status":"error","message":"Service unavailable","detail":"pq: password authentication failed"}`,
		},
		{api.KindUnauthorized, 401, `{"status":"error","message":"Incorrect username or password"}`, ""}, // FW-154
		{api.KindForbidden, 403, `{"status":"error","message":"Forbidden"}`, ""},                         // FW-157
		{api.KindAuthorizationFailed, 500, internal, internalDebug},                                      // FW-155
		{ // FW-151
			api.KindInput, 400, `{"status":"error","message":"wrong input"}`,
			`{"status":"error","message":"wrong input","detail":{` +
				`"/profile/color":["must be green or red"],"age":["must be a positive integer"],` +
				`"body":["is no JSON"],"id":["is too long"],"page":["is no number","stands twice"]}}`,
		},
		{api.KindHandler, 500, internal, internalDebug}, // FW-149
		{api.KindOutput, 500, internal, internalDebug},  // FW-152
		{api.KindCanceled, 499, `{"status":"error","message":"Client closed request"}`, ""},
		{
			api.KindTimeout, 503, `{"status":"error","message":"The request took too long"}`,
			`{"status":"error","message":"The request took too long","detail":"pq: password authentication failed"}`,
		},
		{api.KindPanic, 500, internal, internalDebug},
		{0, 500, internal, internalDebug},
		{255, 500, internal, internalDebug},
	} {
		t.Run(row.kind.String(), func(t *testing.T) {
			const mediaType = "application/json; charset=utf-8"
			f := failureOf(row.kind)
			require.Equal(t, answer{row.status, mediaType, row.body}, answerTo(t, errorhandler.Default{}, f))

			f.Debug = true
			if row.debug == "" {
				row.debug = row.body
			}
			require.Equal(t, answer{row.status, mediaType, row.debug}, answerTo(t, errorhandler.Default{}, f))
		})
	}
}

func TestDefaultMessage(t *testing.T) {
	for _, row := range []struct {
		failure api.Failure
		want    string
	}{
		{api.Failure{Kind: api.KindForbidden, Message: "not <yours> / žádný"}, "not <yours> / žádný"},
		{api.Failure{Kind: api.KindUnauthorized}, "Unauthorized"}, // FW-154: never empty
		{api.Failure{Kind: api.KindInput}, "wrong input"},
	} {
		require.Equal(t, `{"status":"error","message":"`+row.want+`"}`, answerTo(t, errorhandler.Default{}, &row.failure).Body)
	}
}

func TestDefaultCode(t *testing.T) {
	f := &api.Failure{Kind: api.KindHandler, Status: 503, Message: "Try later", Code: "payment.down", Err: errors.New(secret), Debug: true}
	require.Equal(t, `{"status":"error","message":"Try later","code":"payment.down","detail":"`+secret+`"}`, answerTo(t, errorhandler.Default{}, f).Body)
}

func TestRefusalMessage(t *testing.T) {
	const unknown = "Too many requests."
	for name, row := range map[string]struct {
		waits []time.Duration
		want  string
	}{
		"whole seconds":           {[]time.Duration{42 * time.Second}, "Too many requests. Retry after 42 seconds."},
		"rounded up":              {[]time.Duration{42*time.Second + 1}, "Too many requests. Retry after 43 seconds."},
		"at least one":            {[]time.Duration{1}, "Too many requests. Retry after 1 seconds."}, // RL-195
		"none":                    {[]time.Duration{0}, "Too many requests. Retry after 1 seconds."},
		"the longest":             {[]time.Duration{5 * time.Second, 30 * time.Second, time.Second}, "Too many requests. Retry after 30 seconds."},
		"the longest there is":    {[]time.Duration{ratelimit.Never - 1}, "Too many requests. Retry after 9223372037 seconds."},
		"unknown":                 {[]time.Duration{ratelimit.Unknown}, unknown},
		"unknown beside another":  {[]time.Duration{ratelimit.Unknown, 5 * time.Second}, "Too many requests. Retry after 5 seconds."},
		"never":                   {[]time.Duration{ratelimit.Never}, unknown},
		"never beside another":    {[]time.Duration{5 * time.Second, ratelimit.Never}, unknown},
		"a refusal without limit": {nil, unknown},
	} {
		t.Run(name, func(t *testing.T) {
			f := &api.Failure{Kind: api.KindRateLimit, Message: api.KindRateLimit.Message()}
			f.RateLimits = append(f.RateLimits, ratelimit.Result{Accepted: true, RetryAfter: time.Hour})
			for _, wait := range row.waits {
				f.RateLimits = append(f.RateLimits, ratelimit.Result{RetryAfter: wait})
			}
			require.Equal(t, `{"status":"error","message":"`+row.want+`"}`, answerTo(t, errorhandler.Default{}, f).Body)
		})
	}
}

func TestDefaultDetailIsLeftOutWhenThereIsNone(t *testing.T) {
	for _, f := range []*api.Failure{
		{Kind: api.KindHandler, Debug: true},
		{Kind: api.KindInput, Debug: true, Err: errors.New("unexpected EOF")},
		{Kind: api.KindHandler, Debug: true, Fields: []api.FieldError{{Name: "id", Message: "is too long"}}},
	} {
		require.NotContains(t, answerTo(t, errorhandler.Default{}, f).Body, "detail")
	}
}
