package console

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/part"
	"github.com/sallyport-go/sallyport/internal/typeschema"
)

// answer is a declared answer of an endpoint.
type answer struct {
	Status      string // "200 OK"
	Kind        string // "2xx"
	MediaType   string
	Description template.HTML
	Schema      string
}

// answers are the declared ones: the outputs, the failures, and the refusal of the
// rate limits.
func answers(e *api.Endpoint) (all []answer) {
	for _, o := range e.Outputs {
		a := newAnswer(o.Status, markup(o.Description))
		a.MediaType, a.Schema = o.MediaType, outputSchema(o)
		all = append(all, a)
	}
	for _, status := range e.Description.Failures {
		all = append(all, newAnswer(status, ""))
	}
	var limits []string
	for _, p := range e.Policies {
		limits = append(limits, strings.TrimSpace(p.Name+" "+limitText(p)))
	}
	if len(limits) > 0 {
		words := template.HTMLEscapeString("A rate limit is used up: " + strings.Join(limits, ", "))
		all = append(all, newAnswer(http.StatusTooManyRequests, template.HTML("<p>"+words+"</p>"))) //nolint:gosec // it is escaped
	}
	return all
}

func newAnswer(status int, description template.HTML) answer {
	if status == 0 {
		return answer{Status: "2xx", Kind: "2xx", Description: description}
	}
	name := strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
	return answer{Status: name, Kind: fmt.Sprintf("%dxx", status/100), Description: description}
}

// outputSchema is the JSON Schema of an answer; "": none is known.
func outputSchema(o api.OutputInfo) string {
	text := o.Schema.JSON
	if text == nil && o.Schema.Type != nil && strings.HasSuffix(cmp.Or(o.MediaType, "json"), "json") {
		err := part.Ask(func() error { text = typeschema.Standalone(o.Schema.Type, typeschema.Written); return nil })
		if err != nil { // a type that describes itself may panic
			return ""
		}
	}
	return indented(text)
}
