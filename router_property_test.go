package sallyport

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sallyport-go/sallyport/api"
)

// routerReference is the router as its rules tell it: it tries every endpoint on the
// segments of the escaped target, and knows no tree, shape or mark.
type routerReference struct {
	base   []string
	routes []api.EndpointIdentifier
}

func (ref routerReference) match(method, target string) routed {
	segments := strings.Split(target, "/")
	length := len(segments) - 1
	for i, segment := range segments {
		segments[i], _ = url.PathUnescape(segment)
		length += len(segments[i])
	}
	n := len(ref.base)
	if len(segments) <= n || !slices.Equal(segments[:n], ref.base) || !strings.HasPrefix(segments[n], "v") {
		return routed{}
	}
	version, segments := segments[n][1:], segments[n+1:]
	if !slices.ContainsFunc(ref.routes, func(e api.EndpointIdentifier) bool { return e.Version() == version }) {
		return routed{outcome: routeUnknownVersion}
	}
	path := strings.Join(segments, "/")
	if length > maxPathLength || len(segments) > maxSegments || !utf8.ValidString(path) || strings.Contains(path, "\x00") {
		return routed{outcome: routeBadPath}
	}
	return ref.matchVersion(strings.ToUpper(method), version, segments)
}

func (ref routerReference) matchVersion(method, version string, segments []string) routed {
	for i, segment := range segments {
		if segment == "" && i < len(segments)-1 {
			return routed{}
		}
	}
	allow := map[string]bool{}
	for _, e := range ref.routes {
		if _, found := ref.best(e.Method(), version, segments); found {
			allow[e.Method()] = true
		}
	}
	if found, ok := ref.best(method, version, segments); ok {
		return found
	}
	if method == http.MethodHead && allow[http.MethodGet] {
		found, _ := ref.best(http.MethodGet, version, segments)
		return found
	}
	if len(allow) == 0 {
		return routed{}
	}
	allow[http.MethodOptions] = true
	allow[http.MethodHead] = allow[http.MethodHead] || allow[http.MethodGet]
	var methods []string
	for name, allowed := range allow {
		if allowed {
			methods = append(methods, name)
		}
	}
	slices.Sort(methods)
	answer := routed{outcome: routeMethodNotAllowed, allow: strings.Join(methods, ", ")}
	if method == http.MethodOptions {
		answer.outcome = routePreflight
	}
	return answer
}

// best is the most specific endpoint of a method: for the segments as they are,
// or else without an empty one at the end.
func (ref routerReference) best(method, version string, segments []string) (routed, bool) {
	var best []string
	var answer routed
	for _, e := range ref.routes {
		if e.Method() != method || e.Version() != version {
			continue
		}
		params, ok := matchSegments(e.Segments(), segments)
		if ok && (best == nil || moreSpecific(e.Segments(), best)) {
			best, answer = e.Segments(), routedTo(e.String(), params...)
		}
	}
	if last := len(segments) - 1; best == nil && last >= 0 && segments[last] == "" {
		return ref.best(method, version, segments[:last])
	}
	return answer, best != nil
}

func matchSegments(pattern, segments []string) (params api.PathValues, ok bool) {
	for i, p := range pattern {
		name, rest, variable := api.Variable(p)
		switch {
		case i >= len(segments):
			return nil, false
		case rest:
			return append(params, api.PathValue{Name: name, Value: strings.Join(segments[i:], "/")}), true
		case variable && segments[i] != "":
			params = append(params, api.PathValue{Name: name, Value: segments[i]})
		case variable || p != segments[i]:
			return nil, false
		}
	}
	return params, len(pattern) == len(segments)
}

func moreSpecific(a, b []string) bool {
	rank := func(segment string) int {
		_, rest, variable := api.Variable(segment)
		switch {
		case rest:
			return 2
		case variable:
			return 1
		default:
			return 0
		}
	}
	for i := range min(len(a), len(b)) {
		if rank(a[i]) != rank(b[i]) {
			return rank(a[i]) < rank(b[i])
		}
	}
	return false
}

var (
	someTexts    = []string{"a", "b", "ab", "A", "é", "a:b", ":variable", "*rest", "%2F", "a b", "v1"}
	someValues   = []string{"a", "ab", "5", "", "..", ".", "a/b", "/", "//", "%", "%2F", "+", "a:b", "*", "é", "😀", "a?b#c", "\x00", "\xff", "\xfe"}
	someVersions = []string{"1", "1.0-dev", "2"}
	someMethods  = []string{"GET", "POST", "DELETE", "HEAD", "OPTIONS", "FOO"}
)

// somePattern draws the path of an endpoint. The names of its variables are its
// own, so endpoints that are the same differ in them.
func somePattern() *rapid.Generator[[]string] {
	return rapid.Custom(func(t *rapid.T) []string {
		kinds := rapid.SliceOfN(rapid.SampledFrom([]rune("SSSSSVVVR")), 1, 4).Draw(t, "kinds")
		suffix := rapid.SampledFrom([]string{"x", "y"}).Draw(t, "suffix")
		var pattern []string
		for i, kind := range kinds {
			switch {
			case kind == 'S':
				pattern = append(pattern, rapid.SampledFrom(someTexts).Draw(t, "text"))
			case kind == 'R' && i == len(kinds)-1:
				pattern = append(pattern, fmt.Sprintf("{%s%d...}", suffix, i))
			default:
				pattern = append(pattern, fmt.Sprintf("{%s%d}", suffix, i))
			}
		}
		return pattern
	})
}

