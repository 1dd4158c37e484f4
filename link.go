package sallyport

import (
	"fmt"
	"html/template"
	"net/url"

	"github.com/sallyport-go/sallyport/api"
)

// Link is the absolute URL of an endpoint. params fill the variables of its path;
// what is left of them becomes the query. It needs [Config.BaseURL]; a handler
// links by [api.Request.Link], which can do without.
func (p *Presenter) Link(e api.EndpointIdentifier, params url.Values) (string, error) {
	return p.program.Link(e, params)
}

// Funcs are functions for templates, of text and of HTML:
//
//	{{apiLink "GET" "1" "users" "{id}" "id" .ID "page" 2}}
//
// is [Presenter.Link] with the parts of an endpoint, an action of "" being none,
// and any number of pairs of a name and a value.
func (p *Presenter) Funcs() template.FuncMap {
	return template.FuncMap{"apiLink": p.templateLink}
}

func (p *Presenter) templateLink(method, version, pkg, action string, pairs ...any) (string, error) {
	params := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok || i+1 == len(pairs) {
			return "", fmt.Errorf("apiLink: write pairs of a name and a value behind the action")
		}
		params.Add(name, fmt.Sprint(pairs[i+1]))
	}
	return p.Link(api.NewEndpointIdentifier(method, version, pkg, action), params)
}
