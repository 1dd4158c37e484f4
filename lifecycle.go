package sallyport

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/sallyport-go/sallyport/api"
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
		built.deprecation = shared("@" + strconv.FormatInt(l.Deprecated.Unix(), 10))
	}
	if !l.Sunset.IsZero() {
		built.sunset = shared(l.Sunset.UTC().Format(http.TimeFormat))
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
		mistakes := errors.Join(l.Validate(), successorMistake(version, l.Successor, known))
		if !known[version] {
			mistakes = errors.Join(errors.New("no endpoint has it"), mistakes)
		}
		errs = append(errs, part.Within(fmt.Sprintf("the version %q", version), mistakes))
	}
	return errors.Join(errs...)
}

// lifecycleMistakesOf are those that the endpoint does not share with its version.
func (b *builder) lifecycleMistakesOf(a *api.Api) error {
	if (api.Lifecycle{}).Of(a).IsZero() {
		return nil
	}
	err := b.config.Versions[a.Endpoint.Version()].Of(a).Validate()
	successor := a.Endpoint.InVersion(a.Successor)
	if a.Successor != "" && !slices.ContainsFunc(b.decider.entries, func(e entry) bool { return e.api.Endpoint == successor }) {
		err = errors.Join(err, fmt.Errorf("there is no %s for its Successor", successor))
	}
	return err
}

func successorMistake(version, successor string, known map[string]bool) error {
	switch {
	case successor == "":
	case successor == version:
		return errors.New("it is its own Successor")
	case !known[successor]:
		return fmt.Errorf("no endpoint has the version %q of its Successor", successor)
	}
	return nil
}
