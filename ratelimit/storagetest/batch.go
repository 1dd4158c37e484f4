package storagetest

import (
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
