package sallyport_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/handler/param"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// declares is a handler that answers with the values of its parameters.
func declares(params ...api.Param) api.Handler {
	return handler.Describe(handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
		values := map[string]any{}
		for _, v := range r.Values {
			values[v.Name] = v.Value
		}
		return api.JSON(http.StatusOK, values), nil
	}), api.Description{Params: params})
}

// brokenParam is a parameter of one's own.
type brokenParam struct {
	input api.Input
	err   error // of the declaration
	fault error // of every request
}

func (b brokenParam) Input() (api.Input, error)      { return b.input, b.err }
func (b brokenParam) Read(*api.Request) (any, error) { return nil, b.fault }

func TestParametersAreReadBeforeTheHandler(t *testing.T) {
	const wrong = `{"status":"error","message":"wrong input","detail":`
	failing := func(err error) api.Param {
		return brokenParam{input: api.Input{In: api.InQuery, Name: "own"}, fault: err}
	}
	p := newProgram(sallyport.Config{Debug: true})
	p.AddApi(api.GET("1", "list"), declares(
		param.Query[int]("page").Required(), param.Query[string]("sort").Allowed("a", "b"), param.Cookie[bool]("all"),
	), open)
	p.AddApi(api.POST("1", "form"), declares(param.Form[int]("a").Required(), param.Form[int]("b").Required()), open)
	p.AddApi(api.GET("1", "none"), declares(), open)
	p.AddApi(api.GET("1", "secret"), declares(param.Query[int]("page").Required()), bearer)
	p.AddApi(api.GET("1", "echo"), handler.Echo{}, open)
	p.AddApi(api.GET("1", "items", "{id}"), declares(param.Path[int]("id")), open)
	p.AddApi(api.GET("1", "fails"), declares(failing(errors.New("the table is gone"))), open)
	p.AddApi(api.GET("1", "gone"), declares(param.Query[int]("page"), failing(api.NotFound("user"))), open)
	p.AddApi(api.GET("1", "panics"), declares(failing(nil), panickingParam{}), open)
	h := p.build(t)
	form := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	for name, row := range map[string]struct {
		request request
		status  int
		body    string
	}{
		"every parameter has a value or none": {request{path: "/api/v1/list?page=2&other=1"}, 200, `{"all":null,"page":2,"sort":null}`},                                                                                                                                                                                 // FW-055, FW-060, FW-191, FW-192
		"all faults at once":                  {request{path: "/api/v1/list?page=x&sort=c", header: http.Header{"Cookie": {"all=maybe"}}}, 400, wrong + `{"all":["Value has invalid type. Expected boolean."],"page":["Value has invalid type. Expected integer."],"sort":["Field contains not available value(s)"]}}`}, // FW-054, FW-059, FW-190, TC-121
		"a query that cannot be read is one":  {request{path: "/api/v1/list?page=%zz"}, 400, wrong + `{"query":["The query of the request cannot be read"]}}`},
		"a broken form is one fault":          {request{method: "POST", path: "/api/v1/form", header: form, body: "a=%zz"}, 400, wrong + `{"form":["The form cannot be read"]}}`},
		"another media type":                  {request{method: "POST", path: "/api/v1/form", header: http.Header{"Content-Type": {"text/csv"}}, body: "a,b"}, 415, `{"status":"error","message":"Unsupported media type"}`},
		"no parameters":                       {request{path: "/api/v1/none?page=x"}, 200, `{}`},                                                                                  // FW-399
		"the authorization comes first":       {request{path: "/api/v1/secret?page=x"}, 401, `{"status":"error","message":"Authorization header HTTP_Authorization is not set"}`}, // FW-056, FW-413, TC-120
		"the authorization has admitted":      {request{path: "/api/v1/secret?page=x", token: "my-token"}, 400, wrong + `{"page":["Value has invalid type. Expected integer."]}}`},
		"Echo without its status":             {request{path: "/api/v1/echo"}, 400, wrong + `{"status":["Field is required"]}}`}, // TC-112
		"Echo":                                {request{path: "/api/v1/echo?status=error&message=Hello"}, 200, `{"status":"error","params":{"message":"Hello","status":"error"}}`},
		"a number in the path":                {request{path: "/api/v1/items/7"}, 200, `{"id":7}`}, // FW-046, TC-205
		"no number in the path":               {request{path: "/api/v1/items/x"}, 400, wrong + `{"id":["Value has invalid type. Expected integer."]}}`},
		"a parameter that fails is no fault":  {request{path: "/api/v1/fails"}, 500, `{"status":"error","message":"Internal server error","detail":"the table is gone"}`},
		"a parameter that has its own status": {request{path: "/api/v1/gone?page=x"}, 404, `{"status":"error","message":"There is no such user"}`},
		"a parameter that panics":             {request{path: "/api/v1/panics"}, 500, `{"status":"error","message":"Internal server error","detail":"panic: no table"}`}, // FW-065
	} {
		t.Run(name, func(t *testing.T) {
			res := send(h, row.request)
			require.Equal(t, row.body, body(t, res))
			require.Equal(t, row.status, res.StatusCode)
		})
	}
}

