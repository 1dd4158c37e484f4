package redisstorage_test

import (
	"log/slog"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/redistest"
	"github.com/sallyport-go/sallyport/ratelimit"
	"github.com/sallyport-go/sallyport/ratelimit/redisstorage"
)

// When Sentinel replaces the server, requests are answered as the policy's mode
// says until the new one is there. What the new one had not heard of is admitted
// again: the limit holds for each life of the data.
func TestSentinelFailover(t *testing.T) { // RL-010, RL-102
	const limit = 3000
	master := redistest.Start(t)
	host, port, err := net.SplitHostPort(master.Addr)
	require.NoError(t, err)
	replica := redistest.Start(t, "--replicaof", host+" "+port)
	sentinel := redistest.Sentinel(t, master)
	waitUntil(t, func() bool {
		return strings.Contains(connect(t, replica.Addr).Info(t.Context(), "replication").Val(), "master_link_status:up") &&
			strings.Contains(connect(t, sentinel.Addr).Info(t.Context(), "sentinel").Val(), "slaves=1")
	})
	s, err := redisstorage.Open("redis://"+sentinel.Addr+"?master_name=mymaster", redisstorage.Options{Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	load := startLoad(t, s, limit)
	load.waitFor(limit / 2)
	master.Kill()
	before := load.admitted.Load()
	promoted := connect(t, replica.Addr)
	waitUntil(t, func() bool {
		d, err := s.Consume(t.Context(), []byte("p:k"), ratelimit.SlidingWindow, take(limit, 0))
		return err == nil && d.Remaining == 0 && strings.Contains(promoted.Info(t.Context(), "replication").Val(), "role:master")
	})
	total := load.end()
	t.Logf("admitted %d before the failover and %d in all, %d more than the limit; %d requests found no Redis",
		before, total, total-limit, load.failed.Load())
	require.GreaterOrEqual(t, total, int64(limit-callers)) // a lost reply may have counted
	require.LessOrEqual(t, total, int64(2*limit))
	require.Positive(t, promoted.PTTL(t.Context(), "ratelimit:{p:k}:slidingWindow:60").Val()) // RL-260
}
