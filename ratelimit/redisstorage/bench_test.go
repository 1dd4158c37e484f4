package redisstorage_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
	"github.com/sallyport-go/sallyport/ratelimit/redisstorage"
)

// BenchmarkGate is one gate of 64 callers and 10,000 clients: with a plain client,
// and with an auto-pipeliner that sends what has come together in one batch.
func BenchmarkGate(b *testing.B) {
	client := connect(b, sharedAddr)
	pipeliner, err := client.AsyncAutoPipelineWithOptions(&redis.AutoPipelineOptions{Unordered: true, MaxConcurrentBatches: 4, MaxBatchSize: 16})
	require.NoError(b, err)
	for _, c := range []struct {
		name   string
		client redis.UniversalClient
	}{{"client", client}, {"pipeliner", pipeliner}} {
		for _, limits := range []int{1, 3} {
			b.Run(fmt.Sprintf("%s/limits=%d", c.name, limits), func(b *testing.B) {
				s := redisstorage.New(c.client, redisstorage.Options{Prefix: freshPrefix(), OneNode: true, Timeout: time.Minute})
				algorithms := []ratelimit.Algorithm{ratelimit.SlidingWindow, ratelimit.TokenBucket, ratelimit.FixedWindow}[:limits]
				var n atomic.Int64
				b.ReportAllocs()
				b.SetParallelism(32) // callers on each of the processors
				b.RunParallel(func(pb *testing.PB) {
					items := make([]ratelimit.Item, limits)
					for pb.Next() {
						key := fmt.Appendf(nil, "perIp:10.0.%d", n.Add(1)%10_000)
						for i, a := range algorithms {
							items[i] = ratelimit.Item{Key: key, Algorithm: a, Take: take(1_000_000, 1)}
						}
						if _, err := s.ConsumeAll(context.Background(), items, nil); err != nil {
							b.Fatal(err)
						}
					}
				})
			})
		}
	}
}
