package footprint

import (
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/sallyport-go/sallyport/bench/internal/decision"
	"github.com/sallyport-go/sallyport/bench/internal/keys"
	"github.com/sallyport-go/sallyport/bench/internal/measure"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// footprint is what a filled store takes.
type footprint struct {
	bytes      float64 // of the heap
	scanned    float64 // bytes that the collector looks through
	collection float64 // nanoseconds, the median
}

// take is one request of a million in a day, at noon.
var take = ratelimit.Take{Limit: ratelimit.MaxLimit, Cost: 1, Interval: 86_400_000_000, Now: 1_800_014_400_000_000}

// key is what the limit of a policy counts by.
func key(room []byte, i int) []byte { return keys.Append(append(room[:0], "perIp:"...), i) }

func ofMemory(a ratelimit.Algorithm, n int) (footprint, error) {
	before := settle()
	m := &ratelimit.Memory{}
	if err := fill(m, a, n); err != nil {
		return footprint{}, err
	}
	f := since(before)
	if s := m.Stats(); s.Counters != n {
		return f, fmt.Errorf("%d counters of %d keys", s.Counters, n)
	}
	return f, nil
}

func fill(m *ratelimit.Memory, a ratelimit.Algorithm, n int) error {
	ctx, room := context.Background(), make([]byte, 0, 32)
	for i := range n {
		if d, err := m.Consume(ctx, key(room, i), a, take); err != nil || !d.Accepted {
			return fmt.Errorf("a key was refused at once: %w", err)
		}
	}
	return nil
}

// fillable are the peers to fill: the small ones when it has to be quick.
func fillable(p measure.Pace) (list []decision.Peer) {
	for _, peer := range decision.Peers() {
		if p.Full || peer.Name == "throttled" || peer.Name == "httprate" {
			list = append(list, peer)
		}
	}
	return list
}

func ofPeer(peer decision.Peer, n int) (footprint, error) {
	before := settle()
	ask, stop, err := peer.Open()
	if err != nil {
		return footprint{}, err
	}
	defer stop()
	for i := range n {
		if ok, err := ask(keys.String(i)); err != nil || !ok {
			return footprint{}, fmt.Errorf("a key was refused at once: %w", err)
		}
	}
	f := since(before)
	_, err = ask(keys.String(0)) // it was there until now
	return f, err
}

// settle is what is left when everything that can be has been collected.
func settle() footprint {
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	scan := []metrics.Sample{{Name: "/gc/scan/heap:bytes"}}
	metrics.Read(scan)
	return footprint{bytes: float64(m.HeapAlloc), scanned: float64(scan[0].Value.Uint64())}
}

func since(before footprint) footprint {
	after := settle()
	var took []float64
	for range 5 {
		start := time.Now()
		runtime.GC()
		took = append(took, float64(time.Since(start)))
	}
	return footprint{
		bytes:      max(0, after.bytes-before.bytes),
		scanned:    max(0, after.scanned-before.scanned),
		collection: measure.Median(took),
	}
}
