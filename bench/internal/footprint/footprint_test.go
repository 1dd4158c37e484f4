package footprint

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/bench/internal/decision"
	"github.com/sallyport-go/sallyport/bench/internal/measure"
	"github.com/sallyport-go/sallyport/ratelimit"
)

func TestFilling(t *testing.T) {
	for _, a := range algorithms {
		f, err := ofMemory(a, 20_000)
		require.NoError(t, err)
		require.Greater(t, f.bytes, 20_000*25.0)
		require.Positive(t, f.collection)
	}
	for _, peer := range decision.Peers() {
		f, err := ofPeer(peer, 20_000)
		require.NoError(t, err, peer.Name)
		require.Greater(t, f.bytes, 20_000*25.0, peer.Name)
	}
	require.Len(t, fillable(measure.Pace{Full: true}), len(decision.Peers()))
	require.Len(t, fillable(measure.Pace{}), 2)
}

func TestWalkGoesThroughAllKeys(t *testing.T) {
	all := listOf(100)
	for _, clock := range []bool{true, false} {
		m := &ratelimit.Memory{}
		require.NoError(t, walk(m, all, 100, clock)(250))
		require.Equal(t, 100, m.Stats().Counters)
	}
	require.Equal(t, string(key(nil, 7)), string(all.key(7)))
}

func TestLongestCall(t *testing.T) {
	m := &ratelimit.Memory{}
	longest, err := longestCall(m, 0, 1000, take)
	require.NoError(t, err)
	require.Greater(t, longest, 0.0)
	require.Less(t, longest, float64(time.Minute))
	require.Equal(t, 1000, m.Stats().Counters)
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{7: "7", 1000: "1,000", 10_000_000: "10,000,000", 1_400_005: "1,400,005"} {
		require.Equal(t, want, thousands(n))
	}
}
