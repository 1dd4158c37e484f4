package main

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sallyport-go/sallyport/internal/redisslot"
	"github.com/sallyport-go/sallyport/internal/redistest"
)

var clusterScenarios = []scenario{
	{
		name:    "redis/failover by Sentinel",
		promise: redisPromise + " (after the promotion); OnStorageFailure obeyed",
		run:     failover,
	},
	{
		name:    "redis/cluster slot migrating",
		promise: "a slot that moves loses nothing and doubles nothing: no 5xx, exactly the limit passes, p99 <= 100 ms",
		run:     migration,
	},
	{
		name:    "redis/cluster server killed",
		promise: "the limits of its counters alone are open: no 5xx, p99 <= 100 ms",
		run:     lostServer,
	},
}

func failover(t *trial) {
	master := redistest.Start(t)
	host, port, err := net.SplitHostPort(master.Addr)
	t.must(err)
	replica := redistest.Start(t, "--replicaof", host+" "+port)
	sentinel := redistest.Sentinel(t, master)
	r, s := connectRedis(t, replica.Addr), connectRedis(t, sentinel.Addr)
	t.within(10*time.Second, "the replica is known", func() bool {
		return strings.Contains(r.Info(t.ctx, "replication").Val(), "master_link_status:up") &&
			strings.Contains(s.Info(t.ctx, "sentinel").Val(), "slaves=1")
	})
	var killed time.Time
	outage{
		url:   "redis://" + sentinel.Addr + "?master_name=mymaster",
		fault: func() { killed = time.Now(); master.Kill() },
		heal: func() {
			t.within(15*time.Second, "the replica is promoted", func() bool {
				return strings.Contains(r.Info(t.ctx, "replication").Val(), "role:master")
			})
			t.measure("promoted at most %.1f s after the kill", time.Since(killed).Seconds())
		},
		total: true, harm: true, cause: []string{"connection refused", "EOF", "deadline", "budget"},
	}.run(t)
}

// cluster is three masters, each with a third of the slots.
type cluster struct {
	servers [3]*redistest.Server
	clients [3]*redis.Client
}

func startCluster(t *trial) *cluster {
	const each = redisslot.Count / 3
	c := &cluster{}
	var buses [3]string
	for i := range c.servers {
		l, err := (&net.ListenConfig{}).Listen(t.ctx, "tcp", "127.0.0.1:0")
		t.must(err)
		_, buses[i], _ = net.SplitHostPort(l.Addr().String())
		_ = l.Close()
		c.servers[i] = redistest.Start(t, "--cluster-enabled", "yes", "--cluster-port", buses[i], "--cluster-require-full-coverage", "no")
		c.clients[i] = connectRedis(t, c.servers[i].Addr)
		last := each*(i+1) - 1
		if i == len(c.servers)-1 {
			last = redisslot.Count - 1
		}
		t.must(c.clients[i].ClusterAddSlotsRange(t.ctx, each*i, last).Err())
	}
	for i := range c.servers {
		host, port, err := net.SplitHostPort(c.servers[i].Addr)
		t.must(err)
		t.must(c.clients[0].Do(t.ctx, "cluster", "meet", host, port, buses[i]).Err())
	}
	t.within(20*time.Second, "the cluster is there", func() bool {
		for _, client := range c.clients {
			info := client.ClusterInfo(t.ctx).Val()
			if !strings.Contains(info, "cluster_slots_assigned:16384") || !strings.Contains(info, "cluster_state:ok") {
				return false
			}
		}
		return true
	})
	return c
}

func (c *cluster) url() string {
	return fmt.Sprintf("redis://%s?addr=%s&addr=%s", c.servers[0].Addr, c.servers[1].Addr, c.servers[2].Addr)
}

// owner is the number of the server that has a slot.
func (c *cluster) owner(t *trial, slot int) int {
	for i, client := range c.clients {
		for _, line := range strings.Split(client.ClusterNodes(t.ctx).Val(), "\n") {
			if !strings.Contains(line, "myself") {
				continue
			}
			for _, part := range strings.Fields(line)[8:] {
				var from, to int
				if n, _ := fmt.Sscanf(part, "%d-%d", &from, &to); n == 1 {
					to = from
				}
				if !strings.HasPrefix(part, "[") && from <= slot && slot <= to {
					return i
				}
			}
		}
	}
	t.Fatal("nobody has the slot")
	return 0
}

