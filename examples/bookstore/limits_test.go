package main

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/apitest"
	"github.com/sallyport-go/sallyport/internal/redistest"
)

// patient is the configuration of the program, but its gates wait for Redis
// however slow the machine is.
func patient(t *testing.T) string {
	t.Helper()
	return write(t, string(embedded)+"\nrateLimiting: {budget: 1 minute}\n")
}

func TestLimitsOnBothStorages(t *testing.T) {
	for name, redis := range map[string]bool{"memory": false, "Redis": true} {
		t.Run(name, func(t *testing.T) {
			args := []string{"-config", patient(t)}
			if redis {
				args = append(args, "-redis", "redis://"+redistest.Start(t).Addr)
			}
			clock := apitest.NewClock()
			p := start(t, clock, args...)
			ada, another, grace := p.login(t, "ada"), p.loginAt(t, "POST /api/v2/login", "ada"), p.login(t, "grace") // three of five
			p.refusedAfter(t, 2, "login", 15*time.Minute, "POST /api/v1/login", basic(t, "ada", "wrong")...)
			require.Equal(t, 429, p.ask(t, "POST /api/v2/login", "", basic(t, "ada", "wrong")...).status, "both versions are one limit")

			p.refusedAfter(t, 20, "perCustomer", 3*time.Second, "GET /api/v1/orders", ada...)
			require.Equal(t, 429, p.ask(t, "GET /api/v2/orders", "", another...).status, "all tokens and both versions are one customer")
			res, _ := p.send(t, "GET /api/v1/orders", "", grace...)
			require.Equal(t, 200, res.StatusCode)
			require.Equal(t, []string{`"perIp";q=100;w=60, "perCustomer";q=200;w=60`}, res.Header["Ratelimit-Policy"])
			clock.Advance(3 * time.Second)
			require.Equal(t, 200, p.ask(t, "GET /api/v2/orders", "", another...).status)

			p.refusedAfter(t, 2, "export", 30*time.Minute, "GET /api/v2/export", warehouse...)
			require.Equal(t, 429, p.ask(t, "GET /api/v1/export", "", warehouse...).status, "both versions are one limit")
			// 21 of ada, another two, one of grace and four exports were counted.
			p.refusedAfter(t, 100-28, "perIp", 58*time.Second, "GET /api/v2/books")
			require.Equal(t, 200, p.ask(t, "GET /api/v2/status", "").status)
		})
	}
}

// refusedAfter asks until that policy refuses.
func (p program) refusedAfter(t *testing.T, passed int, policy string, wait time.Duration, endpoint string, header ...string) {
	t.Helper()
	for range passed {
		res, body := p.send(t, endpoint, "", header...)
		require.NotEqual(t, http.StatusTooManyRequests, res.StatusCode, body)
	}
	res, body := p.send(t, endpoint, "", header...)
	require.Equal(t, wait, apitest.RequireRefused(t, res, policy), body)
}

// Gold is as far as the plan goes, not without an end.
func TestTheLimitOfGold(t *testing.T) {
	p := start(t, apitest.NewClock(), "-config", write(t, `
rateLimits:
  perIp: {limit: 1000, interval: 1 minute}
  perCustomer: {algorithm: tokenBucket, limit: 3, interval: 1 minute, key: identity}
  login: {limit: 5, interval: 1 minute}
  export: {limit: 2, interval: 1 hour, key: identity}
defaults: {rateLimit: perIp}
`))
	p.refusedAfter(t, 3, "perCustomer", 20*time.Second, "GET /api/v2/orders", p.login(t, "ada")...)
	p.refusedAfter(t, 3, "perCustomer", 20*time.Second, "GET /api/v2/orders", lina(t)...)
	p.refusedAfter(t, 30, "perCustomer", 2*time.Second, "GET /api/v2/orders", p.login(t, "grace")...)
}

// Two servers on one Redis are one limit.
func TestServersShareTheLimits(t *testing.T) {
	redis := "redis://" + redistest.Start(t).Addr
	clock := apitest.NewClock()
	one, two := start(t, clock, "-redis", redis, "-config", patient(t)), start(t, clock, "-redis", redis, "-config", patient(t))
	require.Equal(t, 200, one.ask(t, "GET /api/v2/export", "", warehouse...).status)
	require.Equal(t, 200, two.ask(t, "GET /api/v2/export", "", warehouse...).status)
	require.Equal(t, 429, one.ask(t, "GET /api/v2/export", "", warehouse...).status)
	require.Equal(t, 429, two.ask(t, "GET /api/v2/export", "", warehouse...).status)
}

// Without its Redis the shop is open, but nobody may guess passwords.
func TestWithoutRedis(t *testing.T) {
	server := redistest.Start(t)
	server.Kill()
	p := start(t, apitest.NewClock(), "-redis", "redis://"+server.Addr)
	require.Equal(t, 200, p.ask(t, "GET /api/v2/books", "").status)
	require.Equal(t, 503, p.ask(t, "POST /api/v2/login", "", basic(t, "ada", "analytical")...).status)
}
