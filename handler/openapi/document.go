package openapi

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/jsontree"
	"github.com/sallyport-go/sallyport/internal/part"
	"github.com/sallyport-go/sallyport/internal/typeschema"
)

const referSchemas = "#/components/schemas/"

// writer makes one document.
type writer struct {
	document *Document
	program  *api.Program
	paths    *jsontree.Object
	shapes   map[string]string // the path that stands for those with variables of other names
	ids      map[string]bool

	types   *typeschema.Set
	given   map[string]any    // schemas that the program gives by name
	made    map[string]bool   // names that the program has not written
	selves  map[string]string // names of schemas that refer to themselves, by their text
	failed  map[string]string // names of the error bodies, by schema
	schemas *jsontree.Object  // of error bodies
	headers *jsontree.Object
	schemes *jsontree.Object
	errs    []error
}

// make writes the document of one version.
func (d *Document) make(p *api.Program, version string) (*content, error) {
	w := &writer{
		document: d, program: p,
		paths: &jsontree.Object{}, shapes: map[string]string{}, ids: map[string]bool{},
		types: typeschema.NewSet(referSchemas, reflect.TypeFor[api.Identity](), reflect.TypeFor[*api.Request](), reflect.TypeFor[*http.Request]()),
		given: map[string]any{}, selves: map[string]string{}, made: map[string]bool{}, failed: map[string]string{},
		schemas: &jsontree.Object{}, headers: &jsontree.Object{}, schemes: &jsontree.Object{},
	}
	w.types.Given = w.ofType
	endpoints, err := d.chosen(p, version)
	if err != nil {
		return nil, err
	}
	for _, e := range endpoints {
		w.add(e)
	}
	tree := w.whole(endpoints)
	if len(w.errs) > 0 {
		return nil, errors.Join(w.errs...)
	}
	return write(tree)
}

// whole puts the document together.
func (w *writer) whole(endpoints []*api.Endpoint) *jsontree.Object {
	tree := jsontree.Of(
		"openapi", cmp.Or(w.document.OpenAPI, versionDefault),
		"info", jsontree.Of("title", cmp.Or(w.document.Title, "API"), "version", cmp.Or(w.document.Version, versions(endpoints), "0")),
		"servers", []any{jsontree.Of("url", cmp.Or(w.program.BaseURL+w.program.BasePath, "/"))},
		"paths", w.paths,
	)
	if w.document.Description != "" {
		tree.Object("info").Set("description", w.document.Description)
	}
	components := &jsontree.Object{}
	for _, c := range []struct {
		name string
		all  *jsontree.Object
	}{{"schemas", w.allSchemas()}, {"headers", w.headers}, {"securitySchemes", w.schemes}} {
		if len(c.all.Members) > 0 {
			slices.SortStableFunc(c.all.Members, func(a, b jsontree.Member) int { return strings.Compare(a.Name, b.Name) })
			components.Set(c.name, c.all)
		}
	}
	if len(components.Members) > 0 {
		tree.Set("components", components)
	}
	if len(w.document.Extra) > 0 {
		extra, err := jsontree.From(w.document.Extra)
		if own, ok := extra.(*jsontree.Object); ok && err == nil {
			tree.Merge(own)
		}
	}
	return tree
}

// versions are those of the endpoints, in their order.
func versions(endpoints []*api.Endpoint) string {
	var list []string
	for _, e := range endpoints {
		if v := e.Endpoint.Version(); !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return strings.Join(list, ", ")
}

// mistake is one of an endpoint.
func (w *writer) mistake(e *api.Endpoint, err error) {
	if err != nil {
		w.errs = append(w.errs, part.Within(e.Endpoint.String(), err))
	}
}

// add describes one endpoint.
func (w *writer) add(e *api.Endpoint) {
	path, variables := w.path(e.Endpoint)
	item := w.paths.Object(path)
	if item == nil {
		item = &jsontree.Object{}
		w.paths.Set(path, item)
	}
	operation := w.operation(e, variables)
	method := strings.ToLower(e.Endpoint.Method())
	if hasMember(item, method) { // one takes the rest of the path, which OpenAPI cannot tell
		item.Set("x-rest-"+method, operation)
		return
	}
	switch {
	case slices.Contains(methods, method):
		item.Set(method, operation)
	case method == "query" && w.next():
		item.Set(method, operation)
	case w.next():
		if item.Object("additionalOperations") == nil {
			item.Set("additionalOperations", &jsontree.Object{})
		}
		item.Object("additionalOperations").Set(e.Endpoint.Method(), operation)
	default: // OpenAPI 3.1 has no place for it
		item.Set("x-"+method, operation)
	}
}

// methods are those that every version of OpenAPI has a place for.
var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}

// next reports whether the document is of OpenAPI 3.2.
func (w *writer) next() bool { return w.document.OpenAPI == versionNext }

// variable is one of a path, as the program and as the document call it.
type variable struct {
	own, name string
}

// path is the path of an endpoint behind the base path. Two that differ in the
// names of their variables alone are one path (OpenAPI, Path Templating Matching),
// with the names of the first one.
func (w *writer) path(e api.EndpointIdentifier) (path string, variables []variable) {
	segments := append([]string{"v" + e.Version()}, e.Segments()...)
	shape := make([]string, len(segments))
	for i, segment := range segments {
		shape[i] = segment
		name, rest, ok := api.Variable(segment)
		switch {
		case !ok:
			segments[i] = url.PathEscape(segment)
			shape[i] = segments[i]
			continue
		case rest:
			shape[i] = "{...}"
		default:
			shape[i] = "{}"
		}
		segments[i] = "{" + name + "}"
		variables = append(variables, variable{name, name})
	}
	path = "/" + strings.Join(segments, "/")
	first, ok := w.shapes[strings.Join(shape, "/")]
	if !ok {
		w.shapes[strings.Join(shape, "/")] = path
		return path, variables
	}
	n := 0
	for segment := range strings.SplitSeq(first, "/") {
		if name, _, ok := api.Variable(segment); ok {
			variables[n].name = name
			n++
		}
	}
	return first, variables
}
