package ratelimit

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"
)

func BenchmarkMemoryHot(b *testing.B) {
	for _, c := range []struct {
		name  string
		limit int64
	}{{"allowed", MaxLimit}, {"refused", 1}} {
		for _, a := range []Algorithm{FixedWindow, SlidingWindow, TokenBucket, foreignAlgorithm{SlidingWindow, "foreign"}} {
			b.Run(c.name+"/"+a.Name(), func(b *testing.B) {
				m := NewMemory(MemoryOptions{})
				t := Take{Limit: c.limit, Cost: 1, Interval: maxInterval, Now: 1_800_000_000_000_000}
				var buf [64]byte
				accepted := 0
				for b.Loop() {
					t.Now++
					d, err := m.Consume(context.Background(), appendAddressKey(buf[:0], 1), a, t)
					if err != nil {
						b.Fatal(err)
					}
					if d.Accepted {
						accepted++
					}
				}
				if (accepted > 1) != (c.limit > 1) && b.N > 1 {
					b.Fatalf("%d of %d accepted", accepted, b.N)
				}
			})
		}
	}
}

func BenchmarkMemoryMillionKeys(b *testing.B) {
	const n = 1_000_000
	m := NewMemory(MemoryOptions{})
	t := Take{Limit: MaxLimit, Cost: 1, Interval: maxInterval, Now: 1_800_000_000_000_000}
	var buf [64]byte
	order := rand.Perm(n)
	for _, i := range order {
		if _, err := m.Consume(context.Background(), appendAddressKey(buf[:0], i), SlidingWindow, t); err != nil {
			b.Fatal(err)
		}
	}
	i := 0
	for b.Loop() {
		t.Now = time.Now().UnixMicro()
		if d, err := m.Consume(context.Background(), appendAddressKey(buf[:0], i), SlidingWindow, t); err != nil || !d.Accepted {
			b.Fatal(d, err)
		}
		if i++; i == n {
			i = 0
		}
	}
	s := m.Stats()
	b.ReportMetric(float64(s.Bytes)/float64(s.Counters), "B/key")
}

func BenchmarkMemoryNewKeys(b *testing.B) {
	m := NewMemory(MemoryOptions{})
	t := Take{Limit: MaxLimit, Cost: 1, Interval: minInterval, Now: 1_800_000_000_000_000}
	var buf [64]byte
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		t.Now += 5
		if d, err := m.Consume(context.Background(), appendAddressKey(buf[:0], i), SlidingWindow, t); err != nil || !d.Accepted {
			b.Fatal(d, err)
		}
		i++
	}
	s := m.Stats()
	b.ReportMetric(float64(s.Counters), "counters")
}
