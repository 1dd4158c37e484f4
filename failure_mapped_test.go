package sallyport_test

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// declined is an error of the program with a type.
type declined struct{ reason string }

func (e *declined) Error() string { return "card 4111: " + e.reason }

// mapping is an error handler with a rule for every test.
func mapping(base api.ErrorHandler) errorhandler.Map {
	return errorhandler.Map{Base: base, Rules: []errorhandler.Rule{
		errorhandler.Is(sql.ErrNoRows, api.Error{Status: 404, Code: "row.none", Message: "There is nothing here"}),
		errorhandler.Is(sql.ErrConnDone, api.Error{Status: 503, Message: "Try again", Header: http.Header{"retry-after": {"7"}}}),
		errorhandler.Is(http.ErrNoCookie, api.Error{Status: 401}),
		errorhandler.Is(http.ErrNotSupported, api.Error{Status: 405, Header: http.Header{"allow": {"GET"}}}),
		errorhandler.Is(http.ErrNoLocation, api.Error{Status: 401, Header: http.Header{"WWW-AUTHENTICATE": {`Own realm="a"`}}}),
		errorhandler.As(func(e *declined) api.Error {
			return api.Error{Status: 402, Code: "card." + e.reason, Fields: []api.FieldError{{In: "body", Name: "card", Message: e.reason}}}
		}),
		errorhandler.As(func(*fs.PathError) api.Error { return api.Error{Status: 200, Message: "fine"} }),
		errorhandler.As(func(evil) api.Error { panic("a bug of the table") }),
	}}
}

func TestErrorsOfHandlersAreMapped(t *testing.T) {
	failed := `{"status":"error","message":"Internal server error"}`
	for name, row := range map[string]struct {
		err    error
		status int
		body   string
		kind   api.Kind
		logged bool
		header http.Header // what it must have
	}{
		"an error":                    {fmt.Errorf("user 7: %w", sql.ErrNoRows), 404, `{"status":"error","message":"There is nothing here","code":"row.none"}`, api.KindNotFound, false, nil},
		"a type":                      {&declined{"expired"}, 402, `{"status":"error","message":"Payment Required","code":"card.expired"}`, api.KindInput, false, nil},
		"a failure of the server":     {sql.ErrConnDone, 503, `{"status":"error","message":"Try again"}`, api.KindHandler, true, http.Header{"Retry-After": {"7"}}},
		"401 has a challenge":         {http.ErrNoCookie, 401, `{"status":"error","message":"Unauthorized"}`, api.KindUnauthorized, false, http.Header{"Www-Authenticate": {`Bearer realm="api"`}}},
		"401 with its own":            {http.ErrNoLocation, 401, `{"status":"error","message":"Unauthorized"}`, api.KindUnauthorized, false, http.Header{"Www-Authenticate": {`Own realm="a"`}}},
		"405 with its methods":        {http.ErrNotSupported, 405, `{"status":"error","message":"Method not allowed"}`, api.KindMethodNotAllowed, false, http.Header{"Allow": {"GET"}}},
		"an error of its own":         {api.Error{Status: 410, Message: "long gone", Err: sql.ErrNoRows}, 410, `{"status":"error","message":"long gone"}`, api.KindInput, false, nil},
		"an error without a status":   {api.Error{Message: "long gone", Err: sql.ErrNoRows}, 404, `{"status":"error","message":"There is nothing here","code":"row.none"}`, api.KindNotFound, false, nil},
		"a refusal":                   {fmt.Errorf("%w: %w", api.Forbidden("not yours"), sql.ErrNoRows), 403, `{"status":"error","message":"not yours"}`, api.KindForbidden, false, nil},
		"an unknown error":            {sql.ErrTxDone, 500, failed, api.KindHandler, true, nil},
		"a status that is no failure": {&fs.PathError{Err: fs.ErrExist}, 500, failed, api.KindHandler, true, nil},
		"a rule that panics":          {evil{}, 500, failed, api.KindHandler, true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var seen api.Failure
			base := errorhandler.Funcs{Base: errorHandlerFunc(func(f *api.Failure) { seen = *f })}
			for wrapper, h := range map[string]api.ErrorHandler{
				"alone":        mapping(base),
				"within Funcs": errorhandler.Funcs{Base: mapping(base)},
				"within a Map": errorhandler.Map{Base: mapping(base), Rules: []errorhandler.Rule{errorhandler.Is(io.EOF, api.Error{Status: 400})}},
				"of one's own": wrapped{mapping(base)},
			} {
				log := &recorder{}
				p := newProgram(sallyport.Config{ErrorHandler: h, Logger: log})
				p.AddApi(api.GET("1", "users"), returns(nil, row.err), bearer)
				res := send(p.build(t), request{path: "/api/v1/users", token: "my-token"})
				require.Equal(t, row.body, body(t, res), wrapper)
				require.Equal(t, row.status, res.StatusCode)
				require.Equal(t, row.logged, p.log.Len() > 0, p.log)
				require.Equal(t, row.kind, log.records[0].Kind)
				require.Equal(t, row.err, log.records[0].Err)
				require.Equal(t, row.err, seen.Err, "errors.Is and errors.As reach the original")
				for field, values := range row.header {
					require.Equal(t, values, res.Header[field])
				}
			}
		})
	}
}

// wrapped wraps an error handler and lets its table be found.
type wrapped struct{ api.ErrorHandler }

func (w wrapped) Unwrap() api.ErrorHandler { return w.ErrorHandler }

