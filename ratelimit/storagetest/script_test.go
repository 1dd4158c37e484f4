package storagetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// What is written down in the scripts, the model and Step decide alike: a storage
// that is right finds no fault in them. Every script stands here with what it is
// for.
func TestScripts(t *testing.T) {
	names := []string{
		"state/gone after its lifetime, which no refusal and no peek renews",   // RL-250, peer 4, peer 5
		"state/every word comes back, and nothing is saved without a lifetime", // RL-223, RL-252

		"fixed window/counts down and starts again",                      // peer 41, peer 43
		"fixed window/two bursts around an edge",                         // peer 31
		"fixed window/a refusal changes nothing",                         // RL-252
		"fixed window/the limit changes and the use stays",               // peer 40, peer 89
		"fixed window/a clock that is behind counts in the newer window", // peer 17
		"fixed window/a billion in 366 days",                             // peer 26
		"fixed window/one in a second",                                   // peer 2
		"sliding window/the window before fades",                         // peer 34
		"sliding window/no burst around an edge",                         // peer 31
		"sliding window/a state outlives its window by one",              // peer 32
		"sliding window/one at exactly its rate",                         // peer 11
		"sliding window/a wait that reaches into the next window",        // peer 35
		"sliding window/the limit changes and the use stays",             // peer 89
		"sliding window/a clock that is behind counts in the newer window",
		"sliding window/a billion in 366 days",                       // peer 26
		"token bucket/a token at a time",                             // peer 8
		"token bucket/it refills evenly, not by the interval",        // peer 20
		"token bucket/the wait counts what has come already",         // peer 28
		"token bucket/parts of a token are carried",                  // peer 19
		"token bucket/never more than full",                          // peer 23
		"token bucket/a clock that is behind refills nothing",        // peer 17
		"token bucket/lifetimes of a millisecond",                    // peer 2
		"token bucket/the limit changes and the use stays",           // peer 89
		"token bucket/a billion in ten seconds, and a month of rest", // peer 26
		"token bucket/a billion in 366 days",                         // peer 26

		"fixed window/costs of all sizes",     // peer 7
		"fixed window/a peek changes nothing", // peer 92
		"fixed window/more than the limit is refused for ever",
		"sliding window/costs of all sizes",     // peer 7
		"sliding window/a peek changes nothing", // peer 92
		"sliding window/more than the limit is refused for ever",
		"token bucket/costs of all sizes",     // peer 7
		"token bucket/a peek changes nothing", // peer 92
		"token bucket/more than the limit is refused for ever",

		"counters/algorithms count apart", // RL-247
		"counters/intervals count apart",  // peer 13, peer 58
		"counters/the time of one key is not that of another",
		"minimum gap/one request in each gap",             // RL-261, RL-263, RL-264, RL-276
		"minimum gap/a state of an older version is none", // RL-262
	}
	var written []string
	for _, s := range scripts() {
		written = append(written, s.name)
		require.Empty(t, findings(t, func() ratelimit.Storage { return newStore() }, Options{}, s.name))
	}
	require.Equal(t, names, written)
}

// A script is compared with what is written down, and not only with the model.
func TestAScriptIsTakenAtItsWord(t *testing.T) {
	r := &recorder{TB: t}
	r.play(newStore(), Options{}, script{
		algorithm: ratelimit.FixedWindow, limit: 1, interval: sec,
		steps: []step{{cost: 1, want: accepted(1, sec)}},
	}.play)
	require.Equal(t, `request 1: fixedWindow "policy:key", 1 in 1s, cost 1, 0s after 1970-01-01T00:00:00Z
 got: accepted, 0 left, reset after 1s, no retry
want: accepted, 1 left, reset after 1s, no retry
the last requests for this counter:
  request 1: fixedWindow "policy:key", 1 in 1s, cost 1, 0s after 1970-01-01T00:00:00Z: accepted, 0 left, reset after 1s, no retry`, r.failure)
}
