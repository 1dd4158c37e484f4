package apitest_test

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/apitest"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// newPresenter is the program under test.
func newPresenter(limits ratelimit.Options) (*sallyport.Presenter, error) {
	decider := sallyport.NewApiDecider(sallyport.Config{
		RateLimiting: limits,
		RateLimits: []ratelimit.Policy{
			{Name: "perIp", Limit: 5, Interval: time.Minute, Algorithm: ratelimit.FixedWindow},
			{Name: "perHour", Limit: 100, Interval: time.Hour},
		},
	})
	decider.AddApi(api.GET("1", "users"), handler.AlwaysOk{}, auth.None(), ratelimit.Named("perIp", "perHour"))
	decider.AddApi(api.GET("1", "status"), handler.AlwaysOk{}, auth.None(), ratelimit.Off)
	return sallyport.NewPresenter(decider)
}

func users() *http.Request { return httptest.NewRequest(http.MethodGet, "/api/v1/users", nil) }

func answer(h http.Handler, r *http.Request) *http.Response {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func TestALimitIsUsedUpAndComesBack(t *testing.T) {
	clock := apitest.NewClock()
	presenter, err := newPresenter(ratelimit.Options{Clock: clock})
	require.NoError(t, err)

	passed, refusal := apitest.Exhaust(t, presenter, users)
	require.Equal(t, 5, passed)
	wait := apitest.RequireRefused(t, refusal, "perIp")
	require.Equal(t, time.Minute, wait)

	clock.Advance(wait - time.Second)
	require.Equal(t, http.StatusTooManyRequests, answer(presenter, users()).StatusCode)
	clock.Advance(time.Second)
	require.Equal(t, http.StatusOK, answer(presenter, users()).StatusCode)
}

func TestLimits(t *testing.T) {
	presenter, err := newPresenter(ratelimit.Options{Clock: apitest.NewClock()})
	require.NoError(t, err)
	require.Equal(t, []apitest.Limit{
		{Policy: "perIp", Quota: 5, Window: time.Minute, Remaining: 4, Reset: time.Minute},
		{Policy: "perHour", Quota: 100, Window: time.Hour, Remaining: 99, Reset: time.Hour},
	}, apitest.Limits(t, answer(presenter, users()).Header))
	require.Empty(t, apitest.Limits(t, http.Header{}))
}

func TestTimesBeyondAllDurations(t *testing.T) {
	const last = 9_223_372_036 // seconds that a Duration can hold
	for seconds, want := range map[int64]time.Duration{
		1: time.Second, last: last * time.Second, last + 1: math.MaxInt64, 10_000_000_000: math.MaxInt64, 999_999_999_999_999: math.MaxInt64,
	} {
		text := strconv.FormatInt(seconds, 10)
		h := http.Header{}
		h.Set("RateLimit-Policy", `"a";q=5;w=`+text)
		h.Set("RateLimit", `"a";r=0;t=`+text)
		h.Set("Retry-After", text)
		require.Equal(t, []apitest.Limit{{Policy: "a", Quota: 5, Window: want, Reset: want}}, apitest.Limits(t, h))
		require.Equal(t, want, apitest.RequireRefused(t, &http.Response{StatusCode: http.StatusTooManyRequests, Header: h}, "a"))
	}
}

// failing keeps the words with which a test fails.
type failing struct {
	testing.TB
	text string
}

func (f *failing) Helper() {}

func (f *failing) Fatalf(format string, args ...any) {
	f.text = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func TestWhatFails(t *testing.T) {
	presenter, err := newPresenter(ratelimit.Options{Clock: apitest.NewClock()})
	require.NoError(t, err)
	passing := answer(presenter, users())
	_, refusal := apitest.Exhaust(t, presenter, users)
	fields := func(limit, policy, retryAfter string) *http.Response {
		h := http.Header{}
		h.Set("RateLimit", limit)
		h.Set("RateLimit-Policy", policy)
		h.Set("Retry-After", retryAfter)
		return &http.Response{StatusCode: http.StatusTooManyRequests, Header: h}
	}
	endless := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("RateLimit", `"a";r=1`) })
	for want, try := range map[string]func(testing.TB){
		"apitest: the answer has the status 200, not 429":                                                                   func(t testing.TB) { apitest.RequireRefused(t, passing, "perIp") },
		`apitest: the answer does not name the policy "other": [{Policy:perIp Quota:5 Window:1m0s Remaining:0 Reset:1m0s}]`: func(t testing.TB) { apitest.RequireRefused(t, refusal, "other") },
		`apitest: 1 are left of the policy "a"`:                                                                             func(t testing.TB) { apitest.RequireRefused(t, fields(`"a";r=1`, `"a";q=5`, "1"), "a") },
		`apitest: the Retry-After "soon" is no number of seconds`:                                                           func(t testing.TB) { apitest.RequireRefused(t, fields(`"a";r=0`, `"a";q=5`, "soon"), "a") },
		"apitest: GET /api/v1/users: no limit applies to it; the last of 100 answers was 404":                               func(t testing.TB) { apitest.Exhaust(t, http.NotFoundHandler(), users) },
		"apitest: no limit was reached within 100000 requests":                                                              func(t testing.TB) { apitest.Exhaust(t, endless, users) },
		`apitest: ratefield: Ratelimit: sfv: offset 1: a Boolean is ?0 or ?1`:                                               func(t testing.TB) { apitest.Limits(t, fields(`?`, `"a";q=5`, "").Header) },
	} {
		f := &failing{TB: t}
		done := make(chan struct{})
		go func() { defer close(done); try(f) }()
		<-done
		require.Equal(t, want, f.text)
	}
}