// panickingParam is a parameter with a bug.
type panickingParam struct{}

func (panickingParam) Input() (api.Input, error)      { return api.Input{In: api.InQuery, Name: "bug"}, nil }
func (panickingParam) Read(*api.Request) (any, error) { panic("no table") }

func TestFaultsOfTheInputAreHiddenInProduction(t *testing.T) { // TC-111
	p := newProgram(sallyport.Config{})
	p.AddApi(api.GET("1", "echo"), handler.Echo{}, open)
	res := get(p.build(t), "/api/v1/echo")
	require.Equal(t, http.StatusBadRequest, res.StatusCode)
	require.Equal(t, `{"status":"error","message":"wrong input"}`, body(t, res))
}

func TestFaultsOfTheInputHaveTheirPlaces(t *testing.T) { // peer-fw 55
	p := newProgram(sallyport.Config{ErrorHandler: errorhandler.ProblemDetails{}})
	p.AddApi(api.POST("1", "users"), declares(
		param.Query[int]("page").Required(), param.JSON[any]("user", `{"properties":{"tags":{"items":{"type":"string"}}}}`).Required(),
	), open)
	res := send(p.build(t), request{
		method: "POST", path: "/api/v1/users", body: `{"tags":["a",1]}`, header: http.Header{"Content-Type": {"application/json"}},
	})
	require.Equal(t, http.StatusBadRequest, res.StatusCode)
	require.JSONEq(t, `{"type":"about:blank","title":"Bad Request","status":400,"detail":"wrong input","instance":"/api/v1/users","errors":[
		{"detail":"Field is required","code":"required","in":"query","name":"page"},
		{"detail":"[Property tags.1] must be a string","code":"type","pointer":"#/tags/1"}]}`, body(t, res))
}

func TestAnUnsupportedBodyTellsWhatIsRead(t *testing.T) { // peer-fw 43, FW-234
	p := newProgram(sallyport.Config{})
	h := declares(param.JSON[any]("user", `{}`))
	p.AddApi(api.POST("1", "users"), h, open).AddApi(api.PATCH("1", "users"), h, open).AddApi(api.PUT("1", "users"), h, open)
	presenter := p.build(t)
	for method, field := range map[string]string{"POST": "Accept-Post", "PATCH": "Accept-Patch", "PUT": ""} {
		for _, contentType := range []string{"text/plain", "", "application/x-www-form-urlencoded", "application/jsonx"} {
			header := http.Header{}
			if contentType != "" {
				header.Set("Content-Type", contentType)
			}
			res := send(presenter, request{method: method, path: "/api/v1/users", body: `{}`, header: header})
			require.Equal(t, http.StatusUnsupportedMediaType, res.StatusCode)
			require.Equal(t, "application/json", res.Header.Get("Accept"))
			for _, other := range []string{"Accept-Post", "Accept-Patch"} {
				require.Equal(t, other == field, res.Header.Get(other) == "application/json", "%s %s", method, other)
			}
		}
		res := send(presenter, request{method: method, path: "/api/v1/users", body: "\x00", header: http.Header{
			"Content-Type": {"application/json"}, "Content-Encoding": {"br"},
		}})
		require.Equal(t, http.StatusUnsupportedMediaType, res.StatusCode)
		require.Equal(t, "identity", res.Header.Get("Accept-Encoding"))
	}
}

