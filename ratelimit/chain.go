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
	budget   time.Duration // of the storages outside this process; 0: there is none
}

func (c *chain) add(l Limiter) {
	switch l := l.(type) {
	case *chain:
		for _, inner := range l.all {
			c.add(inner)
		}
		return
	case *policyLimiter:
		g := &c.stages[l.stage]
		g.limiters = append(g.limiters, l)
		if l.memory == nil && (g.budget == 0 || l.budget < g.budget) {
			g.budget = l.budget
		}
	default:
		for s := range c.stages {
			c.stages[s].limiters = append(c.stages[s].limiters, l)
		}
	}
	c.all = append(c.all, l)
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

// consume gives the bounded context to policies only: a limiter of one's own
// answers to the request's own deadline.
func (g *gate) consume(ctx, bounded context.Context, rc *Context, cost int64, dst []Result) ([]Result, error) {
	for _, l := range g.limiters {
		asked := len(dst)
		var (
			results []Result
			err     error
		)
		if policy, ok := l.(*policyLimiter); ok {
			results, err = policy.consume(bounded, rc, cost, dst)
		} else {
			results, err = l.Consume(ctx, rc, cost, dst)
		}
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
