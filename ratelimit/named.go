package ratelimit

import (
	"context"
	"fmt"
)

// namedLimiter is a policy with a Limiter: it gives its name to the results that
// have none.
type namedLimiter struct {
	name    string
	limiter Limiter
}

// named makes the Limiter of a policy bear its name. What is made of policies
// has names already.
func named(p Policy) Limiter {
	switch l := p.Limiter.(type) {
	case *policyLimiter, *chain, *Plan:
		return l
	default:
		return &namedLimiter{p.Name, l}
	}
}

func (l *namedLimiter) Consume(ctx context.Context, rc *Context, cost int64, dst []Result) ([]Result, error) {
	own, err := l.limiter.Consume(ctx, rc, cost, nil)
	for _, r := range own {
		if r.Policy == "" {
			r.Policy = l.name
		}
		dst = append(dst, r)
	}
	return dst, err
}

// secondName refuses a second name for a policy that has one: it would stand in
// no header field and no counter.
func secondName(name string, l Limiter) error {
	for inner, isList := listOf(l); isList && len(inner) == 1; inner, isList = listOf(l) {
		l = inner[0]
	}
	if policy, ok := l.(*policyLimiter); ok && name != "" && policy.name != name {
		return fmt.Errorf("limiter: it is the policy %q, and would be called so: write that Policy itself, with this name", policy.name)
	}
	return nil
}
