package ratelimit

// shortcut is the way of a policy in memory whose algorithm and key are of this
// package: the text of its keys need not be made. What they begin with is hashed
// once, and the rest where it stands. The counters are those of the text.
type shortcut struct {
	key     BuiltInKey // Identity, Endpoint or address; 0: there is no shortcut
	builtIn BuiltIn
	head    keyHash // of the name and the tag, for the algorithm and the interval
	most    int     // bytes of a tail that stands in its key as it is
}

// address stands for an [IPKey].
const address BuiltInKey = 255

func (l *policyLimiter) shortcutOf() (s shortcut) {
	b, ok := l.algorithm.(BuiltIn)
	if !ok || l.memory == nil {
		return s
	}
	var tag string
	switch k := l.key.(type) {
	case IPKey:
		s.key, tag = address, tagIP
	case BuiltInKey:
		s.key, tag = k, k.tag()
	default:
		return s
	}
	s.builtIn, s.most = b, maxKeyLength-len(tag)
	s.head = hashHead(l.prefix + tag).of(builtInSalt(b, l.interval))
	return s
}

// tail is what the key of this request has behind its head; ok is false when the
// request cannot take the shortcut.
func (s *shortcut) tail(rc *Context) (tail string, ok bool) {
	switch s.key {
	case Endpoint:
		return rc.Endpoint, len(rc.Endpoint) <= s.most
	case Identity:
		return rc.Identity, rc.Identity != "" && len(rc.Identity) <= s.most
	case address:
		ip, err := rc.IP()
		return ip, err == nil && isIPv4(ip) // no other is its own text in a key
	}
	return "", false
}

func (l *policyLimiter) decide(tail string, t *Take) Decision {
	b := l.shortcut.builtIn
	id, s := l.memory.started().find(l.shortcut.head.withTail(tail))
	d, full := s.consume(id, b, t)
	if full {
		d = l.memory.decideShared(hashHead(l.name), b, t)
	}
	return d
}
