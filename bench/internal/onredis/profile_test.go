package onredis

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkOurs is for profiles: Sallyport, and ulule to be held against it.
func BenchmarkOurs(b *testing.B) {
	server, err := start(b.Context())
	require.NoError(b, err)
	defer server.stop()
	for _, s := range []situation{oneCaller, chainCaller} {
		for _, c := range with(plain, sliding, fixed, bucket, ululeStore, redisRate, bare) {
			b.Run(s.title+"/"+c.title(), func(b *testing.B) {
				running, err := s.work(b.Context(), server, c).Start()
				require.NoError(b, err)
				defer running.Stop()
				do := running.Worker(0)
				b.ReportAllocs()
				b.ResetTimer()
				require.NoError(b, do(b.N))
			})
		}
	}
}
