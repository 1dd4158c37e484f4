package ratefield

import (
	"fmt"

	"github.com/sallyport-go/sallyport/internal/sfv"
)

// The registered quota units (section 3.1.2).
const (
	UnitRequests           = "requests"
	UnitContentBytes       = "content-bytes"
	UnitConcurrentRequests = "concurrent-requests"
)

// Policy is a member of RateLimit-Policy (section 3.1).
type Policy struct {
	Name         string // printable ASCII
	Quota        int64  // q: 0 to sfv.MaxInteger
	Unit         string // qu: a registered unit; "" and UnitRequests leave it out
	Window       int64  // w: seconds, up to sfv.MaxInteger; 0: none
	HasWindow    bool   // a window is wanted, so a Window of 0 is an error and not none
	PartitionKey []byte // pk; nil leaves it out
}

// Limit is a member of RateLimit (section 4.1). Negative numbers are written as
// 0: a limit that was overdrawn has nothing left.
type Limit struct {
	Name         string // printable ASCII
	Available    int64  // r: up to sfv.MaxInteger
	Reset        int64  // t: seconds, up to sfv.MaxInteger
	HasReset     bool   // t is written
	PartitionKey []byte // pk; nil leaves it out
}

// AppendPolicies appends the value of RateLimit-Policy. No policies append
// nothing: leave the field out. What the draft or RFC 9651 forbids is an error
// and dst comes back as it was, and so are two names that differ in their case
// at most: the draft leaves open which of them a client would take.
func AppendPolicies(dst []byte, policies []Policy) ([]byte, error) {
	members := make([]Member, len(policies))
	for i, p := range policies {
		switch p.Unit {
		case "", UnitRequests, UnitContentBytes, UnitConcurrentRequests:
		default:
			return dst, fmt.Errorf("ratefield: %q: quota unit %q is not registered", p.Name, p.Unit)
		}
		members[i] = p.member()
	}
	return appendMembers(dst, members, policyParameters)
}

// AppendLimits appends the value of RateLimit, as [AppendPolicies] does with
// policies.
func AppendLimits(dst []byte, limits []Limit) ([]byte, error) {
	members := make([]Member, len(limits))
	for i, l := range limits {
		members[i] = l.member()
	}
	return appendMembers(dst, members, limitParameters)
}

func (p Policy) member() Member {
	params := sfv.Params{{Key: "q", Value: sfv.Integer(p.Quota)}}
	if p.Unit != "" && p.Unit != UnitRequests {
		params = append(params, sfv.Param{Key: "qu", Value: sfv.String(p.Unit)})
	}
	if p.HasWindow || p.Window != 0 {
		params = append(params, sfv.Param{Key: "w", Value: sfv.Integer(p.Window)})
	}
	return Member{p.Name, appendPartitionKey(params, p.PartitionKey)}
}

func (l Limit) member() Member {
	params := sfv.Params{{Key: "r", Value: sfv.Integer(max(0, l.Available))}}
	if l.HasReset {
		params = append(params, sfv.Param{Key: "t", Value: sfv.Integer(max(0, l.Reset))})
	}
	return Member{l.Name, appendPartitionKey(params, l.PartitionKey)}
}

func appendPartitionKey(params sfv.Params, key []byte) sfv.Params {
	if key == nil {
		return params
	}
	return append(params, sfv.Param{Key: "pk", Value: sfv.Bytes(key)})
}

func appendMembers(dst []byte, members []Member, known []parameter) ([]byte, error) {
	out, names := dst, nameSet{}
	for i, m := range members {
		if i > 0 {
			out = append(out, Separator...)
		}
		err := check(m.Params, known)
		if err == nil {
			out, err = m.appendTo(out)
		}
		if err != nil {
			return dst, fmt.Errorf("ratefield: %q: %w", m.Name, err)
		}
		if !names.add(m.Name) {
			return dst, fmt.Errorf("ratefield: %q stands twice", m.Name)
		}
	}
	return out, nil
}
