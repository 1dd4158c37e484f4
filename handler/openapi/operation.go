package openapi

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/jsontree"
)

// operation describes one endpoint.
func (w *writer) operation(e *api.Endpoint, variables []variable) *jsontree.Object {
	d := &e.Description
	id := w.id(e.Endpoint)
	op := jsontree.Of("operationId", id, "tags", tags(e), "summary", cmp.Or(d.Summary, e.Endpoint.String()))
	if d.Description != "" {
		op.Set("description", d.Description)
	}
	if d.Deprecated || !e.Lifecycle.Deprecated.IsZero() {
		op.Set("deprecated", true)
	}
	if at := e.Lifecycle.Sunset; !at.IsZero() {
		op.Set("x-sunset", at.UTC().Format(time.RFC3339))
	}
	op.Add("parameters", w.parameters(e, variables))
	op.Add("requestBody", w.body(e, id))
	op.Set("responses", w.responses(e, id))
	op.Set("security", w.security(e.Scheme))
	op.Add("x-rate-limits", policies(e.Policies))
	return op
}

// tags are what the endpoint is sorted by: its own, else its package.
func tags(e *api.Endpoint) []any {
	names := e.Description.Tags
	if len(names) == 0 {
		names = []string{e.Endpoint.Package()}
	}
	var list []any
	for _, name := range names {
		if !slices.Contains(list, any(name)) {
			list = append(list, name)
		}
	}
	return list
}

// id is the operationId: GET v1/books/{isbn}/cover is getBooksByIsbnCover. It is
// unique in the document.
func (w *writer) id(e api.EndpointIdentifier) string {
	words := []string{strings.ToLower(e.Method())}
	for _, segment := range e.Segments() {
		name, _, isVariable := api.Variable(segment)
		if isVariable {
			words = append(words, "by")
			segment = name
		}
		words = append(words, strings.FieldsFunc(segment, func(r rune) bool { return !isLetterOrDigit(r) })...)
	}
	if w.document.AllVersions {
		words = append(words, "v"+strings.Map(func(r rune) rune {
			if isLetterOrDigit(r) {
				return r
			}
			return '_'
		}, e.Version()))
	}
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	name := strings.Join(words, "")
	id := name
	for n := 2; w.ids[id]; n++ {
		id = name + strconv.Itoa(n)
	}
	w.ids[id] = true
	return id
}

func isLetterOrDigit(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}
