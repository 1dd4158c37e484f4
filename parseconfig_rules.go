package sallyport

import (
	"fmt"
	"strings"

	"github.com/sallyport-go/sallyport/internal/part"
	"github.com/sallyport-go/sallyport/ratelimit"
)

const (
	wantLimit = "write a name, or a map of limit and interval"
	wantRule  = wantLimit + ", a list of these, or false for none"
)

func (r *fileReader) defaults(v value) (d Defaults) {
	r.object(v, fields{
		{"rateLimit", func(rule value) { d.RateLimit = r.rule(rule, "") }},
	})
	return d
}

// endpoints reads what the file says for endpoints. Whether there are such
// endpoints is known when the program is built.
func (r *fileReader) endpoints(v value) (list []fileEndpoint) {
	for e := range r.entries(v, "write a map of endpoints, such as POST.v1.login") {
		if !isPlain(e.name) {
			r.fault(e.key, `write the derived name of the endpoint, such as POST.v1.login for "POST v1/login"`)
			continue
		}
		f := fileEndpoint{name: e.name, at: positionOf(e.key.Node)}
		if e.ok {
			if e.value.isMap() && len(e.value.Content) == 0 {
				r.fault(e.value, "the map is empty: leave the endpoint out, or write its rateLimit")
			}
			r.object(e.value, fields{
				{"rateLimit", func(rule value) { f.rule = r.rule(rule, e.name) }},
			})
		}
		list = append(list, f)
	}
	return list
}

// rule reads a rate limit in all its forms. endpoint is the derived name of the
// endpoint, after which an inline limit is called; "" for the default, which is
// for several.
func (r *fileReader) rule(v value, endpoint string) (rule ratelimit.Rule) {
	before := r.faults.count
	switch {
	case v.isFalse():
		return ratelimit.Off
	case v.isList():
		var rules []ratelimit.Rule
		for item := range r.items(v) {
			rules = append(rules, r.limit(item, endpoint, wantLimit))
		}
		rule = ratelimit.Rules(rules...)
	default:
		rule = r.limit(v, endpoint, wantRule)
	}
	if r.faults.count == before {
		r.rules = append(r.rules, fileRule{v, rule, endpoint})
	}
	return rule
}

// limit reads a name or an inline limit.
func (r *fileReader) limit(v value, endpoint, want string) ratelimit.Rule {
	switch {
	case v.isText():
		return r.reference(v)
	case v.isMap():
		return r.inline(v, endpoint)
	}
	r.fault(v, "%s: %s", v, want)
	return nil
}

// reference finds a named limit of the file or a limiter of the program.
func (r *fileReader) reference(v value) ratelimit.Rule {
	name := r.text(v)
	if policy, ok := r.policies.byKey[name]; ok {
		return ratelimit.Named(policy)
	}
	if limiter, ok := r.limiters[name]; ok {
		return ratelimit.Use(limiter)
	}
	if name != "" {
		known := append(sortedKeys(r.policies.byKey), sortedKeys(r.limiters)...)
		r.report(v, fmt.Errorf("%w; for none write false", unknownName("rate limit", name, known)))
	}
	return nil
}

func (r *fileReader) inline(v value, endpoint string) ratelimit.Rule {
	p, name := r.policy(v)
	called := p.Name
	if called == "" {
		name, called = v, endpoint // "" for the default: nothing is called so
	}
	if other, taken := r.policies.taken[strings.ToLower(called)]; taken {
		r.fault(name, "the inline rate limit is called %q like a named one: write %s to share its counters, or give it another name", called, other)
	}
	return p
}

// fileRule is a rate limit of an endpoint or the default, without mistakes of
// its own.
type fileRule struct {
	value
	rule     ratelimit.Rule
	endpoint string // "" for the default
}

// checkRules finds what is wrong with each rate limit as a whole: the same limit
// twice, two limits with one name, a limit that the storage cannot count.
func (r *fileReader) checkRules() {
	if r.partsAreFaulty { // which are told already
		return
	}
	var set *ratelimit.Set
	err := part.Ask(func() (err error) {
		set, err = ratelimit.NewSet(r.config.RateLimits, r.config.RateLimiting)
		return err
	})
	if r.faults.count == 0 { // or it is told where it stands
		r.report(value{path: "rateLimits"}, err)
	}
	for _, f := range r.rules {
		if set == nil || r.faults.full() {
			return
		}
		r.report(f.value, part.Ask(func() error {
			_, err := set.Plan(ratelimit.Target{Endpoint: f.endpoint, Name: f.endpoint}, f.rule)
			return err
		}))
	}
}
