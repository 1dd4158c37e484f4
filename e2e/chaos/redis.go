package main

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sallyport-go/sallyport/internal/redistest"
)

// The bookstore's limits in these scenarios: two that the steady load does not
// reach, and one for each mode of an outage that a few requests do.
const redisConfig = `
trustedProxies: 127.0.0.1
rateLimits:
  perIp: {limit: 10000000, interval: 1 hour}
  perCustomer: {algorithm: tokenBucket, limit: 10000000, interval: 1 hour, key: identity}
  login: {limit: 1000, interval: 15 minutes}
  export: {algorithm: tokenBucket, limit: 2, interval: 1 hour, key: identity}
  open: {limit: 40, interval: 1 hour}
  closed: {limit: 40, interval: 1 hour, onStorageFailure: closed}
  local: {limit: 40, interval: 1 hour, onStorageFailure: local}
defaults: {rateLimit: perIp}
endpoints:
  GET.v1.status: {rateLimit: closed}
  GET.v2.status: {rateLimit: open}
  GET.v2.books: {rateLimit: local}
`

const exactLimit = 40

// outage is a fault of Redis under a steady load: 64 clients, each with five
// requests a second through perIp and perCustomer.
type outage struct {
	url   string // for the bookstore
	fault func() // begins it
	heal  func() // ends it; what it waits for is not a part of the recovery

	total bool     // nothing is decided by Redis meanwhile, so each policy's mode is seen
	harm  bool     // some requests may lose their limits meanwhile
	cause []string // one of them stands in the warnings
	crowd bool     // many connections are open before it
	quiet bool     // the load is eight requests a second
	gates int      // of a request that may wait for their budgets; 0: one
}

const (
	gateBudget = 50 * time.Millisecond
	allowance  = 50 * time.Millisecond
	recovery   = 2 * time.Second
)

const redisPromise = "no 5xx but 503 of FailClosed, p99 <= 100 ms, a warning with the cause at most once a second for each policy, exact within 2 s after"

func (o outage) run(t *trial) {
	lasting := pick(t, 3*time.Second, 10*time.Second)
	s := startShop(t, redisConfig, "-redis", o.url)
	token := s.login(t)
	interval := 200 * time.Millisecond
	if o.quiet {
		interval = 8 * time.Second
	}
	l := startLoad(t, 64, interval, s.client, func() *http.Request {
		r := s.request("GET", "/api/v2/orders", "")
		r.Header.Set("Authorization", "Bearer "+token)
		return r
	})
	o.warmUp(t, s, l)

	if o.crowd {
		var all sync.WaitGroup
		for range 24 {
			all.Go(func() {
				for range 10 {
					send(s.client, s.request("GET", "/api/v2/status", freshIP()))
				}
			})
		}
		all.Wait()
	}
	stalls := t.watchStalls()
	begin := time.Now()
	if o.quiet {
		lasting = 0
	}
	o.fault()
	var modes string
	if o.total {
		t.sleep(300 * time.Millisecond)
		modes = o.modes(t, s)
	}
	t.sleep(lasting - time.Since(begin))
	o.heal()
	healed := time.Now()
	back := t.within(40*time.Second, "limits are back", func() bool {
		r := s.request("GET", "/api/v2/status", freshIP())
		return len(send(s.client, r).header["Ratelimit"]) > 0
	})
	t.check(back <= recovery, "limits are back only after %s", back)
	t.sleep(recovery - time.Since(healed))
	o.exactly(t, s, "2 s after")
	calm := time.Now()
	t.sleep(500 * time.Millisecond)
	l.stop()

	during := l.between(begin, calm)
	n := statuses(during)
	unlimited := 0
	for _, x := range during {
		t.check(x.err == nil && x.status == 200, "the load got %d %v", x.status, x.err)
		if !limited(x) {
			unlimited++
		}
	}
	for _, x := range l.between(calm, time.Now()) {
		t.check(x.status == 200 && limited(x), "after the fault: %d, %v, limits %q", x.status, x.err, x.header["Ratelimit"])
	}
	p99, machine := quantile(during, 0.99), stalls()
	t.check(p99 <= gateBudget*time.Duration(max(o.gates, 1))+allowance+machine, "p99 is %s", p99)
	t.check(o.harm || unlimited == 0, "%d of %d requests passed without a limit", unlimited, len(during))
	t.measure("%d requests, %d x 200, %d without limits", len(during), n[200], unlimited)
	t.measure("%s (a timer beside it was late by %s)", latency(during), ms(machine))
	if o.total {
		t.measure("%s", modes)
	}
	t.measure("limits back after %s", ms(back))
	o.warnings(t, s, begin, time.Since(begin))
}

// warmUp waits for a second in which all is well: others may load the machine.
func (o outage) warmUp(t *trial, s *shop, l *load) {
	for try := 0; ; try++ {
		begin := time.Now()
		t.sleep(time.Second)
		bad := 0
		samples := l.between(begin, time.Now().Add(-100*time.Millisecond))
		for _, x := range samples {
			if x.status != 200 || !limited(x) {
				bad++
			}
		}
		if bad == 0 || try == 5 {
			t.check(bad == 0, "%d of %d requests were not limited before the fault", bad, len(samples))
			break
		}
	}
	o.exactly(t, s, "before the fault")
}

