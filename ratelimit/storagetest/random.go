package storagetest

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// worldSteps is how many random requests one storage gets.
const worldSteps = 500

func randomScenarios(o Options) (all []scenario) {
	for _, a := range o.algorithms() {
		for first := 0; first < o.Steps; first += worldSteps {
			name := fmt.Sprintf("%s/%d", named("random", a), first/worldSteps)
			steps := min(worldSteps, o.Steps-first)
			all = append(all, scenario{name, 0, func(p *play) { newWorld(p, a, uint64(first)).run(steps) }})
		}
	}
	return all
}

// random returns the numbers of a scenario and remembers to tell the seed.
func (p *play) random(scenario uint64) *rand.Rand {
	p.seed = p.options.Seed
	return rand.New(rand.NewPCG(p.seed, scenario)) //nolint:gosec // it is to be repeated, not to be secret
}

// world is a few counters of one algorithm, with changing limits and a clock
// that mostly goes forward. Its requests are random, and aim at what is hard.
type world struct {
	p         *play
	rng       *rand.Rand
	algorithm ratelimit.Algorithm
	keys      []string
	limits    []int64
	intervals []int64
	slow      int64 // how far a second clock is behind

	now, first, last int64
	targets          map[counter]*target
}

// endOfTime is some years before the latest time that a request may have.
var endOfTime = time.Date(2250, time.January, 1, 0, 0, 0, 0, time.UTC)

func newWorld(p *play, a ratelimit.Algorithm, number uint64) *world {
	w := &world{
		p: p, rng: p.random(number), algorithm: a,
		keys: []string{"policy:a", "policy:b"}, targets: map[counter]*target{},
	}
	for range 3 {
		w.limits = append(w.limits, w.limit())
	}
	for range 2 {
		w.intervals = append(w.intervals, w.interval())
	}
	longest := max(w.intervals[0], w.intervals[1])
	w.slow = w.upTo(min(w.intervals[0], w.intervals[1]))
	p.startAt(pickOf(w, p.starts), longest)
	w.first, w.last = p.start, min(p.start+1000*longest, endOfTime.UnixMicro())
	w.now = w.first + w.rng.Int64N(2*longest)
	return w
}

// limit prefers small ones, and has a prime that no interval divides.
func (w *world) limit() int64 {
	some := []int64{1, 2, 3, 5, 10, 60, 1000, 65_535, 999_999_937, ratelimit.MaxLimit}
	if i := w.rng.IntN(len(some) + 4); i < len(some) {
		return some[i]
	}
	return w.upTo(ratelimit.MaxLimit)
}

// interval is a number of whole seconds.
func (w *world) interval() int64 {
	longest := int64(ratelimit.MaxInterval / sec)
	some := []int64{1, 2, 7, 10, 60, 3600, 86_400, longest - 1, longest}
	if i := w.rng.IntN(len(some) + 2); i < len(some) {
		return some[i] * sec.Microseconds()
	}
	return w.upTo(longest) * sec.Microseconds()
}

// upTo is a number from 1 to n, small ones as often as large ones.
func (w *world) upTo(n int64) int64 {
	digits := 1 + w.rng.IntN(bits.Len64(uint64(n)))
	return 1 + w.rng.Int64N(min(n, int64(uint64(math.MaxUint64)>>(64-digits))))
}

func pickOf[T any](w *world, list []T) T { return list[w.rng.IntN(len(list))] }

func (w *world) run(steps int) {
	w.p.t.Helper()
	for range steps {
		r := request{key: pickOf(w, w.keys), algorithm: w.algorithm}
		r.take = ratelimit.Take{Limit: pickOf(w, w.limits), Interval: pickOf(w, w.intervals)}
		aim := w.targets[r.counter()]
		if aim == nil {
			aim = &target{left: r.take.Limit}
			w.targets[r.counter()] = aim
		}
		w.now = min(max(w.first, w.moment(aim, r)), w.last)
		r.take.Now = w.now
		r.take.Cost = w.cost(aim, r)
		d, _ := w.p.ask(r)
		w.learn(aim, r, d)
	}
}
