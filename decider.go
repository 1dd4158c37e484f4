package sallyport

import (
	"net/http"
	"time"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// ApiDecider holds what a program serves: which handler answers an endpoint,
// who may call it, how often. Registration is for one goroutine; its mistakes
// are collected and reported together by [NewPresenter].
type ApiDecider struct {
	config    Config
	site      site
	entries   []entry
	preflight preflight
	frozen    bool
}

type entry struct {
	api     api.Api
	site    site
	missing api.EndpointIdentifier // what it was to be carried over from; zero: nothing is missing
}

type preflight struct {
	handler api.PreflightHandler // nil: the presenter's own answer
	site    site
}

// NewApiDecider begins a program.
func NewApiDecider(c Config) *ApiDecider {
	return &ApiDecider{config: c, site: callSite()}
}

// AddApi registers an endpoint. Without rules it takes the limits of the
// handler, else the default; with rules it takes only these, in this order. What
// a configuration file says for the endpoint wins over all of them, see
// [ParseConfig]. A nil authorization takes the default one. AddApi returns the
// decider. It panics after NewPresenter.
func (d *ApiDecider) AddApi(e api.EndpointIdentifier, h api.Handler, a api.Authorization, rules ...ratelimit.Rule) *ApiDecider {
	return d.add(api.Api{Endpoint: e, Handler: h, Authorization: a, RateLimits: rules}, callSite())
}

// Add registers an endpoint with all that it can say. It returns the decider,
// and panics after NewPresenter.
func (d *ApiDecider) Add(a api.Api) *ApiDecider {
	return d.add(a, callSite())
}

// CarryOver registers an endpoint in another version as well, with all that it was
// registered with: handler, authorization, limits and the rest, but for its
// lifecycle. Named limits share their counters over both versions; limits that
// stand inline count for each. An endpoint that was not registered before is a
// mistake. It returns the decider, and panics after NewPresenter.
func (d *ApiDecider) CarryOver(e api.EndpointIdentifier, version string) *ApiDecider {
	s := callSite()
	a, found := d.find(e.Method(), e.URL())
	if !found {
		a = api.Api{Endpoint: e}
	}
	a.Endpoint, a.Deprecated, a.Sunset, a.Successor = e.InVersion(version), time.Time{}, time.Time{}, ""
	d.add(a, s)
	if !found {
		d.entries[len(d.entries)-1].missing = e
	}
	return d
}

func (d *ApiDecider) add(a api.Api, s site) *ApiDecider {
	d.mustBeOpen(s)
	d.entries = append(d.entries, entry{api: a, site: s})
	return d
}

// EnableGlobalPreflight sets the handler that answers OPTIONS for every
// registered path without an endpoint for it, in place of the answer of the
// presenter: 204 with the methods of the path. nil keeps the one that is set.
// The header fields of CORS are the presenter's in any case. An endpoint for
// OPTIONS of its own answers preflights as it likes, and sets what browsers want
// to read there itself.
func (d *ApiDecider) EnableGlobalPreflight(h api.PreflightHandler) *ApiDecider {
	s := callSite()
	d.mustBeOpen(s)
	if h != nil {
		d.preflight = preflight{h, s}
	}
	return d
}

func (d *ApiDecider) mustBeOpen(s site) {
	if d.frozen {
		panic("sallyport: " + s.String() + ": registration ends with NewPresenter; register every endpoint before it")
	}
}

// Apis lists what was registered, in that order. The list is a copy.
func (d *ApiDecider) Apis() []api.Api {
	apis := make([]api.Api, len(d.entries))
	for i, e := range d.entries {
		apis[i] = e.api
	}
	return apis
}

// Api finds what was registered for an endpoint: the first of them, which is
// the only one in a program without mistakes. HEAD is found as GET. For OPTIONS
// it is the preflight handler where the path is registered with another method.
// Otherwise it is a unit that answers 404, open and without a limit. Either way
// the unit names the endpoint that was asked for.
func (d *ApiDecider) Api(e api.EndpointIdentifier) api.Api {
	if a, found := d.find(e.Method(), e.URL()); found {
		return a
	}
	if e.Method() == http.MethodHead {
		if a, found := d.find(http.MethodGet, e.URL()); found {
			return a
		}
	}
	unit := api.Api{Endpoint: e, Handler: handler.Default{}, Authorization: auth.None(), RateLimits: []ratelimit.Rule{ratelimit.Off}}
	if _, samePath := d.find("", e.URL()); samePath && e.Method() == http.MethodOptions {
		unit.Handler = d.preflightHandler()
	}
	return unit
}

// find looks for a method, "" being any.
func (d *ApiDecider) find(method, url string) (a api.Api, found bool) {
	for _, entry := range d.entries {
		if e := entry.api.Endpoint; e.URL() == url && (method == "" || e.Method() == method) {
			return entry.api, true
		}
	}
	return api.Api{}, false
}

func (d *ApiDecider) preflightHandler() api.PreflightHandler {
	if d.preflight.handler != nil {
		return d.preflight.handler
	}
	return handler.CorsPreflight{}
}
