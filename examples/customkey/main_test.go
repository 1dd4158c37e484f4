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

func TestTenants(t *testing.T) {
	const reports, exports = "GET /api/v1/reports", "POST /api/v1/exports"
	type step struct {
		token, endpoint string
		status          int
		policy, limit   string
	}
	const (
		silver     = `"perTenant";q=3;w=60`
		gold       = `"perTenant";q=6;w=60`
		silverList = `"perMember";q=2;w=60, ` + silver
		goldList   = `"perMember";q=2;w=60, ` + gold
	)
	for name, steps := range map[string][]step{
		"the users of a tenant share its limit": {
			{"anna-at-acme", reports, 200, silver, `"perTenant";r=2;t=60`},
			{"ben-at-acme", reports, 200, silver, `"perTenant";r=1;t=60`},
			{"anna-at-acme", reports, 200, silver, `"perTenant";r=0;t=60`},
			{"ben-at-acme", reports, 429, silver, `"perTenant";r=0;t=80`},
		},
		"another tenant has its own, by its plan": {
			{"anna-at-acme", reports, 200, silver, `"perTenant";r=2;t=60`},
			{"anna-at-globex", reports, 200, gold, `"perTenant";r=5;t=60`},
		},
		"in a list, nobody uses it up alone": {
			{"anna-at-acme", exports, 200, silverList, `"perMember";r=1;t=60, "perTenant";r=2;t=60`},
			{"anna-at-acme", exports, 200, silverList, `"perMember";r=0;t=60, "perTenant";r=1;t=60`},
			{"anna-at-acme", exports, 429, `"perMember";q=2;w=60`, `"perMember";r=0;t=90`},
			{"ben-at-acme", exports, 200, silverList, `"perMember";r=1;t=60, "perTenant";r=0;t=60`},
		},
		"one user of two tenants is two members": {
			{"anna-at-acme", exports, 200, silverList, `"perMember";r=1;t=60, "perTenant";r=2;t=60`},
			{"anna-at-globex", exports, 200, goldList, `"perMember";r=1;t=60, "perTenant";r=5;t=60`},
		},
		"nobody is charged for a wrong token": {
			{"wrong", reports, 401, "", ""},
			{"ben-at-acme", reports, 200, silver, `"perTenant";r=2;t=60`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, apitest.NewClock())
			for _, want := range steps {
				method, path, _ := strings.Cut(want.endpoint, " ")
				a := p.Do(t, method, path, "Authorization", "Bearer "+want.token, "X-Tenant", "globex") // a header is not believed
				require.Equal(t, want, step{want.token, want.endpoint, a.Status, a.Header.Get("RateLimit-Policy"), a.Header.Get("RateLimit")})
			}
		})
	}
}

func TestTheTenantIsLetInAfterTheWait(t *testing.T) {
	clock := apitest.NewClock()
	p := start(t, clock)
	ask := func() exampletest.Answer {
		return p.Do(t, "GET", "/api/v1/reports", "Authorization", "Bearer ben-at-acme")
	}
	for range 3 {
		a := ask()
		require.Equal(t, 200, a.Status)
		require.Equal(t, `{"tenant":"acme","user":"ben"}`, a.Body)
	}
	require.Equal(t, "80", ask().Header.Get("Retry-After"))
	clock.Advance(79 * time.Second)
	require.Equal(t, 429, ask().Status)
	clock.Advance(time.Second)
	require.Equal(t, 200, ask().Status)
}

func TestWhatItPrints(t *testing.T) {
	require.Equal(t, `Listening on $URL
Try:
  curl -i -H 'Authorization: Bearer anna-at-acme' $URL/api/v1/reports
  curl -i -H 'Authorization: Bearer anna-at-globex' -X POST $URL/api/v1/exports
`, start(t, nil).Output)
	require.ErrorContains(t, run(t.Context(), []string{"-addr", "nowhere"}, io.Discard, ratelimit.Options{}), "nowhere")
	require.ErrorContains(t, run(t.Context(), []string{"-port", "80"}, io.Discard, ratelimit.Options{}), "-port")
	require.ErrorContains(t, run(t.Context(), []string{"-addr", "127.0.0.1:0", "8080"}, io.Discard, ratelimit.Options{}), `the argument "8080": there are flags alone`)
}

func TestItStopsCleanlyOnSignals(t *testing.T) { exampletest.StopsOnSignals(t) }