func someRoute() *rapid.Generator[api.EndpointIdentifier] {
	return rapid.Custom(func(t *rapid.T) api.EndpointIdentifier {
		pattern := somePattern().Draw(t, "pattern")
		return api.NewEndpointIdentifier(rapid.SampledFrom(someMethods).Draw(t, "method"),
			rapid.SampledFrom(someVersions[:2]).Draw(t, "version"), pattern[0], strings.Join(pattern[1:], "/"))
	})
}

// someTarget draws a path that some endpoint has, more or less.
func someTarget(base []string, routes []api.EndpointIdentifier) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		route := rapid.SampledFrom(routes).Draw(t, "route")
		version := route.Version()
		if rapid.IntRange(0, 9).Draw(t, "other version") == 0 {
			version = rapid.SampledFrom(someVersions).Draw(t, "version")
		}
		segments := append(slices.Clone(base), "v"+version)
		for _, segment := range route.Segments() {
			_, rest, variable := api.Variable(segment)
			switch {
			case rest:
				segments = append(segments, rapid.SliceOfN(rapid.SampledFrom(someValues), 0, 3).Draw(t, "rest")...)
			case variable, rapid.IntRange(0, 9).Draw(t, "other text") == 0:
				segments = append(segments, rapid.SampledFrom(someValues).Draw(t, "value"))
			default:
				segments = append(segments, segment)
			}
		}
		for i, segment := range segments {
			segments[i] = spell(t, segment)
		}
		end := rapid.SampledFrom([]string{"", "", "", "/", "//", "/a"}).Draw(t, "end")
		return strings.Join(segments, "/") + end
	})
}

// spell writes a segment for a URL, with more escapes than it needs.
func spell(t *rapid.T, segment string) string {
	format := rapid.SampledFrom([]string{"%%%02X", "%%%02x"}).Draw(t, "hex")
	every := rapid.SampledFrom([]int{1, 2, 3, 100}).Draw(t, "escape every")
	var spelled strings.Builder
	for i := range len(segment) {
		c := segment[i]
		plain := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~!$&'()*+,;=:@", c) >= 0
		if plain && (i+1)%every != 0 {
			spelled.WriteByte(c)
		} else {
			fmt.Fprintf(&spelled, format, c)
		}
	}
	return spelled.String()
}

func TestRouterIsTheReference(t *testing.T) {
	check := rapid.MakeCheck(func(t *rapid.T) {
		base := rapid.SampledFrom([][]string{{""}, {"", "api"}, {"", "a b", "v1"}}).Draw(t, "base")
		basePath := strings.Join(base, "/")
		routes := withoutRepeats(t, basePath, rapid.SliceOfN(someRoute(), 1, 12).Draw(t, "routes"))
		rt := mustRoute(t, basePath, routes)
		ref := routerReference{base: base, routes: routes}
		for range 20 {
			method := rapid.SampledFrom(someMethods).Draw(t, "method")
			target := someTarget(base, routes).Draw(t, "target")
			require.Equal(t, ref.match(method, target), askRouter(t, rt, routes, method, target), "%s %s", method, target)
		}
	})
	for round := range 20 { // of a hundred sets of routes
		t.Run(strconv.Itoa(round), check)
	}
}

// withoutRepeats checks that exactly the repeated endpoints are mistakes, and
// leaves them out.
func withoutRepeats(t require.TestingT, basePath string, drawn []api.EndpointIdentifier) (routes []api.EndpointIdentifier) {
	anonymous := func(e api.EndpointIdentifier) string {
		segments := e.Segments()
		for i, segment := range segments {
			if _, rest, variable := api.Variable(segment); variable {
				segments[i] = fmt.Sprintf("{%t}", rest)
			}
		}
		return fmt.Sprintf("%s %q %q", e.Method(), e.Version(), segments)
	}
	first := map[string]int{}
	repeats := map[int]int{}
	for i, e := range drawn {
		if other, seen := first[anonymous(e)]; seen {
			repeats[i] = other
			continue
		}
		first[anonymous(e)] = i
		routes = append(routes, e)
	}
	_, mistakes := newRouter(basePath, drawn)
	reported := map[int]int{}
	for _, m := range mistakes {
		reported[m.route] = m.other
	}
	require.Equal(t, repeats, reported)
	return routes
}

// The order of registration changes nothing.
func TestRouterDoesNotDependOnTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		routes := withoutRepeats(t, "", rapid.SliceOfN(someRoute(), 1, 12).Draw(t, "routes"))
		shuffled := rapid.Permutation(routes).Draw(t, "shuffled")
		one, other := mustRoute(t, "", routes), mustRoute(t, "", shuffled)
		for range 20 {
			method := rapid.SampledFrom(someMethods).Draw(t, "method")
			target := someTarget([]string{""}, routes).Draw(t, "target")
			require.Equal(t, askRouter(t, one, routes, method, target), askRouter(t, other, shuffled, method, target), "%s %s", method, target)
		}
	})
}
