package storagetest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// crowd is goroutines that ask at the same time.
type crowd struct {
	size int
	each int // requests of each of them
}

var (
	busyCrowd = crowd{64, 32}

	// largeCrowd is one in which everybody waits for somebody else.
	largeCrowd = crowd{500, 1}
)

func crowdScenarios(o Options) (all []scenario) {
	list := append(o.algorithms(), yielding{ratelimit.SlidingWindow}, yielding{ratelimit.TokenBucket})
	for _, a := range list {
		needs := atomic
		if _, own := a.(yielding); own {
			needs |= anyStep
		}
		all = append(all,
			scenario{named("crowd/one key", a), needs, func(p *play) { oneKey(p, a, 1) }},
			scenario{named("crowd/one key, a cost of 3", a), needs, func(p *play) { oneKey(p, a, 3) }})
	}
	for _, a := range builtIns() {
		all = append(all, scenario{named("crowd/clocks that differ", a), atomic, func(p *play) { clocksThatDiffer(p, a) }})
	}
	for _, a := range builtIns() {
		all = append(all, scenario{named("crowd/500 at a time", a), atomic, func(p *play) { p.large(a) }})
	}
	return append(all,
		scenario{"crowd/500 at a time behind a slow one", atomic | anyStep, slowStep},
		scenario{"crowd/many keys and algorithms", atomic, manyKeys})
}

// large is a crowd of which a part is refused.
func (p *play) large(a ratelimit.Algorithm) {
	p.t.Helper()
	p.startAt(p.starts[0], day.Microseconds())
	r := request{"policy:key", a, p.busy(1)}
	r.take.Limit = 300
	p.sameAsInTurn(p.rush(largeCrowd, func(int) request { return r }))
}

// slowStep has all of a large crowd inside of the storage at once: its algorithm
// decides nothing before everybody has asked.
func slowStep(p *play) {
	p.t.Helper()
	var asking sync.WaitGroup
	asking.Add(largeCrowd.size)
	p.large(gathering{ratelimit.FixedWindow, &asking})
}

// busy is a take of a limit that a crowd exceeds.
func (p *play) busy(cost int64) ratelimit.Take {
	return ratelimit.Take{Limit: 500, Interval: day.Microseconds(), Cost: cost, Now: p.start + minute.Microseconds()}
}

func oneKey(p *play, a ratelimit.Algorithm, cost int64) {
	p.t.Helper()
	p.startAt(p.starts[0], day.Microseconds())
	r := request{"policy:key", a, p.busy(cost)}
	p.sameAsInTurn(p.rush(busyCrowd, func(int) request { return r }))
}

// manyKeys mixes four keys and three algorithms, with a limit for each of which
// there are too many requests.
func manyKeys(p *play) {
	p.t.Helper()
	p.startAt(p.starts[0], day.Microseconds())
	list := builtIns()
	p.sameAsInTurn(p.rush(busyCrowd, func(i int) request {
		take := p.busy(1)
		take.Limit = 100
		return request{fmt.Sprintf("policy:%d", i%4), list[i/4%len(list)], take}
	}))
}

// clocksThatDiffer by up to a minute bring back less than a token of a day's
// limit, so exactly the limit is admitted.
func clocksThatDiffer(p *play, a ratelimit.Algorithm) {
	p.t.Helper()
	p.startAt(p.starts[0], day.Microseconds())
	first, got := request{"policy:key", a, p.busy(1)}, 0
	for _, t := range p.rush(busyCrowd, func(i int) request {
		r := first
		r.take.Now += int64(i*7919) % minute.Microseconds()
		return r
	}) {
		got += admitted(t.decisions)
	}
	if int64(got) != first.take.Limit {
		p.t.Fatalf("%s: %d of %d requests at the same time were accepted, not %d", p.line(first), got, busyCrowd.size*busyCrowd.each, first.take.Limit)
	}
}

// tally is what was answered to equal requests.
type tally struct {
	request
	decisions []ratelimit.Decision
}

// rush sends the requests of a crowd, through all handles on the storage, and
// gathers the answers to equal ones.
func (p *play) rush(c crowd, pick func(i int) request) []*tally {
	p.t.Helper()
	type same struct { // an algorithm may be of a type that cannot be compared
		counter
		ratelimit.Take
	}
	var (
		requests = make([][]request, c.size)
		start    = make(chan struct{})
		group    sync.WaitGroup
		mu       sync.Mutex
		tallies  = map[same]*tally{}
		failed   error
	)
	for i := range c.size * c.each {
		r := pick(i)
		requests[i/c.each] = append(requests[i/c.each], r)
		tallies[same{r.counter(), r.take}] = &tally{request: r}
		p.prepare(r.algorithm)
	}
	handles := p.handles()
	for i, list := range requests {
		storage := handles[i%len(handles)]
		group.Go(func() {
			var key []byte
			<-start
			for _, r := range list {
				key = append(key[:0], r.key...)
				if g, ok := r.algorithm.(gathering); ok {
					g.asking.Done()
				}
				d, err := storage.Consume(p.t.Context(), key, r.algorithm, r.take)
				mu.Lock()
				if err != nil {
					failed = fmt.Errorf("%s, at the same time as others: %w; contention is no reason for an error", p.line(r), err)
				}
				t := tallies[same{r.counter(), r.take}]
				t.decisions = append(t.decisions, d)
				mu.Unlock()
			}
		})
	}
	close(start)
	group.Wait()
	if failed != nil {
		p.t.Fatal(failed)
	}
	return slices.Collect(maps.Values(tallies))
}

// sameAsInTurn compares the decisions with those of as many requests one after
// the other. The requests of a counter are equal, so only the order may differ.
func (p *play) sameAsInTurn(tallies []*tally) {
	p.t.Helper()
	for _, t := range tallies {
		got, want := t.decisions, inTurn(t.request, len(t.decisions))
		if admitted(got) != admitted(want) {
			p.t.Fatalf("%s: %d of %d requests at the same time were accepted, not %d", p.line(t.request), admitted(got), len(got), admitted(want))
		}
		slices.SortFunc(got, compare)
		slices.SortFunc(want, compare)
		for i := range got {
			if got[i] != want[i] {
				p.t.Fatalf("%s: %d requests at the same time were answered as in no order; in the order of what is left, the first difference\n got: %s\nwant: %s",
					p.line(t.request), len(got), describe(got[i]), describe(want[i]))
			}
		}
	}
}

// inTurn decides a request over and over. A refusal changes nothing, so the
// first one is the rest.
func inTurn(r request, times int) (all []ratelimit.Decision) {
	m, state := modelOf(r.algorithm), record(nil)
	for len(all) < times {
		o := m.decide(state, r.take)
		all = append(all, o.Decision)
		if o.lifetime == 0 {
			return append(all, slices.Repeat([]ratelimit.Decision{o.Decision}, times-len(all))...)
		}
		state = o.record
	}
	return all
}

func admitted(all []ratelimit.Decision) (n int) {
	for _, d := range all {
		if d.Accepted {
			n++
		}
	}
	return n
}

func compare(a, b ratelimit.Decision) int {
	return cmp.Or(
		cmp.Compare(b.Remaining, a.Remaining),
		cmp.Compare(a.RetryAfter, b.RetryAfter),
		cmp.Compare(a.ResetAfter, b.ResetAfter),
	)
}
