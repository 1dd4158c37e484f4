package openapi

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/jsontree"
	"github.com/sallyport-go/sallyport/internal/typeschema"
)

// anySuccess is an answer whose status is chosen at run time, or that the handler
// does not tell about.
const anySuccess = "2XX"

// responses describes the answers: those that the handler declares, and those of
// the program around it. What the handler says of a status is joined to what the
// program says.
func (w *writer) responses(e *api.Endpoint, id string) *jsontree.Object {
	byStatus := map[string]*response{}
	at := func(status string) *response {
		if byStatus[status] == nil {
			byStatus[status] = &response{headers: &jsontree.Object{}}
		}
		return byStatus[status]
	}
	for _, o := range e.Outputs {
		status := strconv.Itoa(o.Status)
		if o.Status == 0 {
			status = anySuccess
		}
		schema, err := w.schema(o.Schema, typeschema.Written, id+"Answer"+status)
		w.mistake(e, err)
		at(status).output(o, schema)
	}
	if len(e.Outputs) == 0 {
		at(anySuccess)
	}
	for _, f := range w.failures(e) {
		at(strconv.Itoa(f.status)).failure(f)
	}
	if len(e.Policies) > 0 {
		for _, r := range byStatus {
			w.limitHeaders(r)
		}
		w.refusal(e, at(strconv.Itoa(http.StatusTooManyRequests)))
	}
	all := &jsontree.Object{}
	for status, r := range byStatus {
		all.Set(status, r.object(status))
	}
	slices.SortFunc(all.Members, func(a, b jsontree.Member) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// response collects what is said of one status.
type response struct {
	description string // of the handler's author
	own         string // of the program
	headers     *jsontree.Object
	bodies      []*alternatives
}

// alternatives are the bodies of one media type.
type alternatives struct {
	mediaType string
	schemas   []any
	examples  []api.Example
}

// output adds an answer that the handler declares.
func (r *response) output(o api.OutputInfo, schema any) {
	if r.description == "" {
		r.description = o.Description
	}
	if o.Location {
		text := o.Description
		if text == "" {
			text = "Where it is"
		}
		r.own = "Redirect"
		r.headers.Set("Location", jsontree.Of("description", text, "schema", jsontree.Of("type", "string", "format", "uri-reference")))
	}
	if o.MediaType != "" {
		if o.Schema.JSON == nil && o.Schema.Type == nil && strings.HasPrefix(o.MediaType, "text/") {
			schema = jsontree.Of("type", "string")
		}
		r.body(o.MediaType, schema, o.Examples)
	}
}

// failure adds an answer of the program.
func (r *response) failure(f failure) {
	r.own = f.description
	if f.mediaType != "" {
		r.body(f.mediaType, f.schema, nil)
	}
}

func (r *response) body(mediaType string, schema any, examples []api.Example) {
	i := slices.IndexFunc(r.bodies, func(a *alternatives) bool { return a.mediaType == mediaType })
	if i < 0 {
		r.bodies = append(r.bodies, &alternatives{mediaType: mediaType})
		i = len(r.bodies) - 1
	}
	a := r.bodies[i]
	a.examples = append(a.examples, examples...)
	if !slices.ContainsFunc(a.schemas, func(known any) bool { return equal(known, schema) }) {
		a.schemas = append(a.schemas, schema)
	}
}

func (r *response) object(status string) *jsontree.Object {
	code, _ := strconv.Atoi(status)
	text := cmp.Or(r.description, r.own, http.StatusText(code), "Success")
	o := jsontree.Of("description", text)
	if len(r.headers.Members) > 0 {
		o.Set("headers", r.headers)
	}
	contents := &jsontree.Object{}
	for _, a := range r.bodies {
		schema := a.schemas[0]
		if len(a.schemas) > 1 {
			schema = jsontree.Of("oneOf", a.schemas)
		}
		contents.Set(a.mediaType, mediaObject(schema, a.examples))
	}
	if len(contents.Members) > 0 {
		o.Set("content", contents)
	}
	return o
}

// equal compares trees as they are written.
func equal(a, b any) bool {
	one, errOne := jsontree.Append(nil, a)
	other, errOther := jsontree.Append(nil, b)
	return errOne == nil && errOther == nil && string(one) == string(other)
}

// named is a schema as a component of that name.
func named(name string) *jsontree.Object { return jsontree.Of("$ref", referSchemas+name) }
