package sallyport

import (
	"fmt"
	"strings"

	"github.com/sallyport-go/sallyport/internal/part"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// policyNames are the named rate limits of a file. A file calls them by their
// keys, which are the names of the policies too unless a policy says otherwise.
type policyNames struct {
	byKey map[string]string // keys -> names of policies
	taken map[string]string // names of policies in lower case -> keys
}

func newPolicyNames() policyNames {
	return policyNames{byKey: map[string]string{}, taken: map[string]string{}}
}

// rateLimits reads the named limits. One that is faulty keeps its name, so that
// what names it is no mistake.
func (r *fileReader) rateLimits(v value) (policies []ratelimit.Policy) {
	for e := range r.entries(v, "write a map of names and their limits") {
		before := r.faults.count
		r.canBeName(e.key, e.name)
		p, name := r.namedPolicy(e)
		if p.Name == "" {
			p.Name, name = e.name, e.key
		}
		folded := strings.ToLower(p.Name)
		if other, taken := r.policies.taken[folded]; taken {
			r.fault(name, "the name is that of the rate limit %s: they would share counters or be mixed up in the header fields", other)
		} else {
			r.policies.taken[folded] = e.name
		}
		r.policies.byKey[e.name] = p.Name
		if e.ok && r.faults.count == before && !r.partsAreFaulty {
			r.report(e.value, part.Ask(p.Validate))
		}
		policies = append(policies, p)
	}
	return policies
}

// namedPolicy reads what stands under a name: the options of a policy, or a
// limiter of the program.
func (r *fileReader) namedPolicy(e mapEntry) (p ratelimit.Policy, name value) {
	limiter := ""
	switch {
	case !e.ok:
	case e.value.isText():
		limiter = e.value.Value
		p.Limiter = choice(r, e.value, "limiter", r.limiters)
	case e.value.isMap():
		p, name = r.policy(e.value)
	default:
		r.fault(e.value, "%s: write a map of limit and interval, or the name of a limiter of the program", e.value)
	}
	if _, taken := r.limiters[e.name]; taken && limiter != e.name {
		r.fault(e.key, "a limiter of the program has this name, so nobody could tell which is meant")
	}
	return p, name
}

// policy reads the options of a policy. name is the value of that option.
func (r *fileReader) policy(v value) (p ratelimit.Policy, name value) {
	has := r.object(v, fields{
		{"algorithm", set(&p.Algorithm, r.algorithm)},
		{"limit", set(&p.Limit, r.requests)},
		{"interval", set(&p.Interval, r.interval)},
		{"key", set(&p.Key, r.key)},
		{"name", func(v value) { name, p.Name = v, r.policyName(v) }},
		{"onStorageFailure", set(&p.OnStorageFailure, r.failureMode)},
	})
	for _, required := range []string{"limit", "interval"} {
		if !has[required] {
			r.fault(value{path: joinPath(v.path, required), Node: v.Node}, "it is required")
		}
	}
	return p, name
}

// policyName is empty for what cannot be one.
func (r *fileReader) policyName(v value) string {
	name := r.text(v)
	if name == "" || !r.canBeName(v, name) {
		return ""
	}
	return name
}

func (r *fileReader) canBeName(v value, name string) bool {
	if !isPlain(name) {
		r.fault(v, "%s is no name: letters, digits, _, - and . only", quote(name))
		return false
	}
	return true
}

func (r *fileReader) requests(v value) int64 {
	return r.wholeNumber(v, 1, ratelimit.MaxLimit, fmt.Sprintf("write a whole number of requests, 1 to %d", ratelimit.MaxLimit))
}

func (r *fileReader) algorithm(v value) ratelimit.Algorithm {
	return choice(r, v, "algorithm", r.algorithms)
}

// key reads one key or a list of them.
func (r *fileReader) key(v value) ratelimit.Key {
	if !v.isList() {
		return choice(r, v, "key", r.keys)
	}
	var keys []ratelimit.Key
	seen := map[string]bool{}
	for item := range r.items(v) {
		if item.isText() {
			if seen[item.Value] {
				r.fault(item, "%s stands twice in the list", item)
			}
			seen[item.Value] = true
		}
		keys = append(keys, choice(r, item, "key", r.keys))
	}
	return ratelimit.Keys(keys...)
}

func (r *fileReader) failureMode(v value) ratelimit.FailureMode {
	return choice(r, v, "failure mode", map[string]ratelimit.FailureMode{
		"open":   ratelimit.FailOpen,
		"closed": ratelimit.FailClosed,
		"local":  ratelimit.FailLocal,
	})
}
