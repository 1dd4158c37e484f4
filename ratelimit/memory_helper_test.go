package ratelimit

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// foreignAlgorithm is a built-in algorithm under another name, so that a
// storage does not know it as one of its own.
type foreignAlgorithm struct {
	BuiltIn
	name string
}

func (f foreignAlgorithm) Name() string { return f.name }

// stepFunc is an algorithm of its own for one test.
type stepFunc func(State, Take) Outcome

func (stepFunc) Name() string                   { return "stepFunc" }
func (f stepFunc) Step(s State, t Take) Outcome { return f(s, t) }

// tally counts what it has accepted and keeps that for a time.
func tally(ttl int64) stepFunc {
	return func(s State, t Take) Outcome {
		s[0] += t.Cost
		o := Outcome{Decision: Decision{Accepted: true, Remaining: max(0, t.Limit-s[0]), RetryAfter: NoRetryMicros}}
		if t.Cost > 0 {
			o.State, o.TTL = s, ttl
		}
		return o
	}
}

// memoryAlgorithms are all ways that a decision can take.
var memoryAlgorithms = []Algorithm{FixedWindow, SlidingWindow, TokenBucket, foreignAlgorithm{SlidingWindow, "foreign"}}

const (
	// memoryStart begins a tick and a window of every interval used here.
	memoryStart = int64(tickSize) * 1_000_000 * 3600
	second      = int64(1_000_000)
)

// onePart is a Memory without a cap whose counters are all in one table.
func onePart() *Memory {
	m, g := new(Memory), newShards(1)
	g.all[0].max = 0
	m.shards.Store(g)
	return m
}

func consume(t *testing.T, m *Memory, key string, a Algorithm, take Take) Decision {
	t.Helper()
	d, err := m.Consume(context.Background(), []byte(key), a, take)
	require.NoError(t, err)
	return d
}

// use consumes n times and tells how many were accepted.
func use(t *testing.T, m *Memory, n int, key string, a Algorithm, take Take) (accepted int) {
	t.Helper()
	for range n {
		if consume(t, m, key, a, take).Accepted {
			accepted++
		}
	}
	return accepted
}

// appendAddressKey writes the key of client i, below 2^24, of a limit by address.
func appendAddressKey(dst []byte, i int) []byte {
	address := uint32(i) * 0x9E3779B1 & 0xFFFFFF // the factor is odd: no two are the same
	dst = append(dst, "perIp:10."...)
	dst = append(strconv.AppendUint(dst, uint64(address>>16), 10), '.')
	dst = append(strconv.AppendUint(dst, uint64(address>>8&0xFF), 10), '.')
	return strconv.AppendUint(dst, uint64(address&0xFF), 10)
}
