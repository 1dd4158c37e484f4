package ratelimit

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/sallyport-go/sallyport/internal/ratefield"
	"github.com/sallyport-go/sallyport/internal/safelog"
)

// Plan is the limits of one endpoint, ready for its two gates. It is a
// [Limiter], immutable and safe for concurrent use.
type Plan struct {
	chain *chain

	// announced are the policies whose fields are known at build time: the
	// first ones in the order of the gates, up to a limiter of one's own.
	announced []announcement

	// policyFields[n] is the RateLimit-Policy of the first n announced.
	policyFields [][]string
}

type announcement struct {
	name   string
	limit  int64
	window time.Duration
}

func newPlan(limits []limit) *Plan {
	p := &Plan{chain: &chain{}, policyFields: [][]string{nil}}
	for _, l := range limits {
		p.chain.add(l.limiter)
	}
	return p
}

// prepare tells the storages what they are going to be asked, and writes the
// fields that are known at build time, strictly: what cannot stand in them is a
// mistake of the program.
func (p *Plan) prepare() error {
	if err := errors.Join(p.chain.stages[0].prepare(), p.chain.stages[1].prepare()); err != nil {
		return err
	}
	var members []ratefield.Policy
	for _, policy := range p.chain.leadingPolicies() {
		members = append(members, ratefield.Policy{Name: policy.name, Quota: policy.limit, Window: int64(policy.window / time.Second)})
		field, err := ratefield.AppendPolicies(nil, members)
		if err != nil {
			return err
		}
		p.announced = append(p.announced, announcement{policy.name, policy.limit, policy.window})
		p.policyFields = append(p.policyFields, []string{string(field)}[:1:1])
	}
	return nil
}

// leadingPolicies are the policies in the order of the gates, up to the first
// limiter of one's own: what that one says is not known before it is asked.
func (c *chain) leadingPolicies() []*policyLimiter {
	var list []*policyLimiter
	for _, g := range c.stages {
		for _, l := range g.limiters {
			policy, ok := l.(*policyLimiter)
			if !ok {
				return list
			}
			list = append(list, policy)
		}
	}
	return list
}

// At reports whether anything is asked at that gate. There is no other gate than
// the two.
func (p *Plan) At(s Stage) bool {
	return s <= AfterAuthorization && len(p.chain.stages[s].limiters) > 0
}

// Consume asks the limits of the stage of rc, see [Chain]. It returns the results
// so far beside an error, a [PanicError] too.
func (p *Plan) Consume(ctx context.Context, rc *Context, cost int64, dst []Result) ([]Result, error) {
	return p.chain.Consume(ctx, rc, cost, dst)
}

// ByIdentity lists the policies that count by [Identity], alone or in a list of
// keys: without an authorization that tells who calls they never apply.
func (p *Plan) ByIdentity() []string {
	var names []string
	for _, l := range p.byIdentity() {
		names = append(names, l.name)
	}
	return names
}

// AfterAuthorization lists the policies of the second gate: those by [Identity]
// and those by keys of one's own that need it.
func (p *Plan) AfterAuthorization() []string {
	var names []string
	for _, l := range p.chain.stages[AfterAuthorization].limiters {
		if policy, ok := l.(*policyLimiter); ok {
			names = append(names, policy.name)
		}
	}
	return names
}

func (p *Plan) byIdentity() []*policyLimiter {
	var list []*policyLimiter
	for _, l := range p.chain.stages[AfterAuthorization].limiters {
		if policy, ok := l.(*policyLimiter); ok && has(policy.key, Identity) {
			list = append(list, policy)
		}
	}
	return list
}

// WarnNoIdentity logs, once for each policy that counts by identity, that the
// authorization has admitted a caller without telling who it is, although it
// says that it always does.
func (p *Plan) WarnNoIdentity(ctx context.Context, authorization string) {
	for _, l := range p.byIdentity() {
		if l.warnedIdentity.CompareAndSwap(false, true) {
			safelog.Warn(ctx, l.logger, "a rate limit by identity does not apply: the authorization returned no identity",
				slog.String("policy", l.name), slog.String("authorization", authorization))
		}
	}
}

// PolicyField is the RateLimit-Policy field of these results; nil without
// results. The slice is shared and has no room: append copies it.
func (p *Plan) PolicyField(results []Result) []string {
	if n := len(results); n < len(p.policyFields) && p.announces(results) {
		return p.policyFields[n]
	}
	return []string{PolicyField(results)}
}

func (p *Plan) announces(results []Result) bool {
	for i := range results {
		r, a := &results[i], &p.announced[i]
		if r.Policy != a.name || r.Limit != a.limit || r.Window != a.window {
			return false
		}
	}
	return true
}
