// Package footprint tells how much memory counters take, what they cost the
// collector, and how the time of a decision grows with their number.
package footprint

import (
	"fmt"

	"github.com/sallyport-go/sallyport/bench/internal/measure"
	"github.com/sallyport-go/sallyport/bench/internal/report"
	"github.com/sallyport-go/sallyport/ratelimit"
)

const text = `*bytes* are those of the heap in use after a collection, less what there was before; each
key of a peer is a string of its own, as a server makes it for a request. *scanned* is
what the collector has to look through (/gc/scan/heap:bytes), *collection* the time of
one, of the process with nothing else in it.

Of a key Sallyport keeps a keyed hash of 96 bits or more, httprate one of 64 bits, the
others all of the text. The tables of Sallyport grow by a tenth, so how much of them is
used depends on the number of keys a little.

*growth* asks all keys one after the other, after the store was filled in another order.
*longest call* is that of a single goroutine while a store is filled and while the
counters of a filled one expire, of all calls; whatever the machine does meanwhile adds
to it, so the round with the shortest one counts.`

var algorithms = []ratelimit.BuiltIn{ratelimit.SlidingWindow, ratelimit.FixedWindow, ratelimit.TokenBucket}

// Run measures Sallyport with all algorithms, and the peers with a million keys.
func Run(p measure.Pace) (report.Section, error) {
	s := report.Section{Title: "Memory and growth", Text: text}
	for _, step := range []func(p measure.Pace, s *report.Section) error{perKey, growth, calls} {
		if err := step(p, &s); err != nil {
			return s, err
		}
	}
	return s, nil
}

// perKey compares bytes and collections. The table grows in steps, so the worst
// of several sizes counts.
func perKey(p measure.Pace, s *report.Section) error {
	t := report.Table{Title: "memory", Columns: []string{"Limiter", "Keys", "Bytes for each", "Scanned for each", "Collection"}}
	add := func(name string, n int, f footprint) {
		t.Add(name, thousands(n), fmt.Sprintf("%.1f", f.bytes/float64(n)), fmt.Sprintf("%.1f", f.scanned/float64(n)), report.Nanos(f.collection))
	}
	worst, worstScan, where := 0.0, 0.0, ""
	sizes := []int{700_000, 1_000_000, 1_400_000}
	if p.Full {
		sizes = append(sizes, 10_000_000)
	}
	for _, n := range sizes {
		for _, a := range algorithms {
			f, err := ofMemory(a, n)
			if err != nil {
				return err
			}
			name := "sallyport, " + a.Name()
			add(name, n, f)
			if each := f.bytes / float64(n); n <= 1_400_000 && each > worst {
				worst, where = each, fmt.Sprintf("%s, %s keys", a.Name(), thousands(n))
			}
			worstScan = max(worstScan, f.scanned/float64(n))
		}
		_, _ = fmt.Fprint(p.Log, ".")
	}
	least, leastName := 0.0, ""
	for _, peer := range fillable(p) {
		f, err := ofPeer(peer, 1_000_000)
		if err != nil {
			return fmt.Errorf("%s: %w", peer.Name, err)
		}
		add(peer.Name, 1_000_000, f)
		if each := f.bytes / 1_000_000; least == 0 || each < least {
			least, leastName = each, peer.Name
		}
		_, _ = fmt.Fprint(p.Log, ".")
	}
	s.Tables = append(s.Tables, t)
	s.Bars = append(s.Bars, report.Bar{
		Work: "memory for a key, " + where, Ours: fmt.Sprintf("%.1f B", worst), Peer: fmt.Sprintf("%.1f B", least), Name: leastName,
		Ratio: worst, Bar: 64, Most: true,
	}, report.AtMost("collector: bytes to scan for each key", fmt.Sprintf("%.2f B", worstScan), "none", worstScan, 1))
	return nil
}

func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return thousands(n/1000) + fmt.Sprintf(",%03d", n%1000)
}
