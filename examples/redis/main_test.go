package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/exampletest"
	"github.com/sallyport-go/sallyport/internal/redistest"
)

const login = "/api/v1/login"

// Two servers are one limit.
func TestServersShareTheLimits(t *testing.T) { // RL-115
	redis := "redis://" + redistest.Start(t).Addr
	servers := []*exampletest.Program{exampletest.Start(t, run, "-redis", redis), exampletest.Start(t, run, "-redis", redis)}
	for n := range 6 {
		answer := servers[n%2].Do(t, "POST", login)
		want := 200
		if n == 5 {
			want = 429
		}
		require.Equal(t, want, answer.Status, answer.Body)
		require.Equal(t, `"perIp";q=100;w=60, "login";q=5;w=900`, answer.Header.Get("RateLimit-Policy"))
	}
	require.Equal(t, 200, servers[0].Do(t, "GET", "/api/v1/users").Status)
	require.Equal(t, 200, servers[1].Do(t, "GET", "/api/v1/reports", "Authorization", "Bearer my-token").Status)
}

// A program without its Redis starts, lets requests pass where that does no harm,
// and refuses the others.
func TestWithoutRedis(t *testing.T) { // peer 74
	server := redistest.Start(t)
	server.Kill()
	p := exampletest.Start(t, run, "-redis", "redis://"+server.Addr)
	require.Equal(t, 200, p.Do(t, "GET", "/api/v1/users").Status)
	require.Equal(t, 503, p.Do(t, "POST", login).Status)
	require.Equal(t, 200, p.Do(t, "GET", "/api/v1/status").Status)
}

func TestMistakes(t *testing.T) {
	require.ErrorContains(t, run(t.Context(), []string{"-redis", "http://localhost"}, nil), "none of the schemes redis, rediss and unix")
	require.ErrorContains(t, run(t.Context(), []string{"-addr", "127.0.0.1:0", "redis://localhost"}, nil), `the argument "redis://localhost": there are flags alone`)
}

func TestStopsOnSignals(t *testing.T) { exampletest.StopsOnSignals(t) }
