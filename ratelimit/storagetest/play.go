package storagetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// play is one scenario on one storage.
type play struct {
	t       testing.TB
	storage ratelimit.Storage
	second  ratelimit.Storage // another handle on the same counters; nil: there is none
	options Options
	oracle  *oracle

	starts   []time.Time     // when the scenario may start
	start    int64           // when it does, in microseconds since the epoch
	seed     uint64          // of the random requests; 0: there are none
	patience time.Duration   // with a call that may hang
	prepared map[string]bool // algorithms, by their names
	requests int
	log      map[counter][]string // the last requests
}

func newPlay(t testing.TB, s ratelimit.Storage, o Options) *play {
	p := &play{
		t: t, storage: s, options: o, oracle: newOracle(o), starts: starts,
		patience: 10 * time.Second, prepared: map[string]bool{}, log: map[counter][]string{},
	}
	if o.OwnClock {
		p.starts = []time.Time{time.Now()}
	}
	if o.Second != nil {
		p.second = o.Second(t, s)
	}
	return p
}

// starts are from the beginning of time, nowadays, and when 32 bits of seconds
// have run out. A storage with its own clock starts at the present.
var starts = []time.Time{
	time.Unix(0, 0),
	time.Date(2026, time.December, 1, 0, 0, 0, 0, time.UTC),
	time.Date(2200, time.January, 1, 0, 0, 0, 0, time.UTC),
}

// request is what a storage is asked.
type request struct {
	key       string
	algorithm ratelimit.Algorithm
	take      ratelimit.Take
}

func (r request) counter() counter {
	return counter{r.key, r.algorithm.Name(), r.take.Interval}
}

// startAt begins with the first window that does not begin before the moment.
func (p *play) startAt(moment time.Time, interval int64) {
	p.start = (moment.UnixMicro() + interval - 1) / interval * interval
}

// at is a moment of the scenario.
func (p *play) at(d time.Duration) int64 { return p.start + d.Microseconds() }

// ask asks the storage, and the scenario is over when the answer is wrong. When
// there was more than one right answer, sure is false.
func (p *play) ask(r request) (d ratelimit.Decision, sure bool) {
	p.t.Helper()
	d, sure, err := p.try(p.t.Context(), r)
	if err != nil {
		p.fail(r, "error "+err.Error(), "a decision")
	}
	return d, sure
}

// try is ask in a context of its own, which may have ended: errors are left to
// the caller, and count for nothing.
func (p *play) try(ctx context.Context, r request) (d ratelimit.Decision, sure bool, err error) {
	p.t.Helper()
	asked := p.now()
	d, err = p.consume(ctx, []byte(r.key), r)
	if err != nil {
		return ratelimit.Decision{}, false, err
	}
	return d, p.judge(r, d, asked, p.now()), nil
}

// consume asks the storage and does not look at the answer.
func (p *play) consume(ctx context.Context, key []byte, r request) (ratelimit.Decision, error) {
	p.t.Helper()
	p.requests++
	p.prepare(r.algorithm)
	return p.storage.Consume(ctx, key, r.algorithm, r.take)
}

// prepare tells a storage that wants to know it what it is going to be asked.
func (p *play) prepare(algorithms ...ratelimit.Algorithm) {
	p.t.Helper()
	var names strings.Builder
	for _, a := range algorithms {
		names.WriteString(a.Name() + " ")
	}
	if p.prepared[names.String()] {
		return
	}
	p.prepared[names.String()] = true
	for _, handle := range p.handles() {
		s, ok := handle.(ratelimit.Preparer)
		if !ok {
			continue
		}
		if err := s.Prepare(algorithms); err != nil {
			p.t.Fatalf("the storage cannot run %s: %v", names.String(), err)
		}
	}
}

// handles are all that there are on the counters.
func (p *play) handles() []ratelimit.Storage {
	if p.second == nil {
		return []ratelimit.Storage{p.storage}
	}
	return []ratelimit.Storage{p.storage, p.second}
}

// judge ends the scenario when the answer, asked for and given at these times, is
// wrong. When there was more than one right answer, sure is false.
func (p *play) judge(r request, d ratelimit.Decision, asked, done time.Time) (sure bool) {
	p.t.Helper()
	answers := p.oracle.answers(r, done)
	right := decisions(answers)
	given := slices.DeleteFunc(answers, func(a answer) bool { return a.Decision != d })
	if len(given) == 0 {
		p.fail(r, describe(d), describe(right...))
	}
	p.oracle.learn(r, given, asked)
	p.note(r, describe(d))
	return len(right) == 1
}

// now is the time by which a storage with its own clock forgets. Nobody else's
// test depends on the present.
func (p *play) now() time.Time {
	if p.options.OwnClock {
		return time.Now()
	}
	return time.Time{}
}

// remembered is how many of a counter's requests a failure shows.
const remembered = 8

func (p *play) note(r request, got string) {
	lines := append(p.log[r.counter()], fmt.Sprintf("  request %d: %s: %s", p.requests, p.line(r), got))
	p.log[r.counter()] = lines[max(0, len(lines)-remembered):]
}

// fail ends the scenario and tells all that is known about it.
func (p *play) fail(r request, got, want string) {
	p.t.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "request %d: %s\n got: %s\nwant: %s", p.requests, p.line(r), got, want)
	if lines := p.log[r.counter()]; len(lines) > 0 {
		fmt.Fprintf(&text, "\nthe last requests for this counter:\n%s", strings.Join(lines, "\n"))
	} else {
		text.WriteString("\nno request for this counter was answered before")
	}
	if p.seed != 0 {
		fmt.Fprintf(&text, "\nto repeat it: storagetest.Options{Seed: %#x}", p.seed)
	}
	p.t.Fatal(text.String())
}

// line is a request in one line, such as
//
//	slidingWindow "policy:key", 10 in 1m0s, cost 1, 59s after 1970-01-01T00:00:00Z
func (p *play) line(r request) string {
	key := fmt.Sprintf("%q", r.key)
	if len(key) > 60 {
		key = fmt.Sprintf("%s... of %d bytes", key[:50], len(r.key))
	}
	return fmt.Sprintf("%s %s, %d in %s, cost %d, %s after %s",
		r.algorithm.Name(), key, r.take.Limit, duration(r.take.Interval), r.take.Cost,
		duration(r.take.Now-p.start), time.UnixMicro(p.start).UTC().Format(time.RFC3339Nano))
}

// describe tells what decisions say, such as "refused, 2 left, reset after 1s,
// retry after 3s".
func describe(decisions ...ratelimit.Decision) string {
	var texts []string
	for _, d := range decisions {
		answer, retry := "refused", "retry after "+duration(d.RetryAfter)
		if d.Accepted {
			answer = "accepted"
		}
		switch d.RetryAfter {
		case ratelimit.NoRetryMicros:
			retry = "no retry"
		case ratelimit.NeverMicros:
			retry = "never"
		}
		texts = append(texts, fmt.Sprintf("%s, %d left, reset after %s, %s", answer, d.Remaining, duration(d.ResetAfter), retry))
	}
	return strings.Join(texts, "\n  or: ")
}

func micros(m int64) time.Duration { return time.Duration(m) * time.Microsecond }

// duration is a number of microseconds as text, also when it is nonsense.
func duration(m int64) string {
	if d := micros(m); d.Microseconds() == m {
		return d.String()
	}
	return fmt.Sprintf("%dµs", m)
}
