package openapi

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sallyport-go/sallyport/api"
)

// filter is one entry of [Document.Endpoints].
type filter struct {
	text     string
	methods  []string // in upper case; nil: all
	segments []string // in lower case
}

func parseFilter(text string) (filter, error) {
	f := filter{text: text}
	methods, path, ok := strings.Cut(text, " ")
	if !ok {
		methods, path = "*", methods
	}
	if methods != "*" {
		f.methods = strings.Split(strings.ToUpper(methods), ",")
	}
	f.segments = strings.Split(strings.ToLower(strings.Trim(path, "/")), "/")
	if slices.Contains(f.segments, "") || slices.Contains(f.methods, "") || strings.Contains(path, " ") {
		return f, fmt.Errorf(`the filter %q: write methods and a path behind the version, like "GET,POST users/*"`, text)
	}
	return f, nil
}

func (f filter) matches(e api.EndpointIdentifier) bool {
	if f.methods != nil && !slices.Contains(f.methods, e.Method()) {
		return false
	}
	return slices.EqualFunc(f.segments, e.Segments(), func(pattern, segment string) bool {
		return pattern == "*" || pattern == strings.ToLower(segment)
	})
}

// chosen are the endpoints that the document describes, of one version unless it
// has all of them.
func (d *Document) chosen(p *api.Program, version string) (list []*api.Endpoint, err error) {
	filters := make([]filter, len(d.Endpoints))
	for i, text := range d.Endpoints {
		filters[i], _ = parseFilter(text) // Validate has told its mistakes
	}
	used := make([]bool, len(filters))
	for i := range p.Endpoints {
		e := &p.Endpoints[i]
		if !d.AllVersions && e.Endpoint.Version() != version {
			continue
		}
		taken := len(filters) == 0
		for n, f := range filters {
			if f.matches(e.Endpoint) {
				taken, used[n] = true, true
			}
		}
		if taken {
			list = append(list, e)
		}
	}
	for n, f := range filters {
		if !used[n] {
			err = errors.Join(err, fmt.Errorf("the filter %q matches no endpoint", f.text))
		}
	}
	return list, err
}