func TestParametersReadTheBodyOnce(t *testing.T) { // FW-075
	p := newProgram(sallyport.Config{})
	var seen *api.Request
	signed := authFunc{f: func(_ context.Context, r *api.Request) (api.Identity, error) {
		seen = r
		require.Empty(t, r.Values) // FW-057
		data, err := r.Bytes(0)
		require.NoError(t, err)
		require.Equal(t, `{"a":1}`, string(data))
		return api.Identity{}, nil
	}}
	p.AddApi(api.POST("1", "users"), declares(param.JSON[map[string]int]("user", ``)), signed)
	reader := &endCounter{text: `{"a":1}`}
	r := httptest.NewRequest(http.MethodPost, "/api/v1/users", reader)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	p.build(t).ServeHTTP(w, r)
	require.Equal(t, `{"user":{"a":1}}`, w.Body.String())
	require.Equal(t, 1, reader.ends)
	data, err := seen.Bytes(0)
	require.NoError(t, err)
	require.Equal(t, `{"a":1}`, string(data))
}

// endCounter counts how often its end was reached.
type endCounter struct {
	text string
	ends int
}

func (c *endCounter) Read(p []byte) (int, error) {
	n := copy(p, c.text)
	c.text = c.text[n:]
	if n == 0 {
		c.ends++
		return 0, io.EOF
	}
	return n, nil
}

func TestARefusalReadsNoParameter(t *testing.T) { // FW-053
	p := newProgram(sallyport.Config{})
	p.AddApi(api.GET("1", "users"), declares(panickingParam{}), open, ratelimit.Policy{Limit: 1, Interval: 60e9})
	h := p.build(t)
	require.Equal(t, http.StatusInternalServerError, get(h, "/api/v1/users").StatusCode)
	require.Equal(t, http.StatusTooManyRequests, get(h, "/api/v1/users").StatusCode)
}

