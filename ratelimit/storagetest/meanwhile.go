package storagetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// holding does not decide about a cost of 13 until it is told to.
type holding struct {
	ratelimit.BuiltIn
	entered chan struct{} // has room for one
	release chan struct{} // closed when it may decide
}

func (holding) Name() string { return "holding" }

func (h holding) Step(s ratelimit.State, t ratelimit.Take) ratelimit.Outcome {
	if t.Cost == 13 {
		select {
		case h.entered <- struct{}{}:
		default: // it is asked again
		}
		<-h.release
	}
	return h.BuiltIn.Step(s, t)
}

// reply is what a call returned.
type reply struct {
	ratelimit.Decision
	err error
}

// soon is when the context of a call ends that may have to wait.
const soon = 10 * time.Millisecond

// endsMeanwhile asks for a counter while another call decides about it. A storage
// may decide this one first, or let it wait, but not beyond its context. What it
// has charged in the end are those that it has answered.
func endsMeanwhile(p *play) {
	p.t.Helper()
	p.startAt(p.starts[0], day.Microseconds())
	h := holding{ratelimit.FixedWindow, make(chan struct{}, 1), make(chan struct{})}
	held, waiting := request{"policy:key", h, p.slowly(13)}, request{"policy:key", h, p.slowly(1)}
	first := p.inBackground(p.t.Context(), held)
	select {
	case <-h.entered:
	case <-time.After(p.patience):
		p.fail(held, "no Step for "+p.patience.String(), "one: this call is the first one for the counter")
	}
	ctx, cancel := context.WithTimeout(p.t.Context(), soon)
	defer cancel()
	var second reply
	select {
	case second = <-p.inBackground(ctx, waiting):
		close(h.release)
	case <-time.After(soon + p.patience):
		close(h.release)
		p.fail(waiting, "no answer for "+p.patience.String(), "one, or an error: its context has ended while another call was deciding")
	}
	used := int64(13)
	switch {
	case second.err == nil:
		used++
	case !errors.Is(second.err, context.DeadlineExceeded) || errors.Is(second.err, ratelimit.ErrUnavailable):
		p.fail(waiting, "error "+second.err.Error(), "a decision, or "+context.DeadlineExceeded.Error()+" and no outage")
	}
	if r := <-first; r.err != nil {
		p.fail(held, "error "+r.err.Error(), "a decision")
	}
	peek := request{"policy:key", h, p.slowly(0)}
	d, err := p.consume(p.t.Context(), []byte(peek.key), peek)
	if err != nil {
		p.fail(peek, "error "+err.Error(), "a decision")
	}
	if left := peek.take.Limit - used; d.Remaining != left {
		p.fail(peek, describe(d), fmt.Sprintf("%d left: what was answered has been charged, and nothing else", left))
	}
}

// inBackground asks the storage and does not wait for the answer.
func (p *play) inBackground(ctx context.Context, r request) <-chan reply {
	p.t.Helper()
	p.prepare(r.algorithm)
	p.requests++
	answered := make(chan reply, 1)
	go func() {
		d, err := p.storage.Consume(ctx, []byte(r.key), r.algorithm, r.take)
		answered <- reply{d, err}
	}()
	return answered
}
