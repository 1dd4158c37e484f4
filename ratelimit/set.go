package ratelimit

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sallyport-go/sallyport/internal/part"
)

// Set holds the named policies of a program and makes a [Plan] of the rules of
// each endpoint. A named policy is one limiter: all who name it share its
// counters. Building is not for concurrent use.
type Set struct {
	options Options
	faulty  bool    // the options are
	checked checker // all parts of the options and the named policies
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
		checked: checker{},
		named:   make(map[string]*namedPolicy, len(policies)),
		folded:  make(map[string]string, len(policies)),
	}
	errs := []error{o.mistakes(s.checked)}
	s.faulty = errs[0] != nil
	for i, p := range policies {
		errs = append(errs, s.add(i, p)...)
	}
	return s, unreported(errors.Join(errs...))
}

func (s *Set) add(i int, p Policy) []error {
	if p.Name == "" {
		return []error{fmt.Errorf("rate limit %d has no name", i+1), part.Within(fmt.Sprintf("rate limit %d", i+1), p.mistakes(s.checked))}
	}
	what := fmt.Sprintf("rate limit %q", p.Name)
	if other, taken := s.folded[strings.ToLower(p.Name)]; taken {
		return []error{fmt.Errorf("%s: the name is taken by rate limit %q: they would share counters or be mixed up in the header fields", what, other)}
	}
	named := &namedPolicy{}
	s.named[p.Name] = named
	s.folded[strings.ToLower(p.Name)] = p.Name
	s.order = append(s.order, p.Name)
	if err := p.mistakes(s.checked); err != nil {
		return []error{part.Within(what, err)}
	}
	named.limiter = s.limiter(p)
	return nil
}

// limiter expects a policy that is valid.
func (s *Set) limiter(p Policy) Limiter {
	if p.Limiter != nil {
		return named(p)
	}
	return newPolicyLimiter(p, s.options)
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
	Name     string // the name of an inline limit that has none: "POST.v1.export"; "": there is none yet
}

// Plan makes the limits of one endpoint. All mistakes of the rules are
// reported together. No rules at all are no limit.
func (s *Set) Plan(t Target, rules ...Rule) (*Plan, error) {
	r := resolver{set: s, target: t, checked: s.checked.clone()}
	r.take(rules)
	if r.off && r.others {
		r.mistake("Off stands beside other limits: it is no limit at all")
	}
	r.checkNames()
	if len(r.errs) > 0 {
		return nil, errors.Join(r.errs...)
	}
	p := newPlan(r.limits)
	if s.faulty { // not fit for use, and its storage may not be fit to be told
		return p, nil
	}
	if err := p.prepare(); err != nil {
		return nil, err
	}
	return p, nil
}

func (s *Set) known() string {
	if len(s.order) == 0 {
		return "none"
	}
	return strings.Join(s.order, ", ")
}
