package ratelimit

import (
	"context"
	"errors"
	"fmt"

	"github.com/sallyport-go/sallyport/internal/part"
)

// Chain asks limiters one after the other at each gate, until one refuses or
// fails; those behind it are not asked, so they are not charged. Chains in a
// chain are flattened. Consume returns the results of all that were asked, also
// beside an error; a panic is the error [PanicError].
//
// What needs the identity comes after the authorization, whatever its place: a
// limit of the first gate is charged before one of the second can refuse.
//
// A chain without limiters is a mistake, and so is nil in it: its method
// Validate reports them, with the mistakes of its limiters. Whatever takes a
// Limiter at build asks it.
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
	all    []Limiter // an empty chain is one of them: Validate reports it
	stages [2]gate
}

func (c *chain) add(l Limiter) {
	inner, isList := listOf(l)
	if isList && len(inner) > 0 {
		for _, l := range inner {
			c.add(l)
		}
		return
	}
	c.all = append(c.all, l)
	switch policy, ok := l.(*policyLimiter); {
	case isList: // nothing to ask
	case ok:
		c.stages[policy.stage].add(l)
	default:
		for s := range c.stages {
			c.stages[s].add(l)
		}
	}
}

// listOf is what a limiter of several limiters asks.
func listOf(l Limiter) (inner []Limiter, isList bool) {
	switch l := l.(type) {
	case *chain:
		return l.all, true
	case *Plan:
		if l != nil {
			return l.chain.all, true
		}
	}
	return nil, false
}

// Validate reports what is wrong with the limiters.
func (c *chain) Validate() error {
	if len(c.all) == 0 {
		return errors.New("the chain has no limiter")
	}
	var errs []error
	for i, l := range c.all {
		what := fmt.Sprintf("limiter %d of the chain", i+1)
		if l == nil {
			errs = append(errs, fmt.Errorf("%s: it is nil", what))
		}
		errs = append(errs, part.Validate(what, l))
	}
	return errors.Join(errs...)
}

// Consume asks the limiters of the stage of rc.
func (c *chain) Consume(ctx context.Context, rc *Context, cost int64, dst []Result) ([]Result, error) {
	if err := checkStage(rc.Stage); err != nil {
		return dst, err
	}
	g := &c.stages[rc.Stage]
	if g.budget > 0 || g.clock != nil && rc.Now.IsZero() {
		return g.consumeBounded(ctx, rc, cost, dst)
	}
	return g.consume(ctx, ctx, rc, cost, dst)
}
