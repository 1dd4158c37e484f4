package storagetest

import (
	"fmt"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// manyCounters charges so many counters that a storage with too little room for
// them has to drop some, and then looks at each.
func manyCounters(p *play) {
	p.t.Helper()
	p.startAt(p.starts[0], day.Microseconds())
	counters := func(cost func(i int) int64) {
		p.t.Helper()
		for i := range p.options.Counters {
			p.ask(request{fmt.Sprintf("policy:%d", i), ratelimit.FixedWindow, p.slowly(cost(i))})
		}
	}
	counters(func(i int) int64 { return 1 + int64(i)%7 })
	counters(func(int) int64 { return 0 })
}
