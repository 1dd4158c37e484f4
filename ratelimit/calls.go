package ratelimit

// calls tells what a policy calls that is not of this package and may panic. A
// request that calls nothing of that kind needs no recover, which takes time.
type calls uint8

const (
	callsDetector calls = 1 << iota // unless the request has its address
	callsClock                      // unless the request has its time
	callsOthers                     // for every request
)

func (l *policyLimiter) callsOf() calls {
	c := callsOfKey(l.key)
	if l.system == nil {
		c |= callsClock
	}
	if _, ok := l.algorithm.(BuiltIn); !ok || l.memory == nil || l.limitFor != nil {
		c |= callsOthers
	}
	return c
}

func callsOfKey(k Key) (c calls) {
	switch k := k.(type) {
	case BuiltInKey:
		return 0
	case IPKey:
		return callsDetector
	case keyList:
		for _, part := range k {
			c |= callsOfKey(part)
		}
		return c
	default:
		return callsOthers
	}
}

// callsNobody tells whether this request needs the code of this package alone.
func (l *policyLimiter) callsNobody(rc *Context) bool {
	c := l.calls
	if c == 0 {
		return true
	}
	if rc.ipSet {
		c &^= callsDetector
	}
	if !rc.Now.IsZero() {
		c &^= callsClock
	}
	return c == 0
}
