package sallyport

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/headervalue"
	"github.com/sallyport-go/sallyport/internal/part"
)

// lifecycle is that of an endpoint as header values, made once.
type lifecycle struct {
	deprecation []string
	sunset      []string
	links       []string
	successor   api.EndpointIdentifier // its path depends on the request; zero: it does not, or there is none
}

// setLifecycle sets the fields on whatever the endpoint answers. Links of the
// handler are kept in front.
func (x *exchange) setLifecycle(h http.Header) {
	l := x.endpoint.lifecycle
	if l == nil {
		return
	}
	if l.deprecation != nil {
		h["Deprecation"] = l.deprecation
	}
	if l.sunset != nil {
		h["Sunset"] = l.sunset
	}
	links := h["Link"]
	links = append(links[:len(links):len(links)], l.links...)
	if l.successor != (api.EndpointIdentifier{}) {
		params := url.Values{}
		for _, v := range x.request.PathValues {
			params.Set(v.Name, v.Value)
		}
		if path, err := x.presenter.program.Path(l.successor, params); err == nil { // else it has other variables
			links = append(links, successorLink(path))
		}
	}
	if len(links) > 0 {
		h["Link"] = links
	}
}

func successorLink(path string) string { return "<" + path + `>; rel="successor-version"` }

// lifecycles gives the endpoints of a program theirs.
func lifecycles(endpoints []*endpoint, p *api.Program) {
	for i, e := range endpoints {
		if l := p.Endpoints[i].Lifecycle; !l.IsZero() {
			e.lifecycle = newLifecycle(e.api.Endpoint, l, p)
		}
	}
}

func newLifecycle(e api.EndpointIdentifier, l api.Lifecycle, p *api.Program) *lifecycle {
	built := &lifecycle{}
	if !l.Deprecated.IsZero() {
		built.deprecation = headervalue.Shared("@" + strconv.FormatInt(l.Deprecated.Unix(), 10))
	}
	if !l.Sunset.IsZero() {
		built.sunset = headervalue.Shared(l.Sunset.UTC().Format(http.TimeFormat))
	}
	if l.Documentation != "" {
		built.links = append(built.links, "<"+l.Documentation+`>; rel="deprecation"; type="text/html"`)
	}
	successor := e.InVersion(l.Successor)
	if l.Successor == "" || p.Find(successor) == nil {
		return built
	}
	if len(variables(successor)) > 0 {
		built.successor = successor
	} else if path, err := p.Path(successor, nil); err == nil {
		built.links = append(built.links, successorLink(path))
	}
	return built
}

// lifecycleMistakes are those of the versions. One that no endpoint has is a slip
// of the pen.
func (b *builder) lifecycleMistakes() error {
	known := map[string]bool{}
	for _, e := range b.decider.entries {
		known[e.api.Endpoint.Version()] = true
	}
	var errs []error
	for _, version := range slices.Sorted(maps.Keys(b.config.Versions)) {
		l := b.config.Versions[version]
		mistakes := errors.Join(l.Validate(), b.successorMistake(version, known))
		if !known[version] {
			mistakes = errors.Join(errors.New("no endpoint has it"), mistakes)
		}
		errs = append(errs, part.Within(fmt.Sprintf("the version %q", version), mistakes))
	}
	return errors.Join(errs...)
}

// lifecycleMistakesOf are those that the endpoint does not share with its version.
// Of the endpoints in a circle at least one names its Successor itself, or it is a
// circle of the versions.
func (b *builder) lifecycleMistakesOf(a *api.Api) error {
	if (api.Lifecycle{}).Of(a).IsZero() {
		return nil
	}
	err := b.config.Versions[a.Endpoint.Version()].Of(a).Validate()
	if a.Successor == "" {
		return err
	}
	if successor := a.Endpoint.InVersion(a.Successor); b.registered(successor) == nil {
		return errors.Join(err, fmt.Errorf("there is no %s for its Successor", successor))
	}
	return errors.Join(err, circleMistake(circle(a.Endpoint.Version(), func(version string) string {
		if a := b.registered(a.Endpoint.InVersion(version)); a != nil {
			return b.config.Versions[version].Of(a).Successor
		}
		return ""
	})))
}

// registered is what the endpoint was registered with, or nil.
func (b *builder) registered(e api.EndpointIdentifier) *api.Api {
	i := slices.IndexFunc(b.decider.entries, func(other entry) bool { return other.api.Endpoint == e })
	if i < 0 {
		return nil
	}
	return &b.decider.entries[i].api
}

// successorMistake is that of a version. A circle is one mistake, and told at the
// first of its versions.
func (b *builder) successorMistake(version string, known map[string]bool) error {
	successor := b.config.Versions[version].Successor
	if successor != "" && successor != version && !known[successor] {
		return fmt.Errorf("no endpoint has the version %q of its Successor", successor)
	}
	versions := circle(version, func(version string) string { return b.config.Versions[version].Successor })
	if versions == nil || slices.Min(versions) != version {
		return nil
	}
	return circleMistake(versions)
}

// circle is the way along successors from a version back to itself, with it at both
// ends; nil: the way ends, or leads into a circle that the version is not part of.
func circle(version string, successor func(string) string) (versions []string) {
	for at := version; at != "" && !slices.Contains(versions, at); {
		versions = append(versions, at)
		if at = successor(at); at == version {
			return append(versions, at)
		}
	}
	return nil
}

func circleMistake(versions []string) error {
	switch len(versions) {
	case 0:
		return nil
	case 2:
		return errors.New("it is its own Successor")
	}
	return fmt.Errorf("its Successor leads back to it: %s", strings.Join(versions, ", "))
}
