package socket

import (
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/bench/internal/stack"
)

func TestMain(m *testing.M) {
	ServeIfAsked()
	os.Exit(m.Run())
}

func TestAChildServesItsStack(t *testing.T) {
	for name, want := range map[string][2]int{
		stack.Bare:                {200, 200},
		stack.Default:             {200, 200},
		"refuse " + stack.Default: {200, 429},
		ownServer + stack.Default: {200, 200},
		"refuse chi + httprate":   {200, 429},
	} {
		c, err := startChild(t.Context(), name)
		require.NoError(t, err, name)
		for _, status := range want {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+c.addr+stack.Path, http.NoBody)
			require.NoError(t, err)
			for field, value := range stack.Fields() {
				r.Header.Set(field, value)
			}
			res, err := http.DefaultClient.Do(r)
			require.NoError(t, err)
			require.NoError(t, res.Body.Close())
			require.Equal(t, status, res.StatusCode, name)
		}
		c.stop()
	}
	_, err := startChild(t.Context(), "another")
	require.ErrorContains(t, err, "did not start")
}

const wrkOutput = `Running 1s test @ http://127.0.0.1:1/
  1 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.00ms  1.00ms   9.00ms   90.00%
  41231 requests in 1.00s, 5.00MB read
`

func TestParsingWhatWrkSays(t *testing.T) {
	for name, c := range map[string]struct {
		out   string
		want  load
		fails bool
	}{
		"admitted":       {out: wrkOutput + "Requests/sec:  41230.55\n", want: load{perSecond: 41230.55}},
		"refused":        {out: wrkOutput + "  Non-2xx or 3xx responses: 41230\nRequests/sec:  41230.55\n", want: load{perSecond: 41230.55, refused: true}},
		"of both kinds":  {out: wrkOutput + "  Non-2xx or 3xx responses: 20000\nRequests/sec:  41230.55\n", fails: true},
		"errors":         {out: wrkOutput + "  Socket errors: connect 0, read 3\nRequests/sec:  41230.55\n", fails: true},
		"something else": {out: "unable to connect", fails: true},
	} {
		got, err := parse(c.out)
		require.Equal(t, c.fails, err != nil, name)
		require.Equal(t, c.want, got, name)
	}
}
