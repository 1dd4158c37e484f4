// Package openapi describes a program by an OpenAPI document, as a handler:
//
//	decider.AddApi(api.GET("1", "docs", "openapi"), &openapi.Document{Title: "Bookstore"}, auth.None())
package openapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/part"
)

// Document is the OpenAPI document of a program as a handler of GET. It describes
// what the registrations say: paths, parameters, bodies, answers, authorizations,
// the limits with what a refusal looks like, and the answers of the error handler.
// The zero value describes the endpoints of its own version, itself among them.
//
// The document is made once, when the presenter is built, and the same byte for
// byte each time: as JSON, or as YAML with the query "format=yaml". What it could
// not tell is a mistake of the program. It tells everything about the API, so think
// about who may call it. One Document may be registered for several versions and
// in several programs.
type Document struct {
	Title       string // "": "API"
	Version     string // of the API, in words of its own; "": the versions of its endpoints
	Description string // CommonMark

	// OpenAPI is the version of the specification: "3.1.1", which "" is, or "3.2.0".
	OpenAPI string

	// AllVersions describes the endpoints of every version in one document.
	AllVersions bool

	// Endpoints are the ones to describe, as methods and a path behind the version:
	// "GET users/{id}", "GET,POST users", "* users/*", "users/list". "*" is one
	// segment of the path; no method and "*" are every method. Letters match in
	// upper and lower case. Empty: all. One that matches nothing is a mistake.
	Endpoints []string

	// Extra is laid over the document, objects member by member and anything else as
	// a whole: {"info": {"contact": {"name": "Ada"}}}, or servers of one's own.
	Extra map[string]any

	mu   sync.RWMutex
	made map[place]*content
}

// place is where a document is served.
type place struct {
	program *api.Program
	version string
}

// content is a document, written.
type content struct {
	json, yaml api.Response
}

const (
	versionDefault = "3.1.1"
	versionNext    = "3.2.0"
)

// Validate reports what can be told without the program.
func (d *Document) Validate() error {
	var errs []error
	if d.OpenAPI != "" && d.OpenAPI != versionDefault && d.OpenAPI != versionNext {
		errs = append(errs, fmt.Errorf("OpenAPI %q: write %s or %s", d.OpenAPI, versionDefault, versionNext))
	}
	for _, text := range d.Endpoints {
		if _, err := parseFilter(text); err != nil {
			errs = append(errs, err)
		}
	}
	if _, err := json.Marshal(d.Extra); err != nil {
		errs = append(errs, fmt.Errorf("the Extra: %w", err))
	}
	return part.Within("openapi", errors.Join(errs...))
}

// Bind makes the documents of a program.
func (d *Document) Bind(p *api.Program) error {
	var errs []error
	for _, version := range d.versions(p) {
		made, err := d.make(p, version)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		d.mu.Lock()
		if d.made == nil {
			d.made = map[place]*content{}
		}
		d.made[place{p, version}] = made
		d.mu.Unlock()
	}
	return part.Within("openapi", errors.Join(errs...))
}

// versions are those that the document is registered for.
func (d *Document) versions(p *api.Program) (list []string) {
	for i := range p.Endpoints {
		e := &p.Endpoints[i]
		parts, _ := part.Unwrapped(e.Handler)
		version := e.Endpoint.Version()
		if slices.Contains(list, version) || !slices.ContainsFunc(parts, func(h api.Handler) bool { own, ok := h.(*Document); return ok && own == d }) {
			continue
		}
		list = append(list, version)
	}
	return list
}

// Handle answers with the document.
func (d *Document) Handle(_ context.Context, r *api.Request) (api.Response, error) {
	d.mu.RLock()
	made := d.made[place{r.Program(), r.Endpoint().Version()}]
	d.mu.RUnlock()
	if made == nil {
		return nil, errors.New("openapi: the program was not shown to the document")
	}
	if format.Get(r) == "yaml" {
		return made.yaml, nil
	}
	return made.json, nil
}
