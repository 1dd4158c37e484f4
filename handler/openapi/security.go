package openapi

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/jsontree"
)

// open reports whether everybody is admitted without a word.
func open(s api.Scheme) bool {
	return s.Name == "" && s.Type == "" && s.Any == nil && s.All == nil && s.Identifies == api.IdentifiesNever
}

// scoped reports whether a scope is asked for somewhere.
func scoped(s api.Scheme) bool {
	return len(s.Scopes) > 0 || slices.ContainsFunc(s.Any, scoped) || slices.ContainsFunc(s.All, scoped)
}

// security is what an operation asks for: a list of which one is enough, whose
// members are all needed. None is an empty list.
func (w *writer) security(s api.Scheme) []any {
	list := []any{}
	if open(s) {
		return list
	}
	known := map[string]bool{}
	for _, needed := range w.alternatives(s) {
		requirement := &jsontree.Object{}
		for _, n := range needed {
			requirement.Set(n.name, n.scopes)
		}
		text, err := jsontree.Append(nil, requirement)
		if err == nil && !known[string(text)] {
			known[string(text)] = true
			list = append(list, requirement)
		}
	}
	return list
}

// mostWays bounds what auth.All of auth.Any multiplies.
const mostWays = 64

// need is a scheme with the scopes that are asked for.
type need struct {
	name   string
	scopes []any
}

// alternatives are the ways to be admitted.
func (w *writer) alternatives(s api.Scheme) (ways [][]need) {
	switch {
	case len(s.Any) > 0:
		for _, one := range s.Any {
			ways = append(ways, w.alternatives(one)...)
		}
	case len(s.All) > 0:
		ways = [][]need{nil}
		for _, one := range s.All {
			var longer [][]need
			for _, way := range ways {
				for _, more := range w.alternatives(one) {
					if len(longer) == mostWays {
						w.errs = append(w.errs, fmt.Errorf("an authorization can be met in more than %d ways: nobody could read them", mostWays))
						return longer
					}
					longer = append(longer, slices.Concat(way, more))
				}
			}
			ways = longer
		}
	case open(s):
		ways = [][]need{nil}
	default:
		ways = [][]need{{{name: w.scheme(s), scopes: []any{}}}}
	}
	for _, way := range ways {
		for i := range way {
			for _, scope := range s.Scopes {
				way[i].scopes = append(way[i].scopes[:len(way[i].scopes):len(way[i].scopes)], scope)
			}
		}
	}
	return ways
}

// scheme is the component that describes a scheme.
func (w *writer) scheme(s api.Scheme) string {
	base, object := describeScheme(s)
	name := base
	for n := 2; hasMember(w.schemes, name); n++ {
		if equal(w.schemes.Object(name), object) {
			return name
		}
		name = base + "_" + strconv.Itoa(n)
	}
	w.schemes.Set(name, object)
	return name
}

func describeScheme(s api.Scheme) (name string, object *jsontree.Object) {
	if s.Type == "apiKey" {
		key := strings.ToLower(strings.Map(func(r rune) rune {
			if isLetterOrDigit(r) || r == '.' {
				return r
			}
			return '_'
		}, s.ParameterName))
		return "api_key__" + s.In + "__" + key, jsontree.Of("type", "apiKey", "in", s.In, "name", s.ParameterName)
	}
	if s.Type == "oauth2" { // the flows are laid over it by Extra
		return "OAuth2", jsontree.Of("type", "oauth2", "flows", &jsontree.Object{})
	}
	scheme := strings.ToLower(cmp.Or(s.Name, "custom"))
	object = jsontree.Of("type", "http", "scheme", scheme)
	if s.BearerFormat != "" {
		object.Set("bearerFormat", s.BearerFormat)
	}
	name = strings.Map(func(r rune) rune {
		if isLetterOrDigit(r) || r == '.' || r == '-' {
			return r
		}
		return '_'
	}, scheme)
	return strings.ToUpper(name[:1]) + name[1:], object
}
