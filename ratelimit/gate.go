package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// gate is what is asked in one stage.
type gate struct {
	limiters []Limiter
	steps    []step        // the limiters, those on one batch storage together
	budget   time.Duration // of the storages outside this process; 0: there is none
	clock    Clock         // of all its policies; nil: there are several, or none
}

// step is asked at once. The bounded context is for policies: a limiter of one's
// own answers to the request's own deadline.
type step interface {
	consumeStep(ctx, bounded context.Context, rc *Context, cost int64, dst []Result) ([]Result, error)

	// prepare tells the storage what it is going to be asked.
	prepare() error
}

// ownStep asks a limiter of one's own. It gets no slice but its own: what the
// limits before it have said is not for it to lose or to rewrite.
type ownStep struct{ limiter Limiter }

func (s ownStep) consumeStep(ctx, _ context.Context, rc *Context, cost int64, dst []Result) ([]Result, error) {
	own, err := s.limiter.Consume(ctx, rc, cost, nil)
	return append(dst, own...), err
}

func (ownStep) prepare() error { return nil }

// add puts a policy into one step with those right before it when they share a
// storage that takes several at once.
func (g *gate) add(l Limiter) {
	policy, ok := l.(*policyLimiter)
	if !ok {
		g.limiters = append(g.limiters, l)
		g.steps = append(g.steps, ownStep{l})
		return
	}
	g.setClock(policy.clock)
	g.limiters = append(g.limiters, l)
	if policy.memory == nil && (g.budget == 0 || policy.budget < g.budget) {
		g.budget = policy.budget
	}
	if last := len(g.steps) - 1; last >= 0 {
		if joined := join(g.steps[last], policy); joined != nil {
			g.steps[last] = joined
			return
		}
	}
	g.steps = append(g.steps, policy)
}

// setClock keeps the clock as long as all policies have the same.
func (g *gate) setClock(c Clock) {
	for _, l := range g.limiters {
		if _, ok := l.(*policyLimiter); !ok {
			continue
		}
		if g.clock == nil || !sameClock(g.clock, c) {
			g.clock = nil
			return
		}
	}
	g.clock = c
}

// prepare tells the storages of a gate what they are going to be asked.
func (g *gate) prepare() error {
	var errs []error
	for _, s := range g.steps {
		errs = append(errs, s.prepare())
	}
	return errors.Join(errs...)
}

// consumeBounded gives all steps one time and one budget.
func (g *gate) consumeBounded(ctx context.Context, rc *Context, cost int64, dst []Result) ([]Result, error) {
	if g.clock != nil && rc.Now.IsZero() {
		if err := g.readClock(rc); err != nil {
			return dst, err
		}
		defer func() { rc.Now = time.Time{} }() // the next gate has a time of its own
	}
	if g.budget == 0 {
		return g.consume(ctx, ctx, rc, cost, dst)
	}
	bounded, cancel := withBudget(ctx, g.budget)
	defer cancel()
	return g.consume(ctx, bounded, rc, cost, dst)
}

func (g *gate) readClock(rc *Context) (err error) {
	defer catch(&err)
	rc.Now = g.clock.Now()
	return nil
}

// consume asks the steps up to the first that refuses or fails. A panic is a
// failure, too.
func (g *gate) consume(ctx, bounded context.Context, rc *Context, cost int64, dst []Result) (results []Result, err error) {
	results = dst
	defer catch(&err)
	for _, s := range g.steps {
		asked := len(results)
		results, err = s.consumeStep(ctx, bounded, rc, cost, results)
		if err != nil || refused(results, asked) {
			return results, err
		}
	}
	return results, nil
}

func refused(results []Result, from int) bool {
	for i := from; i < len(results); i++ {
		if !results[i].Accepted {
			return true
		}
	}
	return false
}

// checkStage refuses a stage that has no gate: nothing would be limited there.
func checkStage(s Stage) error {
	if s > AfterAuthorization {
		return fmt.Errorf("ratelimit: there is no gate for %s", s)
	}
	return nil
}
