package sallyport_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/handler/output"
)

// outputFunc is an output of one's own.
type outputFunc func(a *api.Answer) []string

func (f outputFunc) Describe() (api.OutputInfo, error) { return api.OutputInfo{Status: 200}, nil }
func (f outputFunc) Check(a *api.Answer) []string      { return f(a) } // FW-238: faults or nothing

// pieces is a response that is sent piece by piece.
type pieces struct {
	status int
	list   []string
	flush  bool
}

func (p pieces) Status() int { return p.status }

func (p pieces) Send(w http.ResponseWriter, _ *http.Request) error {
	w.WriteHeader(p.status)
	for _, piece := range p.list {
		if _, err := io.WriteString(w, piece); err != nil {
			return err
		}
		if p.flush {
			if err := http.NewResponseController(w).Flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func TestAnswersAreCheckedByTheirOutputs(t *testing.T) {
	const failed = `{"status":"error","message":"Internal server error","detail":`
	hello := api.JSON(200, map[string]string{"hello": "world"})
	object, text := output.JSON(200, `{"type":"object"}`), output.JSON(200, `{"type":"string"}`)
	long := strings.Repeat("x", 1<<20)
	for name, row := range map[string]struct {
		response api.Response
		outputs  []api.Output
		status   int
		body     string
	}{
		"it fits":           {hello, []api.Output{object}, 200, `{"hello":"world"}`},                                                                // TC-113
		"the second fits":   {hello, []api.Output{text, object}, 200, `{"hello":"world"}`},                                                          // FW-252, TC-126
		"no outputs":        {hello, nil, 200, `{"hello":"world"}`},                                                                                 // FW-062
		"the first ends it": {hello, []api.Output{object, brokenCheck}, 200, `{"hello":"world"}`},                                                   // FW-061
		"none fits":         {hello, []api.Output{text, output.Text(201)}, 500, failed + `[["must be a string"],["Response code doesn't match"]]}`}, // FW-063, TC-124
		"an output panics":  {hello, []api.Output{brokenCheck}, 500, failed + `"panic: no schema"}`},
		"the bytes are checked": {hello, []api.Output{outputFunc(func(a *api.Answer) []string { // FW-247
			return []string{string(a.Body), a.Header.Get("Content-Length")}
		})}, 500, failed + `[["{\"hello\":\"world\"}","17"]]}`},
		"no body":              {api.NoContent(), []api.Output{output.Empty(204)}, 204, ""},
		"nothing written":      {silentResponse(202), []api.Output{output.Empty(202)}, 202, ""},
		"in pieces":            {pieces{200, []string{"a", "b"}, false}, []api.Output{wants("ab", false)}, 200, "ab"},
		"flushed pieces":       {pieces{200, []string{"a", "b"}, true}, []api.Output{wants("a", true)}, 200, "ab"},
		"flushed, fits not":    {pieces{201, []string{"a", "b"}, true}, []api.Output{output.Text(200)}, 500, failed + `[["Response code doesn't match"]]}`},
		"too long to be kept":  {pieces{200, []string{"a", long}, false}, []api.Output{wants("a", true)}, 200, "a" + long},
		"a failure is not one": {nil, []api.Output{object}, 404, `{"status":"error","message":"There is no such user"}`},
	} {
		t.Run(name, func(t *testing.T) {
			for _, on := range []bool{true, false} {
				p := newProgram(sallyport.Config{Debug: true, Output: sallyport.Switches{Schema: on}})
				var err error
				if row.response == nil {
					err = api.NotFound("user")
				}
				p.AddApi(api.GET("1", "a"), handler.Describe(returns(row.response, err), api.Description{Outputs: row.outputs}), open)
				res := get(p.build(t), "/api/v1/a")
				got := body(t, res)
				if !on && row.status == 500 {
					require.Equal(t, row.response.Status(), res.StatusCode) // FW-064
					require.Empty(t, p.log.String())
					continue
				}
				require.Equal(t, row.status, res.StatusCode)
				require.Equal(t, row.body, got)
				require.Equal(t, row.status == 500, strings.Contains(p.log.String(), "level=ERROR"), p.log) // FW-153
			}
		})
	}
}

var brokenCheck = outputFunc(func(*api.Answer) []string { panic("no schema") })

// wants is an output for that much of a body.
func wants(text string, partial bool) api.Output {
	return outputFunc(func(a *api.Answer) []string {
		if string(a.Body) == text && a.Partial == partial {
			return nil
		}
		return []string{"another body"}
	})
}

func TestAnAnswerToHeadIsNotChecked(t *testing.T) {
	p := newProgram(sallyport.Config{Output: sallyport.Switches{Schema: true}})
	p.AddApi(api.GET("1", "a"), handler.Describe(ok, api.Description{Outputs: []api.Output{output.JSON(200, `{"type":"object"}`)}}), open)
	res := send(p.build(t), request{method: "HEAD", path: "/api/v1/a"})
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.Equal(t, "15", res.Header.Get("Content-Length"))
}

func TestAMismatchIsNotShownInProduction(t *testing.T) { // FW-063
	p := newProgram(sallyport.Config{Output: sallyport.Switches{Schema: true}})
	p.AddApi(api.GET("1", "a"), handler.Describe(returns(api.Text(200, "secret"), nil), api.Description{
		Outputs: []api.Output{output.JSON(200, `{"type":"object"}`)},
	}), open)
	res := get(p.build(t), "/api/v1/a")
	require.Equal(t, http.StatusInternalServerError, res.StatusCode)
	require.Equal(t, `{"status":"error","message":"Internal server error"}`, body(t, res))
	require.Contains(t, p.log.String(), "failure=output")
}

func TestAnswersTellHowLongTheyAreKept(t *testing.T) {
	with := func(value string) api.Handler {
		return returns(api.WithHeader(ok200, http.Header{"Cache-Control": {value}}), nil)
	}
	p := newProgram(sallyport.Config{})
	for name, h := range map[string]api.Handler{
		"silent": ok, "max-age": with("max-age=60"), "public": with("Max-Age=60, PUBLIC"), "no-store": with("no-store"),
		"private": with("private, max-age=60"), "fails": returns(nil, errors.New("x")),
	} {
		p.AddApi(api.GET("1", "open", name), h, open).AddApi(api.GET("1", "secret", name), h, bearer)
	}
	h := p.build(t)
	for path, want := range map[string][]string{
		"open/silent":     {"no-cache"},              // FW-257
		"secret/silent":   {"no-store"},              // FW-260
		"open/max-age":    {"max-age=60"},            // FW-259
		"secret/max-age":  {"private", "max-age=60"}, // FW-260
		"secret/public":   {"Max-Age=60, PUBLIC"},    // FW-259
		"secret/no-store": {"no-store"},
		"secret/private":  {"private, max-age=60"},
		"open/fails":      {"no-store"},
		"secret/fails":    {"no-store"},
		"unknown":         {"no-store"},
	} {
		res := send(h, request{path: "/api/v1/" + path, token: "my-token"})
		require.Equal(t, want, res.Header["Cache-Control"], path)
	}
}

var ok200 = api.JSON(http.StatusOK, "ok")

func TestHandlersSeeTheirRequestInTheContext(t *testing.T) {
	p := newProgram(sallyport.Config{Timeout: 1e12})
	p.AddApi(api.GET("1", "a"), handler.Func(func(ctx context.Context, r *api.Request) (api.Response, error) {
		require.Same(t, r, api.RequestFrom(ctx))
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		require.Equal(t, "bearer", api.IdentityFrom(ctx).Scheme)
		require.Same(t, r, api.RequestFrom(r.Context()))
		require.Nil(t, api.RequestFrom(r.Request.Context()))
		require.Zero(t, api.IdentityFrom(context.Background()))
		return ok200, nil
	}), bearer)
	require.Equal(t, 200, send(p.build(t), request{path: "/api/v1/a", token: "my-token"}).StatusCode)
}
