package api

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode"

	"github.com/sallyport-go/sallyport/internal/httptoken"
)

// EndpointIdentifier names an endpoint: method, version, package and an
// optional action. It is a comparable value. Its mistakes are reported when
// the program is built, see [EndpointIdentifier.Validate].
type EndpointIdentifier struct {
	method, version, pkg, action string
}

// NewEndpointIdentifier names the endpoint METHOD /v{version}/{package}/{action}.
// The method is stored in upper case. An empty action is none.
//
// Package and action are path segments, joined by "/" when there are more than
// one. A segment in braces is a variable: "{id}"; "{path...}" as the last one
// takes the rest of the path.
func NewEndpointIdentifier(method, version, pkg, action string) EndpointIdentifier {
	return EndpointIdentifier{strings.ToUpper(method), version, pkg, action}
}

// GET names a GET endpoint; its action segments are joined by "/".
func GET(version, pkg string, action ...string) EndpointIdentifier {
	return NewEndpointIdentifier(http.MethodGet, version, pkg, strings.Join(action, "/"))
}

// POST names a POST endpoint; its action segments are joined by "/".
func POST(version, pkg string, action ...string) EndpointIdentifier {
	return NewEndpointIdentifier(http.MethodPost, version, pkg, strings.Join(action, "/"))
}

// PUT names a PUT endpoint; its action segments are joined by "/".
func PUT(version, pkg string, action ...string) EndpointIdentifier {
	return NewEndpointIdentifier(http.MethodPut, version, pkg, strings.Join(action, "/"))
}

// PATCH names a PATCH endpoint; its action segments are joined by "/".
func PATCH(version, pkg string, action ...string) EndpointIdentifier {
	return NewEndpointIdentifier(http.MethodPatch, version, pkg, strings.Join(action, "/"))
}

// DELETE names a DELETE endpoint; its action segments are joined by "/".
func DELETE(version, pkg string, action ...string) EndpointIdentifier {
	return NewEndpointIdentifier(http.MethodDelete, version, pkg, strings.Join(action, "/"))
}

// Method is the HTTP method in upper case.
func (e EndpointIdentifier) Method() string { return e.method }

// Version is the version as given, without the "v" of the path: "1", "1.33-dev".
func (e EndpointIdentifier) Version() string { return e.version }

// Package is the first part of the path behind the version.
func (e EndpointIdentifier) Package() string { return e.pkg }

// Action is the rest of the path; "" when there is none.
func (e EndpointIdentifier) Action() string { return e.action }

// InVersion is the same endpoint in another version.
func (e EndpointIdentifier) InVersion(version string) EndpointIdentifier {
	e.version = version
	return e
}

// URL is the path relative to the base path, such as "v1.1/core/show".
func (e EndpointIdentifier) URL() string {
	url := "v" + e.version + "/" + e.pkg
	if e.action != "" {
		url += "/" + e.action
	}
	return url
}

// String is the method and the URL, "POST v1/login". It tells every two
// endpoints apart.
func (e EndpointIdentifier) String() string { return e.method + " " + e.URL() }

// Name is String as the name of a policy: "POST.v1.login", "GET.v1.users.id".
// Braces are dropped and characters that a policy name cannot hold become "_",
// so two endpoints may have one Name.
func (e EndpointIdentifier) Name() string {
	parts := append([]string{e.method, "v" + e.version}, e.Segments()...)
	for i, part := range parts {
		if name, _, ok := Variable(part); ok {
			parts[i] = name
		}
	}
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_-.", r) {
			return r
		}
		return '_'
	}, strings.Join(parts, "."))
}

// Segments are the segments of the path behind the version, variables in braces.
func (e EndpointIdentifier) Segments() []string {
	segments := strings.Split(e.pkg, "/")
	if e.action != "" {
		segments = append(segments, strings.Split(e.action, "/")...)
	}
	return segments
}

// Variable tells the name of the variable that a segment of a path is; rest is
// true when it takes all that follows. ok is false for a plain segment.
func Variable(segment string) (name string, rest, ok bool) {
	name, found := strings.CutPrefix(segment, "{")
	if !found {
		return "", false, false
	}
	if name, found = strings.CutSuffix(name, "}"); !found {
		return "", false, false
	}
	name, rest = strings.CutSuffix(name, "...")
	return name, rest, true
}

// Validate reports all that is wrong with the identifier: an empty part, a
// method that is no HTTP token, a version with a slash, and segments that are
// empty, not printable, or badly written or repeated variables.
func (e EndpointIdentifier) Validate() error {
	var errs []error
	if !httptoken.Is(e.method) {
		errs = append(errs, fmt.Errorf("method %q is not an HTTP method", e.method))
	}
	if e.version == "" {
		errs = append(errs, errors.New(`the version is empty: write "1", "1.1", "0.13.2"`))
	} else if strings.ContainsAny(e.version, "/{}") || !isPrintable(e.version) {
		errs = append(errs, fmt.Errorf(`version %q: write "1", "1.1", "0.13.2"`, e.version))
	} else if number := strings.TrimLeft(e.version, "vV"); number != e.version && number != "" && '0' <= number[0] && number[0] <= '9' {
		errs = append(errs, fmt.Errorf("version %q: write %q, the path gets its v by itself", e.version, number))
	}
	if e.pkg == "" {
		return errors.Join(append(errs, errors.New("the package is empty"))...)
	}
	return errors.Join(append(errs, validateSegments(e.Segments())...)...)
}

func validateSegments(segments []string) (errs []error) {
	seen := map[string]bool{}
	for i, segment := range segments {
		name, rest, variable := Variable(segment)
		switch {
		case segment == "":
			errs = append(errs, errors.New("the path has an empty segment"))
		case segment == "." || segment == "..":
			errs = append(errs, fmt.Errorf("segment %q: clients and proxies resolve it away", segment))
		case !isPrintable(segment):
			errs = append(errs, fmt.Errorf("segment %q has characters that are not printable", segment))
		case !variable && strings.ContainsAny(segment, "{}"):
			errs = append(errs, fmt.Errorf("segment %q: a variable is a whole segment, {name} or {name...}", segment))
		case !variable:
		case !isName(name):
			errs = append(errs, fmt.Errorf("segment %q: the name of a variable has letters, digits and _ and starts with no digit", segment))
		case seen[name]:
			errs = append(errs, fmt.Errorf("variable %q stands twice in the path", name))
		case rest && i != len(segments)-1:
			errs = append(errs, fmt.Errorf("segment %q takes the rest of the path, so it must be the last", segment))
		default:
			seen[name] = true
		}
	}
	return errs
}

func isPrintable(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }) < 0
}

func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
