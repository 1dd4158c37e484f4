package console

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// pageData is what page.html shows.
type pageData struct {
	Title   string
	Base    string // the base path of the program, escaped
	Self    string // the path of the page behind it, escaped
	Version string // of the assets
	Count   int
	Groups  []*group
}

// group is a version with its endpoints.
type group struct {
	Version string
	Tags    []tag
}

// tag has the endpoints of which it is the first tag.
type tag struct {
	Name  string
	Items []item
}

// item is an endpoint in the list.
type item struct {
	ID, Method, Path, Summary string
	Tags                      string // all of them, for the search
	Lock                      string // what the authorization is called; "": there is none
	Limit, Limits             string // the first limit, and all of them; "": there is none
	Deprecated                bool
}

// groups has the endpoints by version and tag, each in the order of registration.
func groups(p *api.Program, endpoints []*api.Endpoint) (all []*group) {
	for _, e := range endpoints {
		i := slices.IndexFunc(all, func(g *group) bool { return g.Version == e.Endpoint.Version() })
		if i < 0 {
			i, all = len(all), append(all, &group{Version: e.Endpoint.Version()})
		}
		all[i].add(tagOf(e), newItem(p, e))
	}
	return all
}

func (g *group) add(name string, it item) {
	i := slices.IndexFunc(g.Tags, func(t tag) bool { return t.Name == name })
	if i < 0 {
		i, g.Tags = len(g.Tags), append(g.Tags, tag{Name: name})
	}
	g.Tags[i].Items = append(g.Tags[i].Items, it)
}

// tagOf is the first tag, or the first part of the path without one.
func tagOf(e *api.Endpoint) string {
	if tags := e.Description.Tags; len(tags) > 0 {
		return tags[0]
	}
	return e.Endpoint.Segments()[0]
}

func newItem(p *api.Program, e *api.Endpoint) item {
	it := item{
		ID:         e.Endpoint.String(),
		Method:     e.Endpoint.Method(),
		Path:       p.BasePath + "/" + e.Endpoint.URL(),
		Summary:    e.Description.Summary,
		Tags:       strings.Join(e.Description.Tags, " "),
		Lock:       schemeName(e.Scheme),
		Deprecated: e.Description.Deprecated || !e.Lifecycle.Deprecated.IsZero(),
	}
	if len(e.Policies) == 0 {
		return it
	}
	it.Limit = limitText(e.Policies[0])
	if more := len(e.Policies) - 1; more > 0 {
		it.Limit += fmt.Sprintf(" +%d", more)
	}
	texts := make([]string, len(e.Policies))
	for i, policy := range e.Policies {
		texts[i] = strings.TrimSpace(policy.Name + " " + limitText(policy))
	}
	it.Limits = strings.Join(texts, ", ")
	return it
}

// Steps are the parts of the path, between which a line may break.
func (it item) Steps() []string { return steps(it.Path) }

// Class is the method as a CSS class.
func (it item) Class() string { return strings.ToLower(it.Method) }

func steps(path string) []string { return strings.SplitAfter(path, "/") }

// limitText is a limit in short, "100/60s".
func limitText(p ratelimit.PolicyInfo) string {
	if p.Limit <= 0 || p.Interval <= 0 {
		return "limited"
	}
	return fmt.Sprintf("%d/%ds", p.Limit, p.Interval/time.Second)
}

// schemeName is what an authorization is called; "" is none.
func schemeName(s api.Scheme) string {
	var names []string
	for _, inner := range s.Any {
		if name := schemeName(inner); name != "" {
			names = append(names, name)
		}
	}
	switch {
	case len(names) > 0 && len(names) < len(s.Any): // the others ask for nothing
		return "optional: " + strings.Join(names, " or ")
	case s.Name != "":
		return s.Name
	case s.Identifies == api.IdentifiesNever:
		return ""
	}
	return "custom"
}

func sortedNames(files map[string][]byte) []string { return slices.Sorted(maps.Keys(files)) }
