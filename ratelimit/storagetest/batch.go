package storagetest

import (
	"fmt"
	"slices"
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// batches asks several limits in one go, when the storage can do that. The
// answers are those of one request after the other, up to the first refusal;
// whether more was charged shows in the answers that follow.
func batches(p *play) {
	p.t.Helper()
	s, ok := p.storage.(ratelimit.BatchStorage)
	if !ok {
		return
	}
	p.startAt(p.starts[0], day.Microseconds())
	limits := []request{
		{"one:key", ratelimit.FixedWindow, ratelimit.Take{Limit: 30, Interval: time.Hour.Microseconds()}},
		{"two:key", ratelimit.SlidingWindow, ratelimit.Take{Limit: 20, Interval: day.Microseconds()}},
		{"three:key", ratelimit.TokenBucket, ratelimit.Take{Limit: 25, Interval: day.Microseconds()}},
		{"four:key", ratelimit.FixedWindow, ratelimit.Take{Limit: 40, Interval: day.Microseconds()}},
		{"five:key", minimumGap{}, ratelimit.Take{Limit: 1000, Interval: time.Hour.Microseconds()}},
	}
	rng := p.random(uint64(len(limits)))
	now := p.start
	for range 100 {
		now += rng.Int64N(minute.Microseconds())
		rng.Shuffle(len(limits), func(i, j int) { limits[i], limits[j] = limits[j], limits[i] })
		batch := slices.Clone(limits[:1+rng.IntN(len(limits))])
		for i := range batch {
			batch[i].take.Now, batch[i].take.Cost = now, rng.Int64N(3)
		}
		p.askAll(s, batch)
	}
}

// manyLimits asks two dozen limits in one go: each has a decision of its own,
// and now and then one of them refuses.
func manyLimits(p *play) {
	p.t.Helper()
	s, ok := p.storage.(ratelimit.BatchStorage)
	if !ok {
		return
	}
	p.startAt(p.starts[0], day.Microseconds())
	var limits []request
	for i, a := range slices.Repeat(builtIns(), 8) {
		take := ratelimit.Take{Limit: int64(30 + 7*i%24), Interval: day.Microseconds(), Now: p.start}
		limits = append(limits, request{fmt.Sprintf("policy%d:key", i), a, take})
	}
	for round := range 40 {
		for i := range limits {
			limits[i].take.Cost = int64((i*i + round) % 4)
		}
		p.askAll(s, limits)
		limits = append(limits[3:], limits[:3]...) // the algorithms stay in order: it is one group
	}
}

// askAll asks a batch and judges every answer.
func (p *play) askAll(s ratelimit.BatchStorage, batch []request) {
	p.t.Helper()
	items := make([]ratelimit.Item, len(batch))
	algorithms := make([]ratelimit.Algorithm, len(batch))
	for i, r := range batch {
		items[i], algorithms[i] = ratelimit.Item{Key: []byte(r.key), Algorithm: r.algorithm, Take: r.take}, r.algorithm
	}
	p.prepare(algorithms...)
	before := ratelimit.Decision{Remaining: 12345}
	asked := p.now()
	all, err := s.ConsumeAll(p.t.Context(), items, []ratelimit.Decision{before})
	done := p.now()
	if len(all) == 0 || all[0] != before {
		p.t.Fatalf("the decisions are not appended to those of the caller: %v", all)
	}
	answers := all[1:]
	for i, r := range batch {
		p.requests++
		switch {
		case i < len(answers):
			p.judge(r, answers[i], asked, done)
		case err != nil:
			p.fail(r, "error "+err.Error(), "a decision")
		case i == 0 || answers[i-1].Accepted:
			p.fail(r, "no decision", "one: no limit before it in the batch has refused")
		default:
			return
		}
		if i+1 < len(answers) && !answers[i].Accepted {
			p.fail(batch[i+1], describe(answers[i+1]), "no decision: the limit before it in the batch has refused")
		}
	}
	if len(answers) > len(batch) || err != nil {
		p.t.Fatalf("%d limits in one go got %d decisions and the error %v", len(batch), len(answers), err)
	}
}
