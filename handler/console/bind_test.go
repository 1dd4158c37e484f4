package console_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/handler/console"
	"github.com/sallyport-go/sallyport/handler/param"
	"github.com/sallyport-go/sallyport/ratelimit"
)

func TestFiles(t *testing.T) {
	files := fstest.MapFS{
		"page.html":   {Data: []byte(`{{.Title}} of {{.Count}}: {{range .Groups}}{{.Version}}{{range .Tags}} {{.Name}}{{end}}{{end}}`)},
		"form.html":   {Data: []byte(`{{.ID}}{{range .Sources}}{{range .Fields}} [{{.Label}}]{{end}}{{end}}`)},
		"console.css": {Data: []byte(`body { color: red }`)},
		"main.js":     {Data: []byte(`import { build } from "./request.js";`)},
		"secret.css":  {Data: []byte(`none`)},
	}
	d := decider()
	d.AddApi(api.GET("1", "books"), takes(param.Query[int]("page_number").Required()), auth.None())
	presenter := build(t, &console.Console{Files: files}, d)
	require.Equal(t, "API console of 2: 1 books console", text(t, get(presenter, "/api/v1/console")))                        // FW-366
	require.Equal(t, "GET v1/books [Page number * (integer)]", text(t, get(presenter, "/api/v1/console?form=GET+v1/books"))) // FW-377
	require.Equal(t, "body { color: red }", text(t, get(presenter, "/api/v1/console?asset=console.css")))
	require.Regexp(t, `^import \{ build \} from "\./console\?asset=request\.js&v=[0-9a-f]{24}";$`, text(t, get(presenter, "/api/v1/console?asset=main.js")))
	require.Contains(t, text(t, get(presenter, "/api/v1/console?asset=request.js")), "export function build")
	require.Equal(t, http.StatusNotFound, get(presenter, "/api/v1/console?asset=secret.css").StatusCode)
}

func TestMistakes(t *testing.T) {
	page := func(text string) *console.Console {
		return &console.Console{Files: fstest.MapFS{"page.html": {Data: []byte(text)}}}
	}
	form := func(text string) *console.Console {
		return &console.Console{Files: fstest.MapFS{"form.html": {Data: []byte(text)}}}
	}
	for name, row := range map[string]struct {
		endpoint api.EndpointIdentifier
		console  *console.Console
		want     []string
	}{
		"another method":   {api.POST("1", "console"), &console.Console{}, []string{"console: POST v1/console: register it for GET, by which browsers load pages and their files"}},
		"a variable":       {api.GET("1", "{user}", "console"), &console.Console{}, []string{"console: GET v1/{user}/console: the path has the variable {user}: register it under one that has none"}},
		"both":             {api.PUT("1", "console", "{rest...}"), &console.Console{}, []string{"PUT v1/console/{rest...}: register it for GET", "the variable {rest...}"}},
		"a broken page":    {api.GET("1", "console"), page("{{"), []string{"console: template: page.html:1: unclosed action"}},
		"a broken form":    {api.GET("1", "console"), form("{{if}}"), []string{"console: template: form.html:1: missing value for if"}},
		"an unknown field": {api.GET("1", "console"), form("{{.Moon}}"), []string{"console: template: form.html:1:2", "can't evaluate field Moon"}},
		"a folder":         {api.GET("1", "console"), &console.Console{Files: fstest.MapFS{"main.js/a": {}}}, []string{"console: read main.js"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := decider()
			d.AddApi(row.endpoint, row.console, auth.None(), ratelimit.Off)
			_, err := sallyport.NewPresenter(d)
			for _, want := range row.want {
				require.ErrorContains(t, err, want)
			}
		})
	}
}

// One console serves several versions and presenters, also behind wrappers.
func TestSeveralRegistrations(t *testing.T) {
	c := &console.Console{}
	first := library()
	first.AddApi(api.GET("2", "help"), handler.Describe(c, api.Description{Summary: "Help"}), auth.None(), ratelimit.Off)
	one := build(t, c, first)
	two := build(t, c, decider())
	ids := func(h http.Handler, path string) (all []string) {
		for _, r := range rows(parse(t, text(t, get(h, path)))) {
			all = append(all, r.ID)
		}
		return all
	}
	require.Equal(t, []string{"GET v1/books", "DELETE v1/books/{id}", "POST v1/orders/{id}", "GET v1/console"}, ids(one, "/api/v1/console"))
	require.Equal(t, []string{"GET v2/books", "GET v2/help"}, ids(one, "/api/v2/help"))
	require.Equal(t, []string{"GET v1/console"}, ids(two, "/api/v1/console"))
	require.Contains(t, text(t, get(one, "/api/v2/help?asset=main.js")), `from "./help?asset=`)
}

// hiding is a wrapper that does not tell what it wraps.
type hiding struct{ inner api.Handler }

func (h hiding) Handle(ctx context.Context, r *api.Request) (api.Response, error) {
	return h.inner.Handle(ctx, r)
}

func TestUnbound(t *testing.T) {
	d := sallyport.NewApiDecider(sallyport.Config{ErrorLog: slog.New(slog.DiscardHandler)})
	d.AddApi(api.GET("1", "console"), hiding{&console.Console{}}, auth.None())
	presenter, err := sallyport.NewPresenter(d)
	require.NoError(t, err)
	require.Equal(t, http.StatusInternalServerError, get(presenter, "/api/v1/console").StatusCode)
}

func TestHead(t *testing.T) {
	presenter := build(t, &console.Console{}, library())
	w := httptest.NewRecorder()
	presenter.ServeHTTP(w, httptest.NewRequest(http.MethodHead, "/api/v1/console", nil))
	require.Equal(t, http.StatusOK, w.Code)
	require.Empty(t, w.Body.String())
}

// What is kept for one caller is not kept by others.
func TestBehindAnAuthorization(t *testing.T) {
	d := decider()
	d.AddApi(api.GET("1", "console"), &console.Console{}, auth.Bearer(auth.StaticTokens{"t": "*"}), ratelimit.Off)
	presenter, err := sallyport.NewPresenter(d)
	require.NoError(t, err)
	require.Equal(t, http.StatusUnauthorized, get(presenter, "/api/v1/console?asset=main.js").StatusCode)
	res := get(presenter, "/api/v1/console", "Authorization", "Bearer t")
	require.Equal(t, "private, no-cache", strings.Join(res.Header.Values("Cache-Control"), ", "))
}

func BenchmarkBind500(b *testing.B) {
	d := decider()
	for i := range 500 {
		d.AddApi(api.GET("1", fmt.Sprintf("things%d", i/10), fmt.Sprintf("action%d", i)), takes(param.Query[int]("page")), auth.None())
	}
	d.AddApi(api.GET("1", "console"), &console.Console{}, auth.None(), ratelimit.Off)
	for b.Loop() {
		_, err := sallyport.NewPresenter(d)
		require.NoError(b, err)
	}
}
