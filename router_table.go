package sallyport

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"
)

const (
	maxSegments = 128 // of a path behind its version
	maxShapes   = 64  // of the paths with variables of one method and version
)

// versionRoutes are the endpoints of one version. Paths are canonical and begin
// at the slash behind the version.
type versionRoutes struct {
	version string
	prefix  string // what stands before the paths, and their first slash
	methods []*methodRoutes
	allow   map[string][]string // the methods of every path without variables
	escape  bool                // an endpoint has a ":" or "*" that is plain text
}

// add takes the route that is the length of the signature.
func (v *versionRoutes) add(method string, p pattern, signature string) error {
	if len(p.shape) > maxSegments || len(p.path) > maxPathLength {
		return fmt.Errorf("the path is too long: at most %d segments and %d bytes", maxSegments, maxPathLength)
	}
	m := v.method(method)
	if m == nil {
		m = &methodRoutes{method: method}
		v.methods = append(v.methods, m)
	}
	v.escape = v.escape || p.escaped
	return m.add(p, signature)
}

// method returns the endpoints of a method, or nil.
func (v *versionRoutes) method(method string) *methodRoutes {
	for _, m := range v.methods { // so few that no map is faster
		if m.method == method {
			return m
		}
	}
	return nil
}

// freeze computes what depends on all routes of the version.
func (v *versionRoutes) freeze() {
	for _, m := range v.methods {
		m.freeze()
	}
	allow := map[string][]string{}
	for _, m := range v.methods {
		for segments, candidates := range m.lengths {
			for path := range candidates.static {
				if allow[path] == nil {
					allow[path] = v.allowed(path, segments)
				}
			}
		}
	}
	v.allow = allow
}

// find returns the route that serves the method and the values of its
// variables, under keys of no meaning; -1 when there is none.
func (v *versionRoutes) find(method, path string, segments int) (route int, values httprouter.Params) {
	if m := v.method(method); m != nil {
		if route, values = m.find(path, segments); route >= 0 {
			return route, values
		}
	}
	if upper := strings.ToUpper(method); upper != method {
		return v.find(upper, path, segments)
	}
	if method == http.MethodHead {
		return v.find(http.MethodGet, path, segments)
	}
	return -1, nil
}

// miss answers for a path that has no endpoint for the method.
func (v *versionRoutes) miss(method, path string, segments int) match {
	m := match{route: -1, allow: v.allowed(path, segments)}
	switch {
	case m.allow == nil:
		m.outcome = routeNotFound
	case strings.ToUpper(method) == http.MethodOptions:
		m.outcome = routePreflight
	default:
		m.outcome = routeMethodNotAllowed
	}
	return m
}

// allowed lists the methods that the path can be asked with, or nil when it has
// no endpoint. GET answers HEAD, and every path answers OPTIONS.
func (v *versionRoutes) allowed(path string, segments int) []string {
	if methods := v.allow[path]; methods != nil {
		return methods
	}
	var methods []string
	for _, m := range v.methods {
		if route, _ := m.find(path, segments); route >= 0 {
			methods = append(methods, m.method)
		}
	}
	if methods == nil {
		return nil
	}
	if slices.Contains(methods, http.MethodGet) {
		methods = append(methods, http.MethodHead)
	}
	methods = append(methods, http.MethodOptions)
	slices.Sort(methods)
	return slices.Clip(slices.Compact(methods))
}

// methodRoutes are the endpoints of one method and version. Paths without
// variables stand in a map. The others are matched by one httprouter per shape:
// routes of one shape have their variables at the same places, which is all
// that keeps httprouter from refusing them.
type methodRoutes struct {
	method  string
	trees   []*shapeTree // the most specific shape first
	lengths []candidates // by the number of segments; the last is for all longer paths
}

// candidates are the endpoints that a path of some number of segments can have.
type candidates struct {
	static map[string]int
	trees  []*shapeTree // the most specific shape first
}

type shapeTree struct {
	shape string
	tree  httprouter.Router
}

// anyMethod is the method of all paths in a tree, which are of one method anyway.
const anyMethod = "*"

func (m *methodRoutes) add(p pattern, signature string) error {
	for len(m.lengths) <= len(p.shape)+1 {
		m.lengths = append(m.lengths, candidates{static: map[string]int{}})
	}
	if len(p.variables) == 0 {
		m.lengths[len(p.shape)].static[p.path] = len(signature)
		return nil
	}
	i, found := slices.BinarySearchFunc(m.trees, p.shape, func(t *shapeTree, shape string) int {
		return cmp.Compare(t.shape, shape)
	})
	if !found {
		if len(m.trees) == maxShapes {
			return fmt.Errorf("more than %d arrangements of variables in the paths of one method and version", maxShapes)
		}
		m.trees = slices.Insert(m.trees, i, &shapeTree{shape: p.shape})
	}
	// Lookup returns a handle, which cannot be asked for its route. So the handle
	// signs the values with it: they belong to that one Lookup, and there is at
	// least one. A length is the fastest signature to read.
	m.trees[i].tree.Handle(anyMethod, p.path, func(_ http.ResponseWriter, _ *http.Request, values httprouter.Params) {
		values[0].Key = signature
	})
	return nil
}

// freeze lays the trees out by the numbers of segments that they can match.
func (m *methodRoutes) freeze() {
	for _, t := range m.trees {
		shortest := len(t.shape)
		longest := shortest
		if strings.HasSuffix(t.shape, shapeRest) {
			longest = len(m.lengths) - 1
		}
		for n := shortest; n <= longest; n++ {
			m.lengths[n].trees = append(m.lengths[n].trees, t)
		}
	}
}

// find matches the path as it is, or else without the slash at its end.
func (m *methodRoutes) find(path string, segments int) (route int, values httprouter.Params) {
	for exact := true; ; exact = false {
		c := &m.lengths[min(segments, len(m.lengths)-1)]
		if route, found := c.static[path]; found {
			return route, nil
		}
		for _, t := range c.trees {
			if sign, values, _ := t.tree.Lookup(anyMethod, path); sign != nil {
				sign(nil, nil, values)
				return len(values[0].Key), values
			}
		}
		if !exact || !strings.HasSuffix(path, "/") {
			return -1, nil
		}
		path, segments = path[:len(path)-1], segments-1
	}
}
