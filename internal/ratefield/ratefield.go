// Package ratefield writes and reads the response header fields RateLimit-Policy
// and RateLimit (draft-ietf-httpapi-ratelimit-headers-11) and writes Retry-After.
//
// There are two ways to write. [AppendPolicies] and [AppendLimits] are strict,
// for what is known when a program is built: a fault is an error. [AppendPolicyItem]
// and [AppendLimitItem] are tolerant, for what a limiter says while a request
// waits for its answer: they make a valid member of anything and do not allocate.
//
// Only the parameter names of that draft are spoken. All functions are safe for
// concurrent use.
package ratefield

import (
	"fmt"
	"strings"

	"github.com/sallyport-go/sallyport/internal/sfv"
)

// The names of the fields as keys of an http.Header.
const (
	PolicyField = "Ratelimit-Policy"
	LimitField  = "Ratelimit"
)

// Separator stands between the members of a field.
const Separator = ", "

// parameter is what the draft says about one parameter.
type parameter struct {
	key      string
	required bool
	holds    func(sfv.Value) bool
	demand   string
}

// The parameters of both fields, for writing and for reading. A quota unit may
// be one that was registered after the draft.
var (
	policyParameters = []parameter{ // section 3.1
		{"q", true, isNatural, "a non-negative Integer"},
		{"qu", false, isString, "a String"},
		{"w", false, isPositive, "a positive Integer"},
		{"pk", false, isBytes, "a Byte Sequence"},
	}
	limitParameters = []parameter{ // section 4.1
		{"r", true, isNatural, "a non-negative Integer"},
		{"t", false, isNatural, "a non-negative Integer"},
		{"pk", false, isBytes, "a Byte Sequence"},
	}
)

// check holds the parameters of a member against the draft. Others are comments.
func check(params sfv.Params, known []parameter) error {
	for _, p := range known {
		value := params.Get(p.key)
		if value == nil && p.required {
			return fmt.Errorf("%s is missing", p.key)
		}
		if value != nil && !p.holds(value) {
			return fmt.Errorf("%s is not %s", p.key, p.demand)
		}
	}
	return nil
}

func isNatural(v sfv.Value) bool {
	n, ok := v.(sfv.Integer)
	return ok && n >= 0
}

func isPositive(v sfv.Value) bool {
	n, ok := v.(sfv.Integer)
	return ok && n > 0
}

func isString(v sfv.Value) bool {
	_, ok := v.(sfv.String)
	return ok
}

func isBytes(v sfv.Value) bool {
	_, ok := v.(sfv.Bytes)
	return ok
}

// nameSet holds the names of a list, which differ in more than their case.
type nameSet map[string]struct{}

// add reports whether the name is new.
func (s nameSet) add(name string) bool {
	name = strings.ToLower(name)
	_, known := s[name]
	s[name] = struct{}{}
	return !known
}
