package storagetest

import (
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// script is a scenario that is written down, answers included.
type script struct {
	name  string
	needs need

	// of the steps that say nothing else
	algorithm ratelimit.Algorithm
	limit     int64
	interval  time.Duration

	steps []step
}

// step is one request of a script and its only right answer.
type step struct {
	at        time.Duration // since the start, which is the start of a window
	key       string
	algorithm ratelimit.Algorithm // nil: the script's
	limit     int64               // 0: the script's
	interval  time.Duration       // 0: the script's
	cost      int64
	want      ratelimit.Decision
}

func accepted(remaining int64, reset time.Duration) ratelimit.Decision {
	return ratelimit.Decision{Accepted: true, Remaining: remaining, ResetAfter: reset.Microseconds(), RetryAfter: ratelimit.NoRetryMicros}
}

func refused(remaining int64, reset, retry time.Duration) ratelimit.Decision {
	return ratelimit.Decision{Remaining: remaining, ResetAfter: reset.Microseconds(), RetryAfter: retry.Microseconds()}
}

// never is a refusal of more than the limit.
func never(remaining int64, reset time.Duration) ratelimit.Decision {
	return ratelimit.Decision{Remaining: remaining, ResetAfter: reset.Microseconds(), RetryAfter: ratelimit.NeverMicros}
}

const (
	us     = time.Microsecond
	ms     = time.Millisecond
	sec    = time.Second
	minute = time.Minute
	day    = 24 * time.Hour
)

func scriptScenarios() (all []scenario) {
	for _, s := range scripts() {
		all = append(all, scenario{s.name, s.needs, s.play})
	}
	return all
}

func scripts() []script {
	all := append(probeScripts(), windowScripts()...)
	all = append(all, bucketScripts()...)
	return append(all, mixedScripts()...)
}

// play starts the script several times, one after the other on one storage.
func (s script) play(p *play) {
	p.t.Helper()
	for _, start := range p.starts {
		p.startAt(start, s.longest().Microseconds())
		for _, step := range s.steps {
			r := s.request(step, p)
			d, sure := p.ask(r)
			if d == step.want {
				continue
			}
			if sure {
				p.fail(r, describe(d), describe(step.want))
			}
			break // the storage may have forgotten, and the rest depends on it
		}
	}
}

func (s script) request(step step, p *play) request {
	r := request{step.key, s.algorithm, ratelimit.Take{
		Limit: s.limit, Interval: s.interval.Microseconds(), Cost: step.cost, Now: p.at(step.at),
	}}
	if step.algorithm != nil {
		r.algorithm = step.algorithm
	}
	if step.limit > 0 {
		r.take.Limit = step.limit
	}
	if step.interval > 0 {
		r.take.Interval = step.interval.Microseconds()
	}
	if r.key == "" {
		r.key = "policy:key"
	}
	return r
}

// longest is the longest interval, which the others divide.
func (s script) longest() time.Duration {
	longest := s.interval
	for _, step := range s.steps {
		longest = max(longest, step.interval)
	}
	return longest
}
