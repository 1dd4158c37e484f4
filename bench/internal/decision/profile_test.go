package decision

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/bench/internal/keys"
)

// BenchmarkOurs is for profiles: nothing but Sallyport.
func BenchmarkOurs(b *testing.B) {
	for _, l := range own {
		for _, s := range []situation{allowed, refused, distinct} {
			b.Run(l.name+"/"+s.title, func(b *testing.B) {
				running, err := s.work(l, keys.List(s.keys), 1).Start()
				require.NoError(b, err)
				do := running.Worker(0)
				b.ReportAllocs()
				b.ResetTimer()
				require.NoError(b, do(b.N))
			})
		}
	}
}
