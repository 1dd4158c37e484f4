package storagetest

import (
	"bytes"
	"context"
	"errors"
	"math"
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
)

func contractScenarios() []scenario {
	return []scenario{
		{"key/any bytes name a counter", 0, anyKeys},
		{"key/it belongs to the caller", 0, callersKey},
		{"context/one that has ended", 0, endedContexts},
		{"take/one out of its ranges", 0, takesOutOfRange},
		{"context/one that ends while others decide", atomic | anyStep, endsMeanwhile},
		{"algorithm/one that panics", anyStep, panickingStep},
		{"batch/up to the first refusal", 0, batches},
		{"batch/many limits", 0, manyLimits},
		{"counters/many at a time", 0, manyCounters},
	}
}

// slowly is a take of a limit that no test lives to see refilled.
func (p *play) slowly(cost int64) ratelimit.Take {
	return ratelimit.Take{Limit: 1000, Interval: day.Microseconds(), Cost: cost, Now: p.start}
}

// callersKey reuses the slice of the key, as limiters do.
func callersKey(p *play) {
	p.t.Helper()
	p.startAt(p.starts[0], day.Microseconds())
	const rest = "what stands behind the key"
	buffer := []byte("policy:?" + rest)
	for _, a := range builtIns() {
		for round := range int64(3) {
			for i, name := range []byte("abc") {
				r := request{"policy:" + string(name), a, p.slowly(int64(i) + 1)}
				buffer[len("policy:")] = name
				d, err := p.consume(p.t.Context(), buffer[:len(r.key)], r)
				used := (round + 1) * r.take.Cost
				switch {
				case err != nil:
					p.fail(r, "error "+err.Error(), "a decision")
				case d.Remaining != r.take.Limit-used:
					p.fail(r, describe(d), "counters as if each key had a slice of its own: a storage must not keep the slice")
				case !bytes.Equal(buffer, []byte(r.key+rest)):
					p.fail(r, string(buffer), r.key+rest+": a storage must not write to the slice, nor behind it")
				}
			}
		}
	}
}

// endedContexts lets a storage decide or give up, and holds it to what it says.
func endedContexts(p *play) {
	p.t.Helper()
	p.startAt(p.starts[0], day.Microseconds())
	canceled, cancel := context.WithCancel(p.t.Context())
	cancel()
	late, cancel := context.WithDeadline(p.t.Context(), time.Unix(0, 0))
	defer cancel()
	for _, a := range builtIns() {
		r := request{"policy:key", a, p.slowly(1)}
		p.ask(r)
		for _, ctx := range []context.Context{canceled, late} {
			for range 3 {
				_, _, err := p.try(ctx, r)
				if err == nil {
					continue
				}
				p.note(r, err.Error())
				if !errors.Is(err, ctx.Err()) || errors.Is(err, ratelimit.ErrUnavailable) {
					p.fail(r, "error "+err.Error(), "a decision, or "+ctx.Err().Error()+" and no outage")
				}
			}
		}
		p.ask(request{r.key, a, p.slowly(0)})
		p.ask(r)
	}
}

// takesOutOfRange are faults of the program, which must not be taken for an
// outage, and count for nothing.
func takesOutOfRange(p *play) {
	p.t.Helper()
	p.startAt(p.starts[0], day.Microseconds())
	longest := ratelimit.MaxInterval.Microseconds()
	for _, a := range builtIns() {
		p.ask(request{"policy:key", a, p.slowly(1)})
		right := p.slowly(1)
		for _, take := range []ratelimit.Take{
			{},
			{Limit: 0, Interval: right.Interval, Cost: 1, Now: right.Now},
			{Limit: -1, Interval: right.Interval, Cost: 1, Now: right.Now},
			{Limit: ratelimit.MaxLimit + 1, Interval: right.Interval, Cost: 1, Now: right.Now},
			{Limit: math.MaxInt64, Interval: right.Interval, Cost: 1, Now: right.Now},
			{Limit: right.Limit, Interval: right.Interval, Cost: -1, Now: right.Now},
			{Limit: right.Limit, Interval: right.Interval, Cost: math.MinInt64, Now: right.Now},
			{Limit: right.Limit, Interval: 0, Cost: 1, Now: right.Now},
			{Limit: right.Limit, Interval: -right.Interval, Cost: 1, Now: right.Now},
			{Limit: right.Limit, Interval: sec.Microseconds() - 1, Cost: 1, Now: right.Now},
			{Limit: right.Limit, Interval: longest + 1, Cost: 1, Now: right.Now},
			{Limit: right.Limit, Interval: 400 * longest, Cost: 1, Now: right.Now},
			{Limit: right.Limit, Interval: right.Interval, Cost: 1, Now: -1},
			{Limit: right.Limit, Interval: right.Interval, Cost: 1, Now: 1<<53 + 1},
			{Limit: right.Limit, Interval: right.Interval, Cost: 1, Now: math.MaxInt64},
		} {
			r := request{"policy:key", a, take}
			d, err := p.consume(p.t.Context(), []byte(r.key), r)
			if err == nil {
				p.fail(r, describe(d), "an error")
			}
			if errors.Is(err, ratelimit.ErrUnavailable) {
				p.fail(r, "the outage "+err.Error(), "an error that is none: it would let the request pass")
			}
		}
		p.ask(request{"policy:key", a, p.slowly(1)})
	}
}

// panickingStep lets an algorithm panic and looks whether the storage still
// works, which it does not when a lock was left behind.
func panickingStep(p *play) {
	p.t.Helper()
	p.startAt(p.starts[0], day.Microseconds())
	r := request{"policy:key", panicking{ratelimit.FixedWindow}, p.slowly(1)}
	p.ask(r)
	for range 3 {
		p.panicked(request{r.key, r.algorithm, p.slowly(13)})
		p.answersInTime(r)
		p.ask(r)
	}
	p.ask(request{"policy:other", ratelimit.FixedWindow, p.slowly(1)})
}

// panicked asks for a panic, which the storage may also make an error of.
func (p *play) panicked(r request) {
	p.t.Helper()
	panicked := true
	d, err := func() (ratelimit.Decision, error) {
		defer func() { _ = recover() }()
		d, err := p.consume(p.t.Context(), []byte(r.key), r)
		panicked = false
		return d, err
	}()
	switch {
	case panicked:
		p.note(r, "a panic")
	case err == nil:
		p.fail(r, describe(d), "the panic of the algorithm, or an error")
	case errors.Is(err, ratelimit.ErrUnavailable):
		p.fail(r, "the outage "+err.Error(), "an error that is none: it would let the request pass")
	default:
		p.note(r, err.Error())
	}
}

// answersInTime peeks at the counter and does not wait for ever.
func (p *play) answersInTime(r request) {
	p.t.Helper()
	r.take.Cost = 0
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		_, _ = p.storage.Consume(p.t.Context(), []byte(r.key), r.algorithm, r.take)
	}()
	select {
	case <-answered:
	case <-time.After(p.patience):
		p.fail(r, "no answer for "+p.patience.String(), "one: a panic of an algorithm must not leave a lock behind")
	}
}