func TestMistakesOfDescriptions(t *testing.T) {
	input := func(in api.Source, name string) api.Param { return brokenParam{input: api.Input{In: in, Name: name}} }
	for name, row := range map[string]struct {
		endpoint    api.EndpointIdentifier
		description api.Description
		want        []string
	}{
		"two of one name": { // FW-193
			api.GET("1", "a"), api.Description{Params: []api.Param{input(api.InQuery, "id"), input(api.InHeader, "id")}},
			[]string{`two parameters are called "id": one would hide the other`},
		},
		"no variable of the path": {
			api.GET("1", "a", "{id}"), api.Description{Params: []api.Param{input(api.InPath, "name"), input(api.InPath, "id")}},
			[]string{`parameter "name": the path of GET v1/a/{id} has no variable of that name`},
		},
		"an input that a handler reads itself": {
			api.GET("1", "a"), api.Description{Inputs: []api.Input{{In: api.InPath, Name: "id"}, {In: api.InJSON}}},
			[]string{
				`parameter "id": the path of GET v1/a has no variable of that name`,
				`the body (json): a request by GET has none`,
			},
		},
		"a failure that is none": {
			api.GET("1", "a"), api.Description{Failures: []int{404, 200}},
			[]string{"failure 200: 400 to 599"},
		},
		"no body": {
			api.GET("1", "a"), api.Description{Params: []api.Param{input(api.InForm, "a"), input(api.InRaw, "b")}},
			[]string{
				`parameter "a": it is in the body, and a request by GET has none`,
				`parameter "b": it is in the body, and a request by GET has none`,
			},
		},
		"two whole bodies": {
			api.POST("1", "a"), api.Description{Params: []api.Param{input(api.InJSON, "a"), input(api.InRaw, "r")}, Inputs: []api.Input{{In: api.InJSON}}},
			[]string{"2 parameters take the whole body as json: a request has one"},
		},
		"nil and nameless": {
			api.GET("1", "a"), api.Description{Params: []api.Param{nil, (*pointerParam)(nil), brokenParam{}}, Outputs: []api.Output{nil}},
			[]string{"parameter 1: it is nil", "parameter 2: it is nil", "parameter 3: it has no name", "output 1: it is nil"},
		},
		"mistakes of parameters and outputs": { // FW-236
			api.GET("1", "a"),
			api.Description{
				Params:  []api.Param{brokenParam{input: api.Input{Name: "x"}, err: errors.Join(errors.New("one"), errors.New("two"))}},
				Outputs: []api.Output{brokenOutput{}},
			},
			[]string{`parameter "x": one`, `parameter "x": two`, "output 1: it panics: no schema"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProgram(sallyport.Config{})
			p.AddApi(row.endpoint, handler.Describe(ok, row.description), open)
			_, err := sallyport.NewPresenter(p.ApiDecider)
			require.Error(t, err)
			var got []string
			for line := range strings.SplitSeq(err.Error(), "\n") {
				_, text, found := strings.Cut(line, row.endpoint.String()+": ")
				require.True(t, found, line)
				require.Contains(t, line, "inputs_test.go:")
				got = append(got, text)
			}
			require.Equal(t, row.want, got)
		})
	}
}

// The mistakes of a type do not hide those of its place.
func TestTheMistakesOfTypedInputsAreFoundAtOnce(t *testing.T) {
	type in struct {
		ID   int    `path:"idd"`
		Name string `query:"name" validate:"requird"`
		Body string `json:"body"`
	}
	p := newProgram(sallyport.Config{})
	p.AddApi(api.GET("1", "a", "{id}"), handler.Typed(func(context.Context, in) (struct{}, error) { return struct{}{}, nil }), open)
	_, err := sallyport.NewPresenter(p.ApiDecider)
	for _, want := range []string{"requird", `parameter "idd": the path of GET v1/a/{id} has no variable of that name`, "the body (json): a request by GET has none"} {
		require.ErrorContains(t, err, want)
	}
}

type pointerParam struct{ brokenParam }

// brokenOutput is an output with a bug.
type brokenOutput struct{}

func (brokenOutput) Describe() (api.OutputInfo, error) { panic("no schema") }
func (brokenOutput) Check(*api.Answer) []string        { panic("no schema") }

func TestDescribe(t *testing.T) { // FW-271, FW-272, FW-392, TC-049, TC-050
	inner := handler.Describe(ok, api.Description{Summary: "inner", Description: "kept", Tags: []string{"a"}})
	outer := handler.Describe(inner, api.Description{Summary: "outer", Tags: []string{"b"}, Deprecated: true})
	require.Equal(t, api.Description{Summary: "outer", Description: "kept", Tags: []string{"a", "b"}, Deprecated: true},
		outer.(api.Describer).Describe())
	require.Equal(t, api.Description{}, handler.Describe(ok, api.Description{}).(api.Describer).Describe())

	p := newProgram(sallyport.Config{})
	p.AddApi(api.GET("1", "a"), outer, open).AddApi(api.GET("1", "b"), handler.Describe(nil, api.Description{}), open)
	_, err := sallyport.NewPresenter(p.ApiDecider)
	require.ErrorContains(t, err, "GET v1/b: the handler: handler.Describe: the handler is nil")
	require.NotContains(t, err.Error(), "\n")
}
