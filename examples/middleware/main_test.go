package main

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/apitest"
	"github.com/sallyport-go/sallyport/internal/exampletest"
	"github.com/sallyport-go/sallyport/ratelimit"
)

func start(t *testing.T, clock ratelimit.Clock) *exampletest.Program {
	t.Helper()
	return exampletest.Start(t, func(ctx context.Context, args []string, out io.Writer) error {
		return run(ctx, args, out, ratelimit.Options{Clock: clock})
	})
}

func TestLimits(t *testing.T) {
	const order, forbidden = "POST /orders", "The key in X-Api-Key is missing or wrong\n"
	type step struct {
		key, endpoint string
		status        int
		limit, body   string
	}
	for name, steps := range map[string][]step{
		"by address, for each pattern": {
			{"", "GET /books/1", 200, `"perAddress";r=4;t=60`, "Notes by the Translator\n"},
			{"", "GET /books/2", 200, `"perAddress";r=3;t=60`, "The Education of a Computer\n"},
			{"", "GET /books/3", 404, `"perAddress";r=2;t=60`, "There is no such book\n"},
			{"", "GET /books/4", 404, `"perAddress";r=1;t=60`, "There is no such book\n"},
			{"", "GET /books/5", 404, `"perAddress";r=0;t=60`, "There is no such book\n"},
			{"", "GET /books/6", 429, `"perAddress";r=0;t=72`, "Too many requests. Retry after 72 seconds.\n"},
			{"key-of-anna", order, 201, `"perAddress";r=4;t=60, "perUser";r=1;t=30`, "Ordered by anna\n"},
		},
		"by user": {
			{"key-of-anna", order, 201, `"perAddress";r=4;t=60, "perUser";r=1;t=30`, "Ordered by anna\n"},
			{"key-of-anna", "GET /books/1", 200, `"perAddress";r=4;t=60, "perUser";r=0;t=30`, "Notes by the Translator\n"},
			{"key-of-anna", order, 429, `"perAddress";r=3;t=60, "perUser";r=0;t=30`, "Too many requests. Retry after 30 seconds.\n"},
			{"key-of-ben", order, 201, `"perAddress";r=2;t=60, "perUser";r=1;t=30`, "Ordered by ben\n"},
		},
		"who guesses keys is limited by address": {
			{"", order, 403, `"perAddress";r=4;t=60`, forbidden},
			{"guess-1", order, 403, `"perAddress";r=3;t=60`, forbidden},
			{"guess-2", order, 403, `"perAddress";r=2;t=60`, forbidden},
			{"guess-3", order, 403, `"perAddress";r=1;t=60`, forbidden},
			{"guess-4", order, 403, `"perAddress";r=0;t=60`, forbidden},
			{"key-of-anna", order, 429, `"perAddress";r=0;t=72`, "Too many requests. Retry after 72 seconds.\n"},
		},
		"an unknown path has no limit": {
			{"", "GET /nowhere", 404, "", "404 page not found\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, apitest.NewClock())
			for _, want := range steps {
				method, path, _ := strings.Cut(want.endpoint, " ")
				a := p.Do(t, method, path, "X-Api-Key", want.key)
				require.Equal(t, want, step{want.key, want.endpoint, a.Status, a.Header.Get("RateLimit"), a.Body})
			}
		})
	}
}

func TestTheUserIsLetInAfterTheWait(t *testing.T) {
	clock := apitest.NewClock()
	p := start(t, clock)
	for _, step := range []struct {
		wait       time.Duration
		status     int
		retryAfter string
	}{
		{0, 201, ""}, {0, 201, ""}, {0, 429, "30"}, {29 * time.Second, 429, "1"}, {time.Second, 201, ""},
	} {
		clock.Advance(step.wait)
		a := p.Do(t, "POST", "/orders", "X-Api-Key", "key-of-ben")
		require.Equal(t, step.status, a.Status)
		require.Equal(t, step.retryAfter, a.Header.Get("Retry-After"))
		require.Contains(t, a.Header.Get("RateLimit-Policy"), `"perUser";q=2;w=60`)
	}
}

func TestWhatItPrints(t *testing.T) {
	require.Equal(t, `Listening on $URL
Try:
  curl -i $URL/books/1
  curl -i -H 'X-Api-Key: key-of-anna' -X POST $URL/orders
`, start(t, nil).Output)
	require.ErrorContains(t, run(t.Context(), []string{"-addr", "nowhere"}, io.Discard, ratelimit.Options{}), "nowhere")
	require.ErrorContains(t, run(t.Context(), []string{"-port", "80"}, io.Discard, ratelimit.Options{}), "-port")
	require.ErrorContains(t, run(t.Context(), []string{"-addr", "127.0.0.1:0", "8080"}, io.Discard, ratelimit.Options{}), `the argument "8080": there are flags alone`)
	require.ErrorContains(t, run(t.Context(), nil, io.Discard, ratelimit.Options{Budget: -1}), "budget")
}

func TestItStopsCleanlyOnSignals(t *testing.T) { exampletest.StopsOnSignals(t) }
