package ratefield

// Merge joins our value of a field with the lines that a handler or an upstream
// has already set: their members follow ours, but for those whose names are
// among ownNames or came before, letter case aside. Lines with a fault are
// dropped: behind them a client would ignore our members, too. isPolicy tells
// RateLimit-Policy from RateLimit.
func Merge(own string, ownNames, theirs []string, isPolicy bool) string {
	read := ParseLimits
	if isPolicy {
		read = ParsePolicies
	}
	members, err := read(theirs)
	if err != nil {
		return own
	}
	// Names are compared as they are written: one of ours may have lost what a
	// field cannot hold.
	names := nameSet{}
	for _, name := range ownNames {
		names.add(string(AppendName(nil, name)))
	}
	merged := []byte(own)
	for _, m := range members {
		if !names.add(string(AppendName(nil, m.Name))) {
			continue
		}
		if len(merged) > 0 {
			merged = append(merged, Separator...)
		}
		if merged, err = m.appendTo(merged); err != nil {
			return own // cannot happen: what was read can be written
		}
	}
	return string(merged)
}
