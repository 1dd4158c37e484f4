package handler

import (
	"context"
	"net/http"
	"net/url"

	"github.com/sallyport-go/sallyport/api"
)

// Listing answers with the endpoints of its own version, in the order of their
// registration:
//
//	{"endpoints":[{"method":"GET","version":"1","package":"users","api_action":"{id}",
//	  "authorization":"bearer","url":"https://api.example.com/api/v1/users/{id}",
//	  "params":[{"type":"path","key":"id","is_required":true,"value_type":"integer"}]}]}
//
// It tells everything about the API, so think about who may call it.
type Listing struct{}

type listing struct {
	Endpoints []listedEndpoint `json:"endpoints"`
}

type listedEndpoint struct {
	Method        string        `json:"method"`
	Version       string        `json:"version"`
	Package       string        `json:"package"`
	Action        *string       `json:"api_action"`
	Authorization string        `json:"authorization"`
	URL           string        `json:"url"`
	Summary       string        `json:"summary,omitempty"`
	Deprecated    bool          `json:"deprecated,omitempty"`
	Params        []listedParam `json:"params"`
}

type listedParam struct {
	Type        api.Source    `json:"type"`
	Key         string        `json:"key"`
	Required    bool          `json:"is_required"`
	Multi       bool          `json:"multi,omitempty"`
	ValueType   string        `json:"value_type,omitempty"`
	Description string        `json:"description,omitempty"`
	Default     any           `json:"default,omitempty"`
	Values      []listedValue `json:"available_values,omitempty"`
}

type listedValue struct {
	Value       any    `json:"value"`
	Description string `json:"description,omitempty"`
}

// Handle makes the answer.
func (Listing) Handle(_ context.Context, r *api.Request) (api.Response, error) {
	answer := listing{Endpoints: []listedEndpoint{}}
	program := r.Program()
	if program == nil {
		return api.JSON(http.StatusOK, answer), nil
	}
	base, err := r.BaseURL()
	if err != nil {
		return nil, err
	}
	for i := range program.Endpoints {
		e := &program.Endpoints[i]
		if e.Endpoint.Version() == r.Endpoint().Version() {
			answer.Endpoints = append(answer.Endpoints, listEndpoint(e, base+(&url.URL{Path: program.BasePath}).EscapedPath()+"/"))
		}
	}
	return api.JSON(http.StatusOK, answer), nil
}

func listEndpoint(e *api.Endpoint, base string) listedEndpoint {
	id := e.Endpoint
	listed := listedEndpoint{
		Method:        id.Method(),
		Version:       id.Version(),
		Package:       id.Package(),
		Authorization: scheme(e.Scheme),
		URL:           base + id.URL(),
		Summary:       e.Description.Summary,
		Deprecated:    e.Description.Deprecated,
		Params:        make([]listedParam, len(e.Inputs)),
	}
	if action := id.Action(); action != "" {
		listed.Action = &action
	}
	for i, input := range e.Inputs {
		listed.Params[i] = listParam(input)
	}
	return listed
}

func listParam(input api.Input) listedParam {
	p := listedParam{
		Type:        input.In,
		Key:         input.Name,
		Required:    input.Required,
		Multi:       input.Multi,
		ValueType:   input.Type,
		Description: input.Description,
		Default:     input.Default,
	}
	for _, allowed := range input.Allowed {
		p.Values = append(p.Values, listedValue(allowed))
	}
	return p
}

// scheme names an authorization without telling how it is built.
func scheme(s api.Scheme) string {
	switch {
	case s.Name != "":
		return s.Name
	case s.Identifies == api.IdentifiesNever:
		return "none"
	}
	return "custom"
}
