package sallyport

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/sallyport-go/sallyport/api"
)

// A router finds the endpoint of a request by method and path:
//
//	base path "/v" version "/" package [ "/" action ]
//
// It is built once and never changes, so it is safe for concurrent use. It
// answers nothing itself, and above all it never redirects.
//
// The most specific endpoint wins, whatever the order of registration: at the
// leftmost segment where two endpoints differ, plain text wins over a variable,
// and a variable over the rest of the path. Each method has its own winner.
type router struct {
	prefix    string // what stands before the version
	versions  []*versionRoutes
	variables [][]string // the names of the variables of each route, in the order of its path
}

// routeMistake tells why a route is not in the table.
type routeMistake struct {
	route int
	other int // the route it repeats; -1: none
	err   error
}

// matchOutcome is what the presenter has to do.
type matchOutcome uint8

const (
	routeNotFound         matchOutcome = iota // no endpoint has the path
	routeUnknownVersion                       // nor has any its version
	routeBadPath                              // the path is not text, or longer than that of any endpoint may be
	routeMethodNotAllowed                     // the path has endpoints, for the methods in allow
	routePreflight                            // OPTIONS on a path with endpoints, none of them for OPTIONS
	routeFound                                // route and params are set
)

// match is the answer of a router.
type match struct {
	outcome matchOutcome
	route   int            // the index of the route; -1 unless it was found
	params  api.PathValues // the variables, decoded, in the order of the path; nil when it has none
	allow   []string       // routeMethodNotAllowed, routePreflight: the methods of the path, sorted; shared, so read only
}

// newRouter builds the table of the routes, which have passed Validate. The
// mistakes name them by index; the routes with one are not in the table. The
// base path is plain text: "/api", or "/" or "" for none.
func newRouter(basePath string, routes []api.EndpointIdentifier) (*router, []routeMistake) {
	rt := &router{
		prefix:    strings.TrimSuffix(basePath, "/") + "/v",
		variables: make([][]string, len(routes)),
	}
	var mistakes []routeMistake
	type identity struct{ method, version, shape, path string }
	first := make(map[identity]int, len(routes))
	signatures := strings.Repeat("#", len(routes))
	for i, e := range routes {
		p := newPattern(e.Segments())
		id := identity{e.Method(), e.Version(), p.shape, p.path}
		if other, repeated := first[id]; repeated {
			err := fmt.Errorf("%s is the same endpoint as %s", e, routes[other])
			mistakes = append(mistakes, routeMistake{route: i, other: other, err: err})
			continue
		}
		first[id] = i
		v := rt.version(e.Version())
		if v == nil {
			v = &versionRoutes{version: e.Version(), prefix: rt.prefix + e.Version() + "/"}
			rt.versions = append(rt.versions, v)
		}
		if err := v.add(e.Method(), p, signatures[:i]); err != nil {
			mistakes = append(mistakes, routeMistake{route: i, other: -1, err: fmt.Errorf("%s: %w", e, err)})
			continue
		}
		rt.variables[i] = p.variables
	}
	for _, v := range rt.versions {
		v.freeze()
	}
	return rt, mistakes
}

// version returns the endpoints of a version, or nil.
func (rt *router) version(version string) *versionRoutes {
	for _, v := range rt.versions { // so few that no map is faster
		if v.version == version {
			return v
		}
	}
	return nil
}

// match finds the endpoint of a request. The variables of its path are appended
// to params, so a caller with a buffer saves an allocation.
//
//   - The method is compared in upper case. HEAD is served by GET unless it has
//     an endpoint of its own.
//   - One slash behind the path is ignored when no endpoint takes it as the rest
//     of the path. An empty segment is never found.
//   - Dots are data: a segment ".." is the value of a variable like any other.
//   - A path in a known version is bad when it has a NUL, is not UTF-8, or is
//     longer than maxPathLength or maxSegments.
//   - A target without a path ("OPTIONS *", CONNECT) is not found.
func (rt *router) match(method string, u *url.URL, params api.PathValues) match {
	path := canonicalPath(u)
	v := rt.versionOf(path)
	if v == nil {
		return match{outcome: rt.versionMiss(path), route: -1}
	}
	path = path[len(v.prefix)-1:]
	segments := strings.Count(path, "/")
	if segments > maxSegments || len(u.Path) > maxPathLength {
		return match{outcome: routeBadPath, route: -1}
	}
	if v.escape {
		path = escapeWildcards.Replace(path)
	}
	route, values := v.find(method, path, segments)
	// The text of an endpoint is in order, so a path that it matches is in order
	// when the variables are. Only other paths are looked at as a whole.
	plain := route >= 0 && !v.escape && arePlain(values)
	if !plain {
		if !isText(u.Path) {
			return match{outcome: routeBadPath, route: -1}
		}
		if strings.Contains(path, "//") {
			return match{outcome: routeNotFound, route: -1}
		}
	}
	if route < 0 {
		return v.miss(method, path, segments)
	}
	names := rt.variables[route]
	if len(names) == 0 {
		return match{outcome: routeFound, route: route}
	}
	for i, name := range names {
		value := strings.TrimPrefix(values[i].Value, "/") // the rest of a path has one
		if !plain {
			value = removeMarks.Replace(value)
		}
		params = append(params, api.PathValue{Name: name, Value: value})
	}
	return match{outcome: routeFound, route: route, params: params}
}

// versionOf returns the endpoints of the version that a canonical path has, or nil.
func (rt *router) versionOf(path string) *versionRoutes {
	for _, v := range rt.versions {
		if strings.HasPrefix(path, v.prefix) {
			return v
		}
	}
	return nil
}

// versionMiss tells a path that ends with its version from one without a known
// version.
func (rt *router) versionMiss(path string) matchOutcome {
	path, ok := strings.CutPrefix(path, rt.prefix)
	version, _, _ := strings.Cut(path, "/")
	if !ok || rt.version(version) != nil {
		return routeNotFound
	}
	return routeUnknownVersion
}