// What others than the handler have said stays, whatever the table would make of it.
func TestOnlyErrorsOfHandlersAreMapped(t *testing.T) {
	teapot := errorhandler.Map{Rules: []errorhandler.Rule{errorhandler.As(func(error) api.Error { return api.Error{Status: 418, Message: "mapped"} })}}
	for name, tc := range everyFailure {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newProgram(sallyport.Config{ErrorHandler: teapot, MaxBody: 4, Output: sallyport.Switches{Schema: true}})
				r := tc.of(p, errors.New("secret"))
				w := httptest.NewRecorder()
				p.build(t).ServeHTTP(w, r)
				if name == "500 handler" {
					require.Equal(t, `418 {"status":"error","message":"mapped"}`, fmt.Sprint(w.Code, " ", w.Body))
					return
				}
				require.Equal(t, fmt.Sprintf(`%d {"status":"error","message":%q}`, tc.status, tc.message), fmt.Sprint(w.Code, " ", w.Body))
			})
		})
	}
	for name, broken := range map[string]func(p *program){
		"a limiter": func(p *program) {
			p.AddApi(api.GET("1", "users"), ok, open, ratelimit.Use(ownLimiter(func(*ratelimit.Context) ([]ratelimit.Result, error) { return nil, sql.ErrNoRows })))
		},
		"a parameter": func(p *program) {
			p.AddApi(api.GET("1", "users"), declares(brokenParam{input: api.Input{In: api.InQuery, Name: "id"}, fault: sql.ErrNoRows}), open)
		},
		"a handler that returns nothing": func(p *program) { p.AddApi(api.GET("1", "users"), returns(nil, nil), open) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newProgram(sallyport.Config{ErrorHandler: teapot})
			broken(p)
			require.Equal(t, 500, get(p.build(t), "/api/v1/users").StatusCode)
		})
	}
}

func TestErrorsOfResponsesAreMapped(t *testing.T) {
	t.Run("before the answer", func(t *testing.T) {
		p := newProgram(sallyport.Config{ErrorHandler: mapping(nil)})
		p.AddApi(api.GET("1", "users"), returns(responseFunc(func(http.ResponseWriter) error { return sql.ErrNoRows }), nil), open)
		res := get(p.build(t), "/api/v1/users")
		require.Equal(t, `{"status":"error","message":"There is nothing here","code":"row.none"}`, body(t, res))
	})
	for name, err := range map[string]error{"a mapped error": sql.ErrNoRows, "an Error": api.Error{Status: 404, Message: "gone"}} {
		t.Run(name+" in the middle of it is for the log", func(t *testing.T) { // peer-fw 58
			log := &recorder{}
			p := newProgram(sallyport.Config{ErrorHandler: mapping(nil), Logger: log})
			p.AddApi(api.GET("1", "users"), returns(streamResponse(func(http.ResponseWriter) error { return err }), nil), open)
			w := httptest.NewRecorder()
			require.PanicsWithValue(t, http.ErrAbortHandler, func() {
				p.build(t).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/v1/users", nil))
			})
			require.Equal(t, "200 part", fmt.Sprint(w.Code, " ", w.Body))
			require.Contains(t, p.log.String(), err.Error())
			require.Equal(t, api.KindHandler, log.records[0].Kind)
		})
	}
}

func TestAnEndpointMayHaveItsOwnTable(t *testing.T) {
	p := newProgram(sallyport.Config{ErrorHandler: mapping(nil)})
	own := errorhandler.Map{Rules: []errorhandler.Rule{errorhandler.Is(sql.ErrNoRows, api.Error{Status: 410, Message: "gone"})}}
	p.AddApi(api.GET("1", "users"), returns(nil, sql.ErrNoRows), open)
	p.Add(api.Api{Endpoint: api.GET("1", "own"), Handler: returns(nil, sql.ErrNoRows), Authorization: open, ErrorHandler: own})
	h := p.build(t)
	require.Equal(t, 404, get(h, "/api/v1/users").StatusCode)
	require.Equal(t, 410, get(h, "/api/v1/own").StatusCode)
}

func TestATableThatAbortsReachesTheServer(t *testing.T) {
	p := newProgram(sallyport.Config{ErrorHandler: errorhandler.Map{Rules: []errorhandler.Rule{errorhandler.As(func(error) api.Error { panic(http.ErrAbortHandler) })}}})
	p.AddApi(api.GET("1", "users"), returns(nil, sql.ErrNoRows), open)
	h := p.build(t)
	require.PanicsWithValue(t, http.ErrAbortHandler, func() { get(h, "/api/v1/users") })
}

func TestMistakesOfATableAreFoundAtStart(t *testing.T) {
	d := sallyport.NewApiDecider(sallyport.Config{ErrorHandler: errorhandler.Funcs{Base: errorhandler.Map{Rules: []errorhandler.Rule{{}}}}})
	_, err := sallyport.NewPresenter(d)
	require.ErrorContains(t, err, "the error handler: errorhandler.Funcs: Base: errorhandler.Map: rule 1: it is empty: make it with Is or As")
}

func TestABrokenErrorHandlerLosesNoCode(t *testing.T) {
	p := newProgram(sallyport.Config{ErrorHandler: mapping(brokenErrorHandler(func() api.Response { panic("a bug") }))})
	p.AddApi(api.GET("1", "users"), returns(nil, sql.ErrNoRows), open)
	res := get(p.build(t), "/api/v1/users")
	require.Equal(t, `{"status":"error","message":"There is nothing here","code":"row.none"}`, body(t, res))
}
