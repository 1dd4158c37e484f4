package ratelimit

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sallyport-go/sallyport/internal/part"
)

// resolver turns the rules of one endpoint into a flat list of limiters.
type resolver struct {
	set      *Set
	target   Target
	checked  checker
	limits   []limit
	nameless int  // inline limits that are called after no endpoint
	off      bool // a rule was Off
	others   bool // a rule was not Off
	errs     []error
}

type limit struct {
	name    string // "" for a limiter without one
	limiter Limiter
}

// found reports whether there are mistakes, and keeps those that are new.
func (r *resolver) found(err error) bool {
	if e := unreported(err); e != nil {
		r.errs = append(r.errs, e)
	}
	return err != nil
}

func (r *resolver) mistake(format string, args ...any) {
	r.errs = append(r.errs, fmt.Errorf(format, args...))
}

func (r *resolver) take(rules []Rule) {
	for _, rule := range rules {
		if _, isOff := rule.(off); isOff {
			r.off = true
			continue
		}
		if _, isList := rule.(ruleList); !isList {
			r.others = true
		}
		switch rule := rule.(type) {
		case ruleList:
			r.takeList(rule)
		case namedRule:
			r.takeNamed(rule)
		case Policy:
			r.takeInline(rule)
		case useRule:
			r.takeOwn(rule.limiter)
		case nil:
			r.mistake("a rate limit rule is nil: leave it out for the default, or write ratelimit.Off for none")
		default:
			r.mistake("%T is no rate limit rule: write the Policy, Named, Use, Rules or Off itself", rule)
		}
	}
}

func (r *resolver) takeList(rules ruleList) {
	if len(rules) == 0 {
		r.mistake("a list of rate limits is empty: write ratelimit.Off for none")
	}
	r.take(rules)
}

func (r *resolver) takeNamed(names namedRule) {
	if len(names) == 0 {
		r.mistake("Named has no name: write ratelimit.Off for no limit")
	}
	for _, name := range names {
		p, known := r.set.named[name]
		if !known {
			r.mistake("there is no rate limit %q; known: %s", name, r.set.known())
			continue
		}
		p.used = true
		if p.limiter != nil {
			r.add(p.limiter)
		}
	}
}

// takeInline gives the limit counters of its own for this endpoint.
func (r *resolver) takeInline(p Policy) {
	err := p.otherMistakes(r.checked)
	if p.Name == "" {
		p.Name = r.target.Name
	}
	what := "inline rate limit"
	if p.Name != "" {
		what = fmt.Sprintf("inline rate limit %q", p.Name)
	}
	if r.found(part.Within(what, errors.Join(nameMistake(p.Name), err))) {
		return
	}
	if p.Name == "" {
		r.nameless++
	}
	if other, taken := r.set.folded[strings.ToLower(p.Name)]; taken {
		r.mistake("the inline rate limit is called %q like the named one: write ratelimit.Named(%q) to share its counters, or give it another Name", p.Name, other)
		return
	}
	if p.Limiter == nil {
		if p.Key == nil {
			p.Key = IP
		}
		p.Key = withEndpoint(p.Key)
	}
	r.add(r.set.limiter(p))
}

func (r *resolver) takeOwn(l Limiter) {
	if l == nil {
		r.mistake("Use has no limiter")
		return
	}
	if r.found(r.checked.part("limiter", l)) {
		return
	}
	r.add(l)
}

// add flattens chains, so that what stands in them is seen.
func (r *resolver) add(l Limiter) {
	if inner, isList := listOf(l); isList {
		for _, l := range inner {
			r.add(l)
		}
		return
	}
	switch l := l.(type) {
	case *policyLimiter:
		r.limits = append(r.limits, limit{l.name, l})
	case *namedLimiter:
		r.limits = append(r.limits, limit{l.name, l})
	default:
		r.limits = append(r.limits, limit{"", l})
	}
}

// checkNames finds limits that would count twice or share a name.
func (r *resolver) checkNames() {
	if r.nameless > 1 {
		r.mistake("%d inline rate limits of the list have no name, so all would be called alike: give them a Name", r.nameless)
	}
	byName := map[string]string{}
	seen := map[any]bool{}
	for _, l := range r.limits {
		if id := l.identity(); isPointer(id) {
			if seen[id] {
				r.mistake("the rate limit %s stands twice in the list: it would count double", l)
				continue
			}
			seen[id] = true
		}
		if l.name == "" {
			continue
		}
		folded := strings.ToLower(l.name)
		if other, taken := byName[folded]; taken {
			r.mistake("two rate limits of the list are called %q and %q: give one another Name", other, l.name)
			continue
		}
		byName[folded] = l.name
	}
}

func (l limit) String() string {
	if l.name == "" {
		return fmt.Sprintf("%T", l.limiter)
	}
	return fmt.Sprintf("%q", l.name)
}

// identity tells limits apart: one under several names is one.
func (l limit) identity() any {
	if named, ok := l.limiter.(*namedLimiter); ok {
		return named.limiter
	}
	return l.limiter
}
