package redisstorage_test

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/redisslot"
	"github.com/sallyport-go/sallyport/internal/redistest"
	"github.com/sallyport-go/sallyport/ratelimit"
	"github.com/sallyport-go/sallyport/ratelimit/redisstorage"
	"github.com/sallyport-go/sallyport/ratelimit/storagetest"
)

// startCluster starts three masters, each with a third of the slots.
func startCluster(t *testing.T) (servers [3]*redistest.Server) {
	t.Helper()
	const each = redisslot.Count / 3
	var clients [3]*redis.Client
	var buses [3]string
	for i := range servers {
		buses[i] = freePort(t)
		servers[i] = redistest.Start(t, "--cluster-enabled", "yes", "--cluster-port", buses[i], "--cluster-require-full-coverage", "no")
		clients[i] = connect(t, servers[i].Addr)
		last := each*(i+1) - 1
		if i == len(servers)-1 {
			last = redisslot.Count - 1
		}
		require.NoError(t, clients[i].ClusterAddSlotsRange(t.Context(), each*i, last).Err())
	}
	for i := range servers {
		host, port, err := net.SplitHostPort(servers[i].Addr)
		require.NoError(t, err)
		require.NoError(t, clients[0].Do(t.Context(), "cluster", "meet", host, port, buses[i]).Err())
	}
	waitUntil(t, func() bool {
		for _, c := range clients {
			if !strings.Contains(c.ClusterInfo(t.Context()).Val(), "cluster_slots_assigned:16384") {
				return false
			}
			if !strings.Contains(c.ClusterInfo(t.Context()).Val(), "cluster_state:ok") {
				return false
			}
		}
		return true
	})
	return servers
}

func freePort(t *testing.T) string {
	t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	return port
}

func clusterClient(t testing.TB, servers [3]*redistest.Server) *redis.ClusterClient {
	c := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{servers[0].Addr, servers[1].Addr, servers[2].Addr}, ContextTimeoutEnabled: true})
	t.Cleanup(func() { c.Close() })
	return c
}

func TestCluster(t *testing.T) {
	servers := startCluster(t)
	client := clusterClient(t, servers)

	t.Run("storage", func(t *testing.T) { // RL-010, RL-102, RL-274
		storagetest.Run(t, func(testing.TB) ratelimit.Storage {
			return redisstorage.New(client, redisstorage.Options{Prefix: freshPrefix(), Timeout: 5 * time.Second})
		}, storagetest.Options{OwnClock: true, ScriptsOnly: true, Steps: 200, Counters: 2000})
	})

	// A gate's counters are on different servers: each is asked for its own, and all
	// that belongs to a counter is in one slot, whatever the client has put in its key.
	t.Run("slots", func(t *testing.T) { // RL-161, peer 65
		prefix := freshPrefix()
		s := redisstorage.New(client, redisstorage.Options{Prefix: prefix, Timeout: 5 * time.Second})
		used := map[int]bool{}
		for i := range 30 {
			key := fmt.Sprintf("perIp:%d}{%d", i, i)
			items := []ratelimit.Item{item(key, ratelimit.SlidingWindow, take(5, 1)), item(key, ratelimit.TokenBucket, take(5, 1)),
				item(key, scripted1("mine", "redis.call('SET', KEYS[1], 1, 'PX', 60000) return {1, 0, 0, -1}"), take(5, 1))}
			got, err := s.ConsumeAll(t.Context(), items, nil)
			require.NoError(t, err)
			require.Len(t, got, 3)
			slot := redisslot.Of(keyOf(prefix, items[0]))
			for _, name := range []string{keyOf(prefix, items[0]), keyOf(prefix, items[1]), keyOf(prefix, items[2])} {
				require.Equal(t, int64(1), client.Exists(t.Context(), name).Val())
				require.Equal(t, int64(slot), client.ClusterKeySlot(t.Context(), name).Val())
			}
			used[slot*3/redisslot.Count] = true
		}
		require.Len(t, used, 3)
	})

	// Keys of several slots in one call are a mistake of whoever said that there is
	// one node.
	t.Run("not one node", func(t *testing.T) { // peer 65
		s := redisstorage.New(connect(t, servers[0].Addr), redisstorage.Options{Timeout: 5 * time.Second})
		_, err := s.ConsumeAll(t.Context(), []ratelimit.Item{item("p:a", ratelimit.FixedWindow, take(5, 1)), item("p:b", ratelimit.FixedWindow, take(5, 1))}, nil)
		require.ErrorIs(t, err, ratelimit.ErrBug)
		require.ErrorContains(t, err, "CROSSSLOT")
	})

	// A user who may run the scripts and find the servers needs no other right.
	t.Run("access", func(t *testing.T) {
		for _, server := range servers {
			grant(t, server.Addr, "+cluster|slots", "+cluster|shards", "+readonly", "+command", "+asking")
		}
		s, err := redisstorage.Open("redis://limits:secret@"+servers[0].Addr+"?addr="+servers[1].Addr, redisstorage.Options{Prefix: "myapp:", Timeout: 5 * time.Second})
		require.NoError(t, err)
		defer s.Close()
		for i := range 10 {
			d, err := s.Consume(t.Context(), fmt.Appendf(nil, "p:%d", i), ratelimit.SlidingWindow, take(5, 1))
			require.NoError(t, err)
			require.Equal(t, int64(4), d.Remaining)
		}
	})

	// A slot that moves to another server while it is asked loses and doubles nothing,
	// for a user without other rights, too.
	t.Run("moving slot", func(t *testing.T) {
		const limit = 2000
		const prefix = "myapp:moving:"
		key := keyOf(prefix, item("p:k", ratelimit.SlidingWindow, take(limit, 1)))
		slot := redisslot.Of(key)
		from, to := owner(t, client, servers, key)
		s, err := redisstorage.Open("redis://limits:secret@"+servers[0].Addr+"?addr="+servers[1].Addr, redisstorage.Options{Prefix: prefix, Timeout: 5 * time.Second})
		require.NoError(t, err)
		t.Cleanup(func() { s.Close() })
		load := startLoad(t, s, limit)
		load.waitFor(limit / 4)
		moveSlot(t, from, to, slot, key)
		load.waitFor(limit)
		require.Equal(t, int64(limit), load.end())
		require.Zero(t, load.failed.Load())
		require.Equal(t, int64(1), to.Exists(t.Context(), key).Val())
		require.Positive(t, to.PTTL(t.Context(), key).Val()) // RL-260
	})

	// A server that is down takes its counters with it, and no others.
	t.Run("one down", func(t *testing.T) {
		s := redisstorage.New(clusterClient(t, servers), redisstorage.Options{Prefix: freshPrefix(), Timeout: time.Second})
		ask := func(i int) error {
			_, err := s.Consume(t.Context(), fmt.Appendf(nil, "p:%d", i), ratelimit.FixedWindow, take(5, 0))
			return err
		}
		for i := range 30 {
			require.NoError(t, ask(i))
		}
		servers[2].Kill()
		lost := 0
		for i := range 30 {
			if err := ask(i); err != nil {
				require.ErrorIs(t, err, ratelimit.ErrUnavailable)
				lost++
			}
		}
		require.Positive(t, lost)
		require.Less(t, lost, 30)
	})
}

