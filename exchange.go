package sallyport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/headervalue"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// exchange is one request on its way and its answer: the one allocation of the
// presenter for it.
type exchange struct {
	presenter *Presenter
	endpoint  *endpoint // nil until the route is known, and when there is none
	start     time.Time
	request   api.Request
	writer    responseWriter
	body      *guardedBody       // nil: there is none
	results   []ratelimit.Result // of both gates
	cancel    context.CancelFunc // of the endpoint's time-out
	outer     http.Header        // what stood in the header when the request came; nil: nothing
	took      time.Duration      // until the answer was made; 0: it is not yet
	kind      api.Kind           // of the failure; zero: none
	err       error              // its cause
	refused   bool               // by a gate
	aborted   bool               // the connection is to be cut
	formRead  bool               // before the request came here

	resultRoom [2]ratelimit.Result
	pathRoom   [2]api.PathValue
	idRoom     [1]string
}

func (p *Presenter) newExchange(w http.ResponseWriter, r *http.Request) *exchange {
	x := &exchange{presenter: p, start: time.Now()}
	x.request.Request = r
	x.formRead = r.MultipartForm != nil
	x.request.ID = p.requestID(r)
	x.request.SetContext(r.Context())
	x.request.SetProgram(p.program)
	x.request.Limits.Request = r
	x.request.Limits.Detector = p.config.IPDetector
	x.results = x.resultRoom[:0]
	x.writer.ResponseWriter, x.writer.exchange, x.writer.head = w, x, r.Method == http.MethodHead
	x.idRoom[0] = x.request.ID
	if h := w.Header(); len(h) > 0 {
		x.outer = h.Clone()
	}
	if p.forwarded != nil {
		p.forwarded.check(r)
	}
	return x
}

var (
	valueNoSniff = headervalue.Shared("nosniff")
	valueNoStore = headervalue.Shared("no-store")
)

// route finds the endpoint. What has none is answered here: a preflight by the
// methods of the path, everything else as a failure.
func (x *exchange) route() (found bool) {
	r := x.request.Request
	if x.presenter.targetTooLong(r) {
		return x.refuseTarget()
	}
	m := x.presenter.router.match(r.Method, r.URL, x.pathRoom[:0])
	if m.outcome == routeFound {
		x.enter(x.presenter.endpoints[m.route], m.params)
		return true
	}
	x.request.Api = &api.Api{Endpoint: x.presenter.requested(r)}
	switch m.outcome {
	case routePreflight:
		x.preflight(m.allow)
	case routeMethodNotAllowed:
		x.fail(api.Failure{Kind: api.KindMethodNotAllowed, Allow: m.allow})
	case routeBadPath:
		x.fail(api.Failure{Kind: api.KindInput, Message: "The path of the request cannot be read"})
	case routeUnknownVersion:
		x.fail(api.Failure{Kind: api.KindNotFound, Code: "unknown_version", Message: "Unknown api version"})
	default:
		x.fail(api.Failure{Kind: api.KindNotFound})
	}
	return false
}

func (x *exchange) enter(e *endpoint, values api.PathValues) {
	x.endpoint = e
	x.request.Api = &e.api
	x.request.PathValues = values
	x.request.Limits.Endpoint = e.name
	x.request.Pattern = e.pattern
	if e.api.Timeout > 0 {
		ctx, cancel := context.WithTimeout(x.request.Request.Context(), e.api.Timeout)
		x.request.SetContext(ctx)
		x.cancel = cancel
	}
	if body := x.request.Body; body != nil && body != http.NoBody {
		x.guardBody(body)
	}
}

// preflight answers OPTIONS where no endpoint does: open and without a limit,
// or no page could ever ask.
func (x *exchange) preflight(methods []string) {
	allow := strings.Join(methods, ", ")
	x.writer.Header()["Allow"] = []string{allow}
	x.writer.preflight = allow
	if own := x.presenter.preflight; own != nil {
		x.answer(own.Handle(x.request.Context(), &x.request))
		return
	}
	x.answer(api.NoContent(), nil)
}

// gate asks the limits of one stage.
func (x *exchange) gate(s ratelimit.Stage) (passed bool) {
	if !x.endpoint.plan.At(s) {
		return true
	}
	rc := &x.request.Limits
	rc.Stage = s
	rc.Now = x.now(s)
	before := len(x.results)
	results, err := x.endpoint.plan.Consume(x.request.Context(), rc, 1, x.results)
	x.results = results
	if err != nil {
		x.failWith(err, api.KindHandler)
		return false
	}
	if ratelimit.Refused(results[before:]) != nil {
		x.refused = true
		x.fail(api.Failure{Kind: api.KindRateLimit})
		return false
	}
	return true
}

