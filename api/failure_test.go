package api_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/ratelimit"
)

func TestKind(t *testing.T) {
	const internal = "Internal server error"
	for _, row := range []struct {
		kind    api.Kind
		text    string
		status  int
		message string
	}{
		{0, "none", 500, internal},
		{api.KindNotFound, "not found", 404, "Unknown api endpoint"},
		{api.KindMethodNotAllowed, "method not allowed", 405, "Method not allowed"},
		{api.KindNotAcceptable, "not acceptable", 406, "Not acceptable"},
		{api.KindTooLarge, "too large", 413, "The request body is too large"},
		{api.KindURITooLong, "URI too long", 414, "The address of the request is too long"},
		{api.KindUnsupportedMedia, "unsupported media", 415, "Unsupported media type"},
		{api.KindRateLimit, "rate limit", 429, "Too many requests."},
		{api.KindUnavailable, "unavailable", 503, "Service unavailable"},
		{api.KindUnauthorized, "unauthorized", 401, "Unauthorized"},
		{api.KindForbidden, "forbidden", 403, "Forbidden"},
		{api.KindAuthorizationFailed, "authorization failed", 500, internal},
		{api.KindInput, "input", 400, "wrong input"},
		{api.KindHandler, "handler", 500, internal},
		{api.KindOutput, "output", 500, internal},
		{api.KindCanceled, "canceled", api.StatusClientClosedRequest, "Client closed request"},
		{api.KindTimeout, "timeout", 503, "The request took too long"},
		{api.KindPanic, "panic", 500, internal},
		{api.KindPanic + 1, "none", 500, internal},
		{255, "none", 500, internal},
	} {
		require.Equal(t, row.text, row.kind.String())
		require.Equal(t, row.status, row.kind.Status(), row.text)
		require.Equal(t, row.message, row.kind.Message(), row.text)
	}
}

func TestFailureRefused(t *testing.T) {
	accepted := ratelimit.Result{Policy: "accepted", Accepted: true, ResetAfter: time.Hour, RetryAfter: time.Hour}
	refused := func(policy string, wait time.Duration) ratelimit.Result {
		return ratelimit.Result{Policy: policy, RetryAfter: wait}
	}
	for _, row := range []struct {
		results []ratelimit.Result
		want    string // "": none
	}{
		{nil, ""},
		{[]ratelimit.Result{accepted}, ""},
		{[]ratelimit.Result{accepted, refused("short", 5), refused("long", 30)}, "long"},
		{[]ratelimit.Result{refused("long", 30), refused("short", 5), accepted}, "long"},
		{[]ratelimit.Result{refused("first", 5), refused("second", 5)}, "first"},
		{[]ratelimit.Result{refused("long", 30), refused("never", ratelimit.Never)}, "never"},
		{[]ratelimit.Result{refused("unknown", ratelimit.Unknown), refused("short", 0)}, "short"},
		{[]ratelimit.Result{refused("unknown", ratelimit.Unknown)}, "unknown"},
	} {
		got := (&api.Failure{RateLimits: row.results}).Refused()
		if row.want == "" {
			require.Nil(t, got)
			continue
		}
		require.Equal(t, row.want, got.Policy)
	}
}