// nodeOf is the cluster's name of a server.
func nodeOf(t *testing.T, c *redis.Client) string {
	t.Helper()
	id, err := c.Do(t.Context(), "cluster", "myid").Text()
	require.NoError(t, err)
	return id
}

// owner is the server that has a key, other is one that has not.
func owner(t *testing.T, c *redis.ClusterClient, servers [3]*redistest.Server, key string) (owner, other *redis.Client) {
	t.Helper()
	master, err := c.MasterForKey(t.Context(), key)
	require.NoError(t, err)
	for _, s := range servers {
		if client := connect(t, s.Addr); s.Addr == master.Options().Addr {
			owner = client
		} else {
			other = client
		}
	}
	require.NotNil(t, owner)
	return owner, other
}

// moveSlot moves a slot with this key as redis-cli does.
func moveSlot(t *testing.T, from, to *redis.Client, slot int, key string) {
	t.Helper()
	source, target := nodeOf(t, from), nodeOf(t, to)
	host, port, err := net.SplitHostPort(to.Options().Addr)
	require.NoError(t, err)
	require.NoError(t, to.Do(t.Context(), "cluster", "setslot", slot, "importing", source).Err())
	require.NoError(t, from.Do(t.Context(), "cluster", "setslot", slot, "migrating", target).Err())
	require.NoError(t, from.Migrate(t.Context(), host, port, key, 0, 5*time.Second).Err())
	for _, c := range []*redis.Client{to, from} {
		require.NoError(t, c.Do(t.Context(), "cluster", "setslot", slot, "node", target).Err())
	}
}

// A Ring spreads counters over servers that know nothing of each other. All
// programs find each counter in the same place.
func TestRing(t *testing.T) { // RL-102
	addrs := map[string]string{"one": redistest.Start(t).Addr, "two": redistest.Start(t).Addr}
	open := func() *redisstorage.Storage {
		ring := redis.NewRing(&redis.RingOptions{Addrs: addrs, ContextTimeoutEnabled: true})
		t.Cleanup(func() { ring.Close() })
		return redisstorage.New(ring, redisstorage.Options{Timeout: 5 * time.Second})
	}
	storages := []*redisstorage.Storage{open(), open()}
	for user := range 20 {
		for n := range 4 {
			// the limit of the user and one of all, first in turn
			items := []ratelimit.Item{item(fmt.Sprint("user:", user), ratelimit.FixedWindow, take(10, 1)), item("all:all", ratelimit.TokenBucket, take(1000, 1))}
			if n%2 == 1 {
				items[0], items[1] = items[1], items[0]
			}
			got, err := storages[n%2].ConsumeAll(t.Context(), items, nil)
			require.NoError(t, err)
			left := map[string]int64{string(items[0].Key): got[0].Remaining, string(items[1].Key): got[1].Remaining}
			require.Equal(t, map[string]int64{fmt.Sprint("user:", user): int64(9 - n), "all:all": int64(999 - 4*user - n)}, left)
		}
	}
	for _, addr := range addrs {
		require.Positive(t, connect(t, addr).DBSize(t.Context()).Val())
	}
}
