package main

import (
	"context"
	"io"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/apitest"
	"github.com/sallyport-go/sallyport/internal/exampletest"
	"github.com/sallyport-go/sallyport/ratelimit"
)

func start(t *testing.T, o ratelimit.Options, args ...string) *exampletest.Program {
	t.Helper()
	return exampletest.Start(t, func(ctx context.Context, args []string, out io.Writer) error {
		return run(ctx, args, out, o)
	}, args...)
}

func TestServersShareTheirLimits(t *testing.T) {
	addr, stop := startMemcached(t)
	options := ratelimit.Options{Clock: apitest.NewClock(), Budget: patience, Logger: slog.New(slog.DiscardHandler)}
	one := start(t, options, "-memcached", addr, "-timeout", patience.String())
	two := start(t, options, "-memcached", addr, "-timeout", patience.String())

	type answer struct {
		status            int
		limit, retryAfter string
	}
	ask := func(p *exampletest.Program, method, path string) answer {
		a := p.Do(t, method, path)
		return answer{a.Status, a.Header.Get("RateLimit"), a.Header.Get("Retry-After")}
	}
	for _, step := range []struct {
		server *exampletest.Program
		want   answer
	}{
		{one, answer{200, `"perIp";r=4;t=60`, ""}},
		{two, answer{200, `"perIp";r=3;t=60`, ""}},
		{one, answer{200, `"perIp";r=2;t=60`, ""}},
		{two, answer{200, `"perIp";r=1;t=60`, ""}},
		{one, answer{200, `"perIp";r=0;t=60`, ""}},
		{two, answer{429, `"perIp";r=0;t=72`, "72"}},
		{one, answer{429, `"perIp";r=0;t=72`, "72"}},
	} {
		require.Equal(t, step.want, ask(step.server, "GET", "/api/v1/users"))
	}
	for _, status := range []int{200, 200, 429} { // a counter of two years
		require.Equal(t, status, ask(one, "POST", "/api/v1/certificates").status)
	}

	stop()
	require.Equal(t, answer{200, "", ""}, ask(one, "GET", "/api/v1/users"), "an outage lets users pass")
	require.Equal(t, answer{503, "", "1"}, ask(two, "POST", "/api/v1/certificates"), "but not certificates")
}

func TestWhatItPrints(t *testing.T) {
	require.Equal(t, "Listening on $URL\nTry:\n  curl -i $URL/api/v1/users\n", start(t, ratelimit.Options{}).Output)
	require.ErrorContains(t, run(t.Context(), []string{"-addr", "nowhere"}, io.Discard, ratelimit.Options{}), "nowhere")
	require.ErrorContains(t, run(t.Context(), []string{"-timeout", "soon"}, io.Discard, ratelimit.Options{}), "-timeout")
	require.ErrorContains(t, run(t.Context(), []string{"-addr", "127.0.0.1:0", "8080"}, io.Discard, ratelimit.Options{}), `the argument "8080": there are flags alone`)
}

func TestItStopsCleanlyOnSignals(t *testing.T) { exampletest.StopsOnSignals(t) }
