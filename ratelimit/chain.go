package ratelimit

import (
	"context"
	"time"
)

// Chain asks limiters one after the other at each gate, until one refuses or
// fails; those behind it are not asked, so they are not charged. Chains in a
// chain are flattened. Consume returns the results of all that were asked.
//
// What needs the identity comes after the authorization, whatever its place: a
// limit of the first gate is charged before one of the second can refuse.
func Chain(limiters ...Limiter) Limiter {
	c := &chain{}
	for _, l := range limiters {
		c.add(l)
	}
	return c
}

// chain splits its limiters by stage when it is built. Limiters of one's own
// stand in both stages and look at the stage themselves.
type chain struct {
	all    []Limiter
	stages [2]gate
}

// gate is what is asked in one stage.
type gate struct {
	limiters []Limiter
	steps    []step        // the limiters, those on one batch storage together
	budget   time.Duration // of the storages outside this process; 0: there is none
}

// step is asked at once. The bounded context is for policies: a limiter of one's
// own answers to the request's own deadline.
type step interface {
	consumeStep(ctx, bounded context.Context, rc *Context, cost int64, dst []Result) ([]Result, error)
}

type ownStep struct{ limiter Limiter }

func (s ownStep) consumeStep(ctx, _ context.Context, rc *Context, cost int64, dst []Result) ([]Result, error) {
	return s.limiter.Consume(ctx, rc, cost, dst)
}

func (l *policyLimiter) consumeStep(_, bounded context.Context, rc *Context, cost int64, dst []Result) ([]Result, error) {
	return l.consume(bounded, rc, cost, dst)
}

func (c *chain) add(l Limiter) {
	switch l := l.(type) {
	case *chain:
		for _, inner := range l.all {
			c.add(inner)
		}
		return
	case *policyLimiter:
		c.stages[l.stage].addPolicy(l)
	default:
		for s := range c.stages {
			g := &c.stages[s]
			g.limiters = append(g.limiters, l)
			g.steps = append(g.steps, ownStep{l})
		}
	}
	c.all = append(c.all, l)
}

// addPolicy puts a policy into one step with those right before it when they
// share a storage that takes several at once.
func (g *gate) addPolicy(l *policyLimiter) {
	g.limiters = append(g.limiters, l)
	if l.memory == nil && (g.budget == 0 || l.budget < g.budget) {
		g.budget = l.budget
	}
	if last := len(g.steps) - 1; last >= 0 {
		if joined := join(g.steps[last], l); joined != nil {
			g.steps[last] = joined
			return
		}
	}
	g.steps = append(g.steps, l)
}

// Consume asks the limiters of the stage of rc.
func (c *chain) Consume(ctx context.Context, rc *Context, cost int64, dst []Result) ([]Result, error) {
	g := &c.stages[min(rc.Stage, AfterAuthorization)]
	if g.budget > 0 {
		bounded, cancel := withBudget(ctx, g.budget)
		defer cancel()
		return g.consume(ctx, bounded, rc, cost, dst)
	}
	return g.consume(ctx, ctx, rc, cost, dst)
}

func (g *gate) consume(ctx, bounded context.Context, rc *Context, cost int64, dst []Result) ([]Result, error) {
	for _, s := range g.steps {
		asked := len(dst)
		results, err := s.consumeStep(ctx, bounded, rc, cost, dst)
		if len(results) >= asked { // less is a limiter that has lost what the others said
			dst = results
		}
		if err != nil || refused(dst, asked) {
			return dst, err
		}
	}
	return dst, nil
}

func refused(results []Result, from int) bool {
	for i := from; i < len(results); i++ {
		if !results[i].Accepted {
			return true
		}
	}
	return false
}
