package stack

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkOurs is for profiles: nothing but Sallyport.
func BenchmarkOurs(b *testing.B) {
	for _, s := range []situation{accepted, refused, validate} {
		for _, stack := range s.stacks {
			if !strings.HasPrefix(stack.Name, Ours) {
				continue
			}
			b.Run(s.title+"/"+stack.Name, func(b *testing.B) {
				running, err := s.work(stack, 1).Start()
				require.NoError(b, err)
				do := running.Worker(0)
				b.ReportAllocs()
				b.ResetTimer()
				require.NoError(b, do(b.N))
			})
		}
	}
}