// now is the time of a gate. The first gate of the system's clock takes the
// start of the request: the clock is read once.
func (x *exchange) now(s ratelimit.Stage) time.Time {
	if clock := x.presenter.config.RateLimiting.Clock; clock != nil {
		return clock.Now()
	}
	if s == ratelimit.BeforeAuthorization {
		return x.start
	}
	return time.Now()
}

// authorize asks who calls and whether he may.
func (x *exchange) authorize() (passed bool) {
	e := x.endpoint
	identity, err := e.api.Authorization.Authorize(x.request.Context(), &x.request)
	if err != nil {
		if refusal := api.AsRefusal(err); refusal != nil && refusal.Kind == api.KindForbidden {
			x.request.Identity = identity // known, and for the record
		}
		x.failWith(err, api.KindAuthorizationFailed)
		return false
	}
	x.request.Identity = identity
	if e.secondGate {
		x.request.Limits.Identity = identity.String()
		x.request.Limits.Subject = identity.Value
	}
	if e.byIdentity && identity.IsZero() && e.scheme.Identifies == api.IdentifiesAlways {
		e.plan.WarnNoIdentity(x.request.Context(), fmt.Sprintf("%T", e.api.Authorization))
	}
	return true
}

// bound refuses a body that says it is longer than it may be, before anything
// of it is read.
func (x *exchange) bound() (passed bool) {
	limit := x.endpoint.api.MaxBody
	if limit >= 0 && x.request.ContentLength > limit {
		x.fail(api.Failure{Kind: api.KindTooLarge})
		return false
	}
	return true
}

func (x *exchange) handle() {
	if err := x.request.Context().Err(); err != nil { // nobody waits for the answer
		x.failWith(err, api.KindHandler)
		return
	}
	x.answer(x.endpoint.api.Handler.Handle(x.request.Context(), &x.request))
}

// answer sends what a handler returned.
func (x *exchange) answer(response api.Response, err error) {
	switch {
	case err != nil:
		x.failHandler(err)
	case response == nil:
		x.failWith(errors.New("the handler returned neither a response nor an error"), api.KindHandler)
	default:
		if err := x.send(response, x.checks()); err != nil {
			x.failSending(err)
		}
	}
}

// failSending answers in place of a response that cannot be sent.
func (x *exchange) failSending(err error) {
	if mismatch := (*api.OutputError)(nil); errors.As(err, &mismatch) {
		x.fail(api.Failure{Kind: api.KindOutput, Err: err})
		return
	}
	x.failHandler(err)
}

// checks reports whether the answer of the handler is checked by its outputs.
// That to HEAD has no body to be checked.
func (x *exchange) checks() bool {
	return x.endpoint != nil && len(x.endpoint.described.Outputs) > 0 && !x.writer.head && x.presenter.validateSchema(&x.request)
}

// send sends a response. An answer that has not begun can still become another
// one; one that broke off in the middle is cut, so that no client takes it for
// a whole.
func (x *exchange) send(response api.Response, checked bool) error {
	status := response.Status()
	if x.took == 0 && x.presenter.config.Logger != nil { // the record has it
		x.took = time.Since(x.start)
	}
	if checked {
		return x.sendChecked(response)
	}
	if err := response.Send(&x.writer, x.request.Request); err != nil || x.writer.committed() {
		return err
	}
	return x.writeStatus(&x.writer, status)
}

// writeStatus is the whole of an answer that has written nothing itself.
func (x *exchange) writeStatus(w http.ResponseWriter, status int) error {
	if status < http.StatusOK && x.writer.forced == 0 {
		return fmt.Errorf("sallyport: a response has written nothing, and %d is no status to answer with", status)
	}
	w.WriteHeader(status)
	return nil
}

// end answers a panic, makes the record, and cuts what broke off.
func (x *exchange) end() {
	defer x.finish()
	if v := recover(); v != nil {
		x.recovered(v)
	}
}

func (x *exchange) finish() {
	x.record()
	x.removeFiles()
	if x.cancel != nil {
		x.cancel()
	}
	if x.aborted {
		panic(http.ErrAbortHandler)
	}
}

// removeFiles removes the files of an upload. The server does so as well, but
// only where the request is its own and not the copy of a middleware.
func (x *exchange) removeFiles() {
	if form := x.request.MultipartForm; form != nil && !x.formRead {
		_ = form.RemoveAll() // nobody can do anything about it
	}
}