// limited reports whether both limits of the load have decided.
func limited(x sample) bool {
	var perIP, perCustomer int
	_, _ = fmt.Sscanf(x.header.Get("RateLimit"), `"perIp";r=%d;t=3`, &perIP)
	for _, field := range x.header.Values("RateLimit-Policy") {
		_, _ = fmt.Sscanf(field, `"perIp";q=10000000;w=3600, "perCustomer";q=%d;w=3600`, &perCustomer)
	}
	return perCustomer > 0
}

var freshIPs atomic.Uint32

// freshIP is an address that nobody has used in this run of the program.
func freshIP() string {
	n := freshIPs.Add(1)
	return net.IPv4(10, byte(n>>16), byte(n>>8), byte(n)).String()
}

// crowd sends 20 requests more than the limit from one fresh address, through a few connections.
func crowd(s *shop, path string) map[int]int {
	const n = exactLimit + 20
	ip := freshIP()
	samples := make([]sample, n)
	var workers sync.WaitGroup
	var next atomic.Int64
	for range 8 {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				samples[i] = send(s.client, s.request("GET", path, ip))
			}
		})
	}
	workers.Wait()
	return statuses(samples)
}

// exactly asks more often than a fresh limit admits.
func (o outage) exactly(t *trial, s *shop, when string) {
	n := crowd(s, "/api/v2/status")
	t.check(n[200] == exactLimit && n[429] == 20, "%s a limit of %d answered %v", when, exactLimit, n)
}

// modes asks each mode of an outage more often than its limit admits.
func (o outage) modes(t *trial, s *shop) string {
	const n = exactLimit + 20
	open, closed, local := crowd(s, "/api/v2/status"), crowd(s, "/api/v1/status"), crowd(s, "/api/v2/books")
	t.check(open[200] == n, "FailOpen answered %v", open)
	t.check(closed[503] == n, "FailClosed answered %v", closed)
	t.check(local[200] == exactLimit && local[429] == 20, "FailLocal answered %v", local)
	x := send(s.client, s.request("GET", "/api/v1/status", freshIP()))
	t.check(x.status != 503 || x.header.Get("Retry-After") == "1", "a 503 has Retry-After %q", x.header.Get("Retry-After"))
	return fmt.Sprintf("of %d requests FailOpen passed %d, FailClosed refused %d with 503, FailLocal passed %d", n, open[200], closed[503], local[200])
}

// warnings checks that they have a cause and are at most one a second for each
// policy.
func (o outage) warnings(t *trial, s *shop, begin time.Time, lasted time.Duration) {
	most := 0
	for _, policy := range []string{"perIp", "perCustomer", "open", "closed", "local"} {
		lines := s.log.with("rate limit storage is unavailable", "policy="+policy+" ")
		lines = slices.DeleteFunc(lines, func(l logLine) bool { return l.at.Before(begin) })
		most = max(most, len(lines))
		t.check(len(lines) <= int(lasted/time.Second)+1, "%d warnings of %s in %s", len(lines), policy, lasted)
		for i, line := range lines {
			t.check(i == 0 || line.at.Sub(lines[i-1].at) > 700*time.Millisecond, "two warnings of %s in %s", policy, line.at.Sub(lines[max(i-1, 0)].at))
		}
	}
	caused := 0
	for _, cause := range o.cause {
		caused += len(s.log.with("rate limit storage is unavailable", cause))
	}
	if o.total || o.harm && most > 0 {
		t.check(most > 0 && (caused > 0 || len(o.cause) == 0), "no warning has the cause %q:\n%.2000s", o.cause, s.log.String())
	}
	if !o.harm {
		t.check(most == 0, "there are warnings:\n%.2000s", s.log.String())
	}
	t.measure("at most %d warnings for a policy in %.1f s", most, lasted.Seconds())
}