// move moves a slot with all of its keys as redis-cli does.
func (c *cluster) move(t *trial, slot, from, to int) {
	source, err := c.clients[from].Do(t.ctx, "cluster", "myid").Text()
	t.must(err)
	target, err := c.clients[to].Do(t.ctx, "cluster", "myid").Text()
	t.must(err)
	host, port, err := net.SplitHostPort(c.servers[to].Addr)
	t.must(err)
	t.must(c.clients[to].Do(t.ctx, "cluster", "setslot", slot, "importing", source).Err())
	t.must(c.clients[from].Do(t.ctx, "cluster", "setslot", slot, "migrating", target).Err())
	t.sleep(20 * time.Millisecond) // in between
	for {
		keys := c.clients[from].ClusterGetKeysInSlot(t.ctx, slot, 100).Val()
		if len(keys) == 0 {
			break
		}
		for _, key := range keys {
			t.must(c.clients[from].Migrate(t.ctx, host, port, key, 0, 5*time.Second).Err())
		}
	}
	for _, client := range []*redis.Client{c.clients[to], c.clients[from]} {
		t.must(client.Do(t.ctx, "cluster", "setslot", slot, "node", target).Err())
	}
}

func migration(t *trial) {
	const limit = 3000
	c := startCluster(t)
	s := startShop(t, strings.ReplaceAll(redisConfig, "open: {limit: 40,", fmt.Sprintf("open: {limit: %d,", limit)), "-redis", c.url())
	ip := freshIP()
	slot := redisslot.Of("bookstore:{open:ip:" + ip + "}:slidingWindow:3600")
	stalls := t.watchStalls()
	begin := time.Now()
	l := startLoad(t, 64, 50*time.Millisecond, s.client, func() *http.Request { return s.request("GET", "/api/v2/status", ip) })
	moves := 0
	for time.Since(begin) < pick(t, 4*time.Second, 10*time.Second) {
		t.sleep(300 * time.Millisecond)
		from := c.owner(t, slot)
		c.move(t, slot, from, (from+1)%3)
		moves++
	}
	l.stop()
	samples := l.between(begin, time.Now())
	n := statuses(samples)
	unlimited := 0
	for _, x := range samples {
		if x.status == 200 && x.header.Get("RateLimit") == "" {
			unlimited++
		}
	}
	t.check(n[200] == limit && n[200]+n[429] == len(samples), "a limit of %d answered %v, %d without a limit:\n%.2000s", limit, n, unlimited, s.log.String())
	machine := stalls()
	t.check(quantile(samples, 0.99) <= gateBudget+allowance+machine, "p99 is %s", quantile(samples, 0.99))
	t.measure("%d moves, %d requests, of a limit of %d %d passed, %d without it, %d refused; %s", moves, len(samples), limit, n[200], unlimited, n[429], latency(samples))
}

func lostServer(t *trial) {
	c := startCluster(t)
	s := startShop(t, redisConfig, "-redis", c.url())
	var n atomic.Int64
	l := startLoad(t, 64, 200*time.Millisecond, s.client, func() *http.Request {
		return s.request("GET", "/api/v2/status", fmt.Sprintf("172.16.%d.%d", n.Add(1)%4, n.Add(1)%251))
	})
	t.sleep(time.Second)
	stalls := t.watchStalls()
	begin := time.Now()
	c.servers[2].Kill()
	t.sleep(pick(t, 3*time.Second, 10*time.Second))
	end := time.Now()
	l.stop()
	samples := l.between(begin, end)
	unlimited := 0
	for _, x := range samples {
		t.check(x.err == nil && (x.status == 200 || x.status == 429), "answered %d %v", x.status, x.err)
		if x.header.Get("RateLimit") == "" {
			unlimited++
		}
	}
	share := float64(unlimited) / float64(len(samples))
	t.check(share > 0.1 && share < 0.6, "%.0f %% of the requests had no limit", 100*share)
	machine := stalls()
	t.check(quantile(samples, 0.99) <= gateBudget+allowance+machine, "p99 is %s", quantile(samples, 0.99))
	t.measure("%d requests, %.0f %% without a limit (a third of the slots is lost); %s", len(samples), 100*share, latency(samples))
}
