package ratelimit

import "time"

// PolicyInfo describes one limit of a [Plan], for documents about a program.
type PolicyInfo struct {
	Name      string        // as the header fields have it; "" for a limiter of one's own without one
	Algorithm string        // its [Algorithm.Name]; "" for a limiter of one's own
	Limit     int64         // requests per Interval; 0: a limiter of one's own tells it with its answers
	Interval  time.Duration // 0: likewise
	PerCaller bool          // Limit is that of callers to whom Policy.LimitFor gives none
	Keys      []string      // who shares a counter: "ip", "identity", "endpoint", "custom"; nil for a limiter of one's own
	Stage     Stage         // of the gate that asks it; the first one for a limiter of one's own, which both ask

	// Closed is a policy that refuses with 503 while its storage is unavailable,
	// see [FailClosed].
	Closed bool
}

// Policies describes the limits in the order in which they are asked. The caller
// may change what it gets.
func (p *Plan) Policies() []PolicyInfo {
	var infos []PolicyInfo
	for s, g := range p.chain.stages {
		for _, l := range g.limiters {
			policy, ok := l.(*policyLimiter)
			switch {
			case ok:
				infos = append(infos, policy.describe())
			case Stage(s) == BeforeAuthorization: // both gates have the same ones
				infos = append(infos, PolicyInfo{Name: ownName(l)})
			}
		}
	}
	return infos
}

func (l *policyLimiter) describe() PolicyInfo {
	return PolicyInfo{
		Name:      l.name,
		Algorithm: l.algorithm.Name(),
		Limit:     l.limit,
		Interval:  l.window,
		PerCaller: l.limitFor != nil,
		Keys:      keyNames(l.key),
		Stage:     l.stage,
		Closed:    l.onFailure == FailClosed,
	}
}

func ownName(l Limiter) string {
	if named, ok := l.(*namedLimiter); ok {
		return named.name
	}
	return ""
}

func keyNames(k Key) []string {
	list, ok := k.(keyList)
	if !ok {
		list = keyList{k}
	}
	names := make([]string, len(list))
	for i, k := range list {
		switch k := k.(type) {
		case IPKey:
			names[i] = "ip"
		case BuiltInKey:
			names[i] = "identity"
			if k == Endpoint {
				names[i] = "endpoint"
			}
		default:
			names[i] = "custom"
		}
	}
	return names
}
