package storagetest

import (
	"slices"
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// A promise is what an algorithm never exceeds, told by nothing but what was
// accepted and when.
type promise struct {
	algorithm ratelimit.Algorithm
	what      string
	kept      func(accepted []event, limit, interval int64) bool // with the last one
}

// event is an accepted request.
type event struct{ at, cost int64 }

func promises() []promise {
	return []promise{
		{ratelimit.FixedWindow, "no more than the limit in any window", windowsKept},
		{ratelimit.SlidingWindow, "no more than the limit in any window, with the part of the window before", fadingKept},
		{ratelimit.TokenBucket, "no more than the limit and what is refilled in any time", refillKept},
		{minimumGap{}, "no two requests closer than a gap", gapKept},
	}
}

func promiseScenarios() (all []scenario) {
	for _, promise := range promises() {
		all = append(all, scenario{named("promise", promise.algorithm), 0, promise.play})
	}
	return all
}

// play is a client who wants all that he can get, mostly around the edges of
// windows. The interval is long, so that no storage forgets meanwhile.
func (promise promise) play(p *play) {
	p.t.Helper()
	const limit = 20
	interval := time.Hour.Microseconds()
	p.startAt(p.starts[0], interval)
	rng := p.random(limit)
	var accepted []event
	now := p.start
	for range 500 {
		switch rng.IntN(4) {
		case 0:
			now += rng.Int64N(interval / 4)
		case 1:
			now += interval - now%interval - rng.Int64N(2) // the edge, or the last instant before it
		case 2:
			now += rng.Int64N(interval / limit)
		}
		cost := 1 + rng.Int64N(limit)*rng.Int64N(2)
		r := request{"policy:key", promise.algorithm, ratelimit.Take{Limit: limit, Interval: interval, Cost: cost, Now: now}}
		if d, _ := p.ask(r); d.Accepted {
			accepted = append(accepted, event{now, cost})
			if !promise.kept(accepted, limit, interval) {
				p.fail(r, "accepted", promise.what)
			}
		}
	}
}

// sum is what was accepted from a time on, and before another.
func sum(accepted []event, from, to int64) (cost int64) {
	for _, e := range accepted {
		if from <= e.at && e.at < to {
			cost += e.cost
		}
	}
	return cost
}

func windowsKept(accepted []event, limit, interval int64) bool {
	now := accepted[len(accepted)-1].at
	start := now / interval * interval
	return sum(accepted, start, start+interval) <= limit
}

func fadingKept(accepted []event, limit, interval int64) bool {
	now := accepted[len(accepted)-1].at
	start := now / interval * interval
	counts := product(sum(accepted, start-interval, start), start+interval-now)
	counts.Add(counts, product(sum(accepted, start, start+interval), interval))
	return counts.Cmp(product(limit, interval)) <= 0
}

func refillKept(accepted []event, limit, interval int64) bool {
	now, cost := accepted[len(accepted)-1].at, int64(0)
	for _, first := range slices.Backward(accepted) {
		cost += first.cost
		most := product(limit, interval)
		most.Add(most, product(limit, now-first.at))
		if product(cost, interval).Cmp(most) > 0 {
			return false
		}
	}
	return true
}

func gapKept(accepted []event, limit, interval int64) bool {
	last := len(accepted) - 1
	return last == 0 || (accepted[last].at-accepted[last-1].at)*limit >= interval
}
