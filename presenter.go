package sallyport

import (
	"net/http"
	"strings"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// Presenter serves the endpoints of an [ApiDecider]. Make one with
// [NewPresenter]; it is immutable and safe for concurrent use.
type Presenter struct {
	config    Config
	cors      *cors
	router    *router
	endpoints []*endpoint // by the indexes of the router
	program   *api.Program
	preflight api.PreflightHandler // nil: the presenter's own answer
	forwarded *forwardedWarning    // nil: there is nothing to warn of
	redactor  *redactor            // of the records; nil: there is no logger
}

// ServeHTTP takes a request its whole way. Whatever happens on it is answered
// once, in the format of the error handler; only http.ErrAbortHandler goes on
// to the server, which cuts the connection.
func (p *Presenter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p.config.MethodOverride {
		sent := r
		r = overrideMethod(sent)
		defer giveBack(sent, r)
	}
	x := p.newExchange(w, r) // start time, request id, CORS header fields
	defer x.end()            // panic guard, record

	if !x.route() { // 404, 405, preflight
		return
	}
	if !x.gate(ratelimit.BeforeAuthorization) { // 429
		return
	}
	if !x.authorize() { // 401, 403
		return
	}
	if !x.gate(ratelimit.AfterAuthorization) { // 429
		return
	}
	if !x.bound() { // 413
		return
	}
	if !x.read() { // 400, 413, 415
		return
	}
	x.handle()
}

// requested names the endpoint that a request without one has asked for, as far
// as its path tells.
func (p *Presenter) requested(r *http.Request) api.EndpointIdentifier {
	path, ok := strings.CutPrefix(r.URL.Path, p.config.BasePath+"/v")
	if !ok {
		return api.NewEndpointIdentifier(r.Method, "", "", "")
	}
	version, path, _ := strings.Cut(path, "/")
	pkg, action, _ := strings.Cut(strings.TrimSuffix(path, "/"), "/")
	return api.NewEndpointIdentifier(r.Method, version, pkg, action)
}
