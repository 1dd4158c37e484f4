package ratelimit_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// Whatever way a policy takes, its counters in memory are those of the text that
// the other storages are asked for.
func TestTheCountersInMemoryAreThoseOfTheText(t *testing.T) {
	const mostOfEndpoint, mostOfIdentity = 200 - len("endpoint:"), 200 - len("identity:")
	at := func(endpoint string) *ratelimit.Context { return &ratelimit.Context{Endpoint: endpoint} }
	address := textKey("ip:192.0.2.1", true, nil)
	for _, tc := range []struct {
		name string
		key  ratelimit.Key
		rc   *ratelimit.Context
		want string
	}{
		{"IPv4", ratelimit.IP, from("192.0.2.1"), "ip:192.0.2.1"},
		{"IPv4, mapped", ratelimit.IP, from("::ffff:192.0.2.1"), "ip:192.0.2.1"},
		{"IPv6", ratelimit.IP, from("2001:db8::1"), "ip:2001:db8::/64"},
		{"no address", ratelimit.IP, from("unix"), "ip:unix"},
		{"nearly an address", ratelimit.IP, from("192.0.2.01"), "ip:192.0.2.01"},
		{"the same text by a key of one's own", address, from("192.0.2.9"), "ip:192.0.2.1"},
		{"an endpoint", ratelimit.Endpoint, at("GET v1/users"), "endpoint:GET v1/users"},
		{"an endpoint with colons", ratelimit.Endpoint, at("ip:192.0.2.1"), "endpoint:ip:192.0.2.1"},
		{"no endpoint", ratelimit.Endpoint, at(""), "endpoint:"},
		{"a long endpoint", ratelimit.Endpoint, at(strings.Repeat("e", mostOfEndpoint)), "endpoint:" + strings.Repeat("e", mostOfEndpoint)},
		{"a longer endpoint", ratelimit.Endpoint, at(strings.Repeat("e", mostOfEndpoint+1)), sha("endpoint:" + strings.Repeat("e", mostOfEndpoint+1))},
		{"an identity", ratelimit.Identity, by("bearer:1"), "identity:bearer:1"},
		{"a long identity", ratelimit.Identity, by(strings.Repeat("i", mostOfIdentity)), "identity:" + strings.Repeat("i", mostOfIdentity)},
		{"a longer identity", ratelimit.Identity, by(strings.Repeat("i", mostOfIdentity+1)), sha("identity:" + strings.Repeat("i", mostOfIdentity+1))},
		{"a list", ratelimit.Keys(ratelimit.IP, ratelimit.Endpoint), from("192.0.2.1"), "ip:192.0.2.1|endpoint:GET v1/users"},
	} {
		for _, algorithm := range []ratelimit.BuiltIn{ratelimit.SlidingWindow, ratelimit.FixedWindow, ratelimit.TokenBucket} {
			t.Run(tc.name+"/"+algorithm.Name(), func(t *testing.T) {
				memory, asked := ratelimit.NewMemory(ratelimit.MemoryOptions{}), &fakeStorage{}
				policy := ratelimit.Policy{Name: "p", Algorithm: algorithm, Limit: 5, Interval: time.Minute, Key: tc.key}
				for _, s := range []ratelimit.Storage{memory, memory, memory, asked} {
					policy.Storage = s
					require.True(t, consume(t, newLimiter(t, policy, ratelimit.Options{Clock: newHeldClock()}), tc.rc)[0].Accepted)
				}
				require.Equal(t, []string{"p:" + tc.want}, asked.keys)

				peek := ratelimit.Take{Limit: 5, Interval: time.Minute.Microseconds(), Now: noon.UnixMicro()}
				d, err := memory.Consume(t.Context(), []byte("p:"+tc.want), algorithm, peek)
				require.NoError(t, err)
				require.EqualValues(t, 2, d.Remaining)
				require.Equal(t, 1, memory.Stats().Counters)
			})
		}
	}
}

func TestAnIdentityThatIsMissingTakesNoShortcut(t *testing.T) {
	l := newLimiter(t, ratelimit.Policy{Name: "p", Limit: 5, Interval: time.Minute, Key: ratelimit.Identity}, ratelimit.Options{})
	require.Empty(t, consume(t, l, by("")))
}

// Those of a key of one's own share it as well.
func TestNewKeysOfAFullMemoryShareACounter(t *testing.T) {
	memory := ratelimit.NewMemory(ratelimit.MemoryOptions{MaxCounters: 1})
	o := ratelimit.Options{Storage: memory, Clock: newHeldClock()}
	policy := ratelimit.Policy{Name: "p", Limit: 2, Interval: time.Minute}
	first := newLimiter(t, policy, o)
	for _, accepted := range []bool{true, true, false} {
		require.Equal(t, accepted, consume(t, first, from("192.0.2.1"))[0].Accepted)
	}
	policy.Key = textKey("mine", true, nil)
	require.EqualValues(t, 1, consume(t, first, from("192.0.2.2"))[0].Remaining)
	require.Zero(t, consume(t, newLimiter(t, policy, o), from("192.0.2.3"))[0].Remaining)
	require.False(t, consume(t, first, from("192.0.2.4"))[0].Accepted)
	require.Equal(t, 1, memory.Stats().Shared)
	policy.Name = "other"
	require.True(t, consume(t, newLimiter(t, policy, o), from("192.0.2.4"))[0].Accepted)
	require.Equal(t, 2, memory.Stats().Shared)
}

// A result is written where one stood before.
func TestAResultHasNothingOfTheOneBefore(t *testing.T) {
	l := newLimiter(t, ratelimit.Policy{Name: "p", Limit: 5, Interval: time.Minute}, ratelimit.Options{Clock: newHeldClock()})
	room := []ratelimit.Result{{Policy: "x", Limit: 9, Window: 9, Remaining: 9, ResetAfter: 9, RetryAfter: 9, Response: ownResponse{}}}
	results, err := l.Consume(t.Context(), from("192.0.2.1"), 1, room[:0])
	require.NoError(t, err)
	require.Equal(t, []ratelimit.Result{{Policy: "p", Limit: 5, Window: time.Minute, Accepted: true, Remaining: 4, ResetAfter: time.Minute}}, results)
}