// connectRedis opens a client of a server.
func connectRedis(t *trial, addr string) *redis.Client {
	c := redis.NewClient(&redis.Options{Addr: addr, DialerRetries: 1})
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// onOne makes a scenario of what happens to a single server.
func onOne(name, promise string, fault func(t *trial, s *redistest.Server, c *redis.Client) outage) scenario {
	return scenario{name: "redis/" + name, promise: promise, run: func(t *trial) {
		s := redistest.Start(t)
		o := fault(t, s, connectRedis(t, s.Addr))
		if o.url == "" {
			o.url = "redis://" + s.Addr
		}
		o.run(t)
	}}
}

func nothing() {}

var redisScenarios = []scenario{
	onOne("killed", redisPromise+"; OnStorageFailure obeyed", func(t *trial, s *redistest.Server, _ *redis.Client) outage {
		return outage{fault: s.Kill, heal: s.Restart, total: true, harm: true, cause: []string{"connection refused", "EOF"}}
	}),
	onOne("restarted empty", redisPromise, func(t *trial, s *redistest.Server, _ *redis.Client) outage {
		return outage{fault: s.Restart, heal: nothing, harm: true, cause: []string{"connection refused", "EOF", "reset", "moment ago"}}
	}),
	onOne("stopped by SIGSTOP", redisPromise+"; OnStorageFailure obeyed", func(t *trial, s *redistest.Server, _ *redis.Client) outage {
		return outage{fault: s.Pause, heal: s.Resume, total: true, harm: true, cause: []string{"deadline", "budget", "timeout"}}
	}),
	onOne("SCRIPT FLUSH twenty times a second", "no request fails or passes without its limits, no warning", func(t *trial, _ *redistest.Server, c *redis.Client) outage {
		stop, ended := make(chan struct{}), make(chan struct{})
		return outage{
			fault: func() {
				go func() {
					defer close(ended)
					for {
						select {
						case <-time.After(50 * time.Millisecond):
							t.check(c.ScriptFlush(t.ctx).Err() == nil, "SCRIPT FLUSH failed")
						case <-stop:
							return
						}
					}
				}()
			},
			heal: func() { close(stop); <-ended },
		}
	}),
	onOne("maxmemory reached, noeviction", redisPromise+"; OnStorageFailure obeyed", func(t *trial, _ *redistest.Server, c *redis.Client) outage {
		return outage{
			fault: func() {
				t.must(c.ConfigSet(t.ctx, "maxmemory-policy", "noeviction").Err())
				t.must(c.ConfigSet(t.ctx, "maxmemory", "1").Err())
			},
			heal:  func() { t.must(c.ConfigSet(t.ctx, "maxmemory", "0").Err()) },
			total: true, harm: true, cause: []string{"OOM"},
		}
	}),
	onOne("wrong password", redisPromise+", and an error that access is denied; OnStorageFailure obeyed", func(t *trial, s *redistest.Server, c *redis.Client) outage {
		t.must(c.ConfigSet(t.ctx, "requirepass", "old").Err())
		admin := redis.NewClient(&redis.Options{Addr: s.Addr, Password: "old"})
		t.Cleanup(func() { _ = admin.Close() })
		t.must(admin.Ping(t.ctx).Err())
		conn := admin.Conn() // it stays authenticated
		t.Cleanup(func() { _ = conn.Close() })
		return outage{
			url: "redis://:old@" + s.Addr,
			fault: func() {
				t.must(conn.Do(t.ctx, "config", "set", "requirepass", "new").Err())
				t.must(conn.Do(t.ctx, "client", "kill", "type", "normal", "skipme", "yes").Err())
			},
			heal:  func() { t.must(conn.Do(t.ctx, "config", "set", "requirepass", "old").Err()) },
			total: true, harm: true, cause: []string{"WRONGPASS", "NOAUTH"},
		}
	}),
	onOne("a script of somebody else that does not end", redisPromise+"; OnStorageFailure obeyed", func(t *trial, s *redistest.Server, c *redis.Client) outage {
		t.must(c.ConfigSet(t.ctx, "busy-reply-threshold", "1").Err())
		other := redis.NewClient(&redis.Options{Addr: s.Addr, ReadTimeout: -1, MaxRetries: -1})
		t.Cleanup(func() { _ = other.Close() })
		ended := make(chan struct{})
		return outage{
			fault: func() {
				go func() {
					defer close(ended)
					_ = other.Eval(t.ctx, "while true do end", nil).Err()
				}()
			},
			heal:  func() { t.must(c.ScriptKill(t.ctx).Err()); <-ended },
			total: true, harm: true, cause: []string{"BUSY", "deadline", "budget"},
		}
	}),
	onOne("no room for more clients", redisPromise+"; OnStorageFailure obeyed", func(t *trial, s *redistest.Server, c *redis.Client) outage {
		conn := c.Conn() // it is connected already
		t.must(conn.Ping(t.ctx).Err())
		t.Cleanup(func() { _ = conn.Close() })
		return outage{
			fault: func() {
				t.must(conn.Do(t.ctx, "config", "set", "maxclients", "1").Err())
				t.must(conn.Do(t.ctx, "client", "kill", "type", "normal", "skipme", "yes").Err())
			},
			heal:  func() { t.must(conn.Do(t.ctx, "config", "set", "maxclients", "1000").Err()) },
			total: true, harm: true, cause: []string{"max number of clients", "EOF", "reset", "broken pipe"},
		}
	}),
	onOne("became a read-only replica", redisPromise+"; OnStorageFailure obeyed", func(t *trial, _ *redistest.Server, c *redis.Client) outage {
		return outage{
			fault: func() { t.must(c.Do(t.ctx, "replicaof", "127.0.0.1", "1").Err()) },
			heal:  func() { t.must(c.Do(t.ctx, "replicaof", "no", "one").Err()) },
			total: true, harm: true, cause: []string{"READONLY"},
		}
	}),
}
