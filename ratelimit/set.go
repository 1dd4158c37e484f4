package ratelimit

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Set holds the named policies of a program and makes a [Plan] of the rules of
// each endpoint. A named policy is one limiter: all who name it share its
// counters. Building is not for concurrent use.
type Set struct {
	options Options
	named   map[string]*namedPolicy
	folded  map[string]string // names in lower case -> as they were given
	order   []string
}

type namedPolicy struct {
	limiter Limiter // nil when the policy is faulty
	used    bool
}

// NewSet takes the named policies. All their mistakes are reported together;
// the Set beside an error knows the names, so that the rules of endpoints can
// still be checked, but it is not fit for use.
func NewSet(policies []Policy, o Options) (*Set, error) {
	s := &Set{
		options: o.withDefaults(),
		named:   make(map[string]*namedPolicy, len(policies)),
		folded:  make(map[string]string, len(policies)),
	}
	errs := []error{o.Validate()}
	for i, p := range policies {
		errs = append(errs, s.add(i, p)...)
	}
	return s, errors.Join(errs...)
}

func (s *Set) add(i int, p Policy) []error {
	if p.Name == "" {
		return []error{fmt.Errorf("rate limit %d has no name", i+1), mistakesOf(fmt.Sprintf("rate limit %d", i+1), p)}
	}
	what := fmt.Sprintf("rate limit %q", p.Name)
	if other, taken := s.folded[strings.ToLower(p.Name)]; taken {
		return []error{fmt.Errorf("%s: the name is taken by rate limit %q: they would share counters or be mixed up in the header fields", what, other)}
	}
	named := &namedPolicy{}
	s.named[p.Name] = named
	s.folded[strings.ToLower(p.Name)] = p.Name
	s.order = append(s.order, p.Name)
	if err := mistakesOf(what, p); err != nil {
		return []error{err}
	}
	named.limiter = s.limiter(p)
	return nil
}

// limiter expects a policy that is valid.
func (s *Set) limiter(p Policy) Limiter {
	if p.Limiter != nil {
		return p.Limiter
	}
	return newPolicyLimiter(p, s.options)
}

// mistakesOf puts what in front of each mistake of p.
func mistakesOf(what string, p Policy) error {
	err := p.Validate()
	if err == nil {
		return nil
	}
	list, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return fmt.Errorf("%s: %w", what, err)
	}
	var errs []error
	for _, e := range list.Unwrap() {
		errs = append(errs, fmt.Errorf("%s: %w", what, e))
	}
	return errors.Join(errs...)
}

// Unused lists the named policies that no plan has taken so far, in their order.
func (s *Set) Unused() []string {
	var names []string
	for _, name := range s.order {
		if !s.named[name].used {
			names = append(names, name)
		}
	}
	return names
}

// Target is the endpoint that a [Plan] is made for.
type Target struct {
	Endpoint string // tells endpoints apart: Context.Endpoint
	Name     string // the name of an inline limit that has none: "POST.v1.export"
}

// Plan makes the limits of one endpoint. All mistakes of the rules are
// reported together. No rules at all are no limit.
func (s *Set) Plan(t Target, rules ...Rule) (*Plan, error) {
	r := resolver{set: s, target: t}
	r.take(rules)
	if r.off && r.others {
		r.mistake("Off stands beside other limits: it is no limit at all")
	}
	r.checkNames()
	if len(r.errs) > 0 {
		return nil, errors.Join(r.errs...)
	}
	return newPlan(r.limits)
}

// resolver turns the rules of one endpoint into a flat list of limiters.
type resolver struct {
	set    *Set
	target Target
	limits []limit
	off    bool // a rule was Off
	others bool // a rule was not Off
	errs   []error
}

type limit struct {
	name    string // "" for a limiter without one
	limiter Limiter
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
			r.add(name, p.limiter)
		}
	}
}

func (s *Set) known() string {
	if len(s.order) == 0 {
		return "none"
	}
	return strings.Join(s.order, ", ")
}

// takeInline gives the limit counters of its own for this endpoint.
func (r *resolver) takeInline(p Policy) {
	if p.Name == "" {
		p.Name = r.target.Name
	}
	if err := mistakesOf("inline rate limit "+fmt.Sprintf("%q", p.Name), p); err != nil {
		r.errs = append(r.errs, err)
		return
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
	r.add(p.Name, r.set.limiter(p))
}

func (r *resolver) takeOwn(l Limiter) {
	if l == nil {
		r.mistake("Use has no limiter")
		return
	}
	if err := validate("limiter", l); err != nil {
		r.errs = append(r.errs, err)
		return
	}
	r.add("", l)
}

// add flattens chains, so that what stands in them is seen.
func (r *resolver) add(name string, l Limiter) {
	switch l := l.(type) {
	case *chain:
		for _, inner := range l.all {
			r.add("", inner)
		}
	case *policyLimiter:
		r.limits = append(r.limits, limit{l.name, l})
	default:
		r.limits = append(r.limits, limit{name, l})
	}
}

// checkNames finds limits that would count twice or share a name.
func (r *resolver) checkNames() {
	byName := map[string]string{}
	seen := map[any]bool{}
	for _, l := range r.limits {
		if isPointer(l.limiter) {
			if seen[l.limiter] {
				r.mistake("the rate limit %s stands twice in the list: it would count double", l)
				continue
			}
			seen[l.limiter] = true
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

// isPointer keeps values of users out of comparisons, which may panic.
func isPointer(part any) bool { return reflect.TypeOf(part).Kind() == reflect.Pointer }
