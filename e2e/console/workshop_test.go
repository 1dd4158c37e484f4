package console

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/handler/console"
	"github.com/sallyport-go/sallyport/handler/param"
	"github.com/sallyport-go/sallyport/ratelimit"
)

const token = "my-token"

// reflect answers with what it was called with.
var reflect = handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
	query, err := r.QueryValues()
	return api.JSON(http.StatusOK, map[string]any{
		"method": r.Method, "path": r.URL.Path, "query": query, "caller": r.Identity.Scheme,
	}), err
})

func described(d api.Description) api.Handler { return handler.Describe(reflect, d) }

const bookSchema = `{"type": "object", "properties": {"title": {"type": "string"}, "pages": {"type": "integer"}}, "required": ["title"]}`

// workshop has a parameter of every kind, every scheme, and every algorithm.
func workshop(t *testing.T) *server {
	t.Helper()
	c := newClock()
	d := sallyport.NewApiDecider(sallyport.Config{
		RateLimits: []ratelimit.Policy{
			{Name: "perIp", Limit: 1000, Interval: time.Minute},
			{Name: "perUser", Algorithm: ratelimit.TokenBucket, Limit: 20, Interval: time.Minute, Key: ratelimit.Identity},
		},
		RateLimiting: ratelimit.Options{Clock: c},
		ErrorLog:     slog.New(slog.DiscardHandler),
	})
	addParameters(d)
	addSchemes(d)
	addAnswers(d)
	for name, algorithm := range map[string]ratelimit.Algorithm{
		"fixed": ratelimit.FixedWindow, "sliding": ratelimit.SlidingWindow, "bucket": ratelimit.TokenBucket,
	} {
		d.AddApi(api.GET("1", "limits", name), reflect, auth.None(), ratelimit.Policy{Name: name, Algorithm: algorithm, Limit: 5, Interval: 2 * time.Second})
	}
	d.AddApi(api.GET("1", "limits", "few"), reflect, auth.None(), ratelimit.Policy{Name: "few", Algorithm: ratelimit.FixedWindow, Limit: 3, Interval: time.Minute})
	d.AddApi(api.GET("1", "limits", "both"), reflect, auth.Bearer(auth.StaticTokens{token: "*"}), ratelimit.Named("perIp", "perUser"))
	d.Add(api.Api{
		Endpoint: api.GET("1", "old"), Handler: reflect, Authorization: auth.None(),
		Deprecated: time.Date(2026, time.October, 1, 0, 0, 0, 0, time.UTC),
	})
	d.AddApi(api.GET("2", "books"), described(api.Description{Summary: "Find books anew", Tags: []string{"books"}}), auth.None())
	d.AddApi(api.GET("1", "console"), &console.Console{AllVersions: true}, auth.None(), ratelimit.Off)
	return serve(t, d, c)
}

func addParameters(d *sallyport.ApiDecider) {
	isbn := param.Path[string]("isbn")
	books := []string{"books"}
	d.AddApi(api.GET("1", "books"), described(api.Description{Summary: "Find books", Tags: books, Params: []api.Param{
		param.Query[string]("q").Description("A part of the title"),
		param.Query[int]("page").Default(1),
		param.Query[string]("sort_by").AllowedValues(param.Choice[string]{Value: "title", Description: "by title"}, param.Choice[string]{Value: "-price"}),
		param.Query[string]("tags").Multi(),
		param.Header[string]("X-Trace"),
		param.Cookie[string]("theme"),
		param.Cookie[string]("lang"),
	}}), auth.None())
	d.AddApi(api.GET("1", "books", "{isbn}"), described(api.Description{Tags: books, Params: []api.Param{isbn, param.Query[string]("q")}}), auth.None())
	d.AddApi(api.PUT("1", "books", "{isbn}"), described(api.Description{Tags: books, Params: []api.Param{
		isbn, param.Form[string]("title"), param.Form[string]("note"),
	}}), auth.None())
	d.AddApi(api.POST("1", "books"), described(api.Description{Summary: "Add a book", Tags: books, Params: []api.Param{
		param.JSON[any]("book", bookSchema).Example(`{"title":"The C Programming Language","pages":272}`),
	}}), auth.None())
	d.AddApi(api.DELETE("1", "books", "{isbn}"), described(api.Description{Tags: books, Params: []api.Param{isbn}}), auth.None())
	d.AddApi(api.PATCH("1", "books", "{isbn}"), described(api.Description{Tags: books, Params: []api.Param{isbn, param.Raw("patch")}}), auth.None())
	d.AddApi(api.POST("1", "notes"), described(api.Description{Tags: []string{"notes"}, Params: []api.Param{
		param.Raw("note").MediaTypes("text/markdown"), param.Query[string]("kind"),
	}}), auth.None())
	d.AddApi(api.POST("1", "covers"), described(api.Description{Tags: []string{"covers"}, Params: []api.Param{
		param.Form[string]("title").Required(), param.Form[string]("labels").Multi(), param.File("cover"), param.File("pages").Multi(),
	}}), auth.None())
	d.AddApi(api.GET("1", "files", "{path...}"), described(api.Description{Params: []api.Param{param.Path[string]("path")}}), auth.None())
	d.AddApi(api.POST("1", "everything"), described(api.Description{Params: []api.Param{
		param.Query[string]("get"), param.Form[string]("post"), param.Header[string]("X-Field"), param.Cookie[string]("crumb"),
	}}), auth.Basic(auth.Passwords{"ada": "analytical"}))
	d.AddApi(api.POST("1", "echo"), handler.Echo{}, auth.None())
}

func addSchemes(d *sallyport.ApiDecider) {
	tokens := auth.StaticTokens{token: "*"}
	bearer, header := auth.Bearer(tokens), auth.HeaderKey("X-API-Key", tokens)
	for name, a := range map[string]api.Authorization{
		"none": auth.None(), "bearer": bearer, "basic": auth.Basic(auth.Passwords{"ada": "analytical"}),
		"header": header, "query": auth.QueryKey("key", tokens), "cookie": auth.CookieKey("session", tokens),
		"any": auth.Any(bearer, header), "all": auth.All(header, bearer),
	} {
		d.AddApi(api.GET("1", "auth", name), described(api.Description{Params: []api.Param{param.Query[string]("q")}}), a)
	}
}

// addAnswers adds an endpoint for each kind of answer.
func addAnswers(d *sallyport.ApiDecider) {
	for name, answer := range map[string]func() (api.Response, error){
		"json": func() (api.Response, error) {
			return raw("application/json", `{"url":"http:\/\/x.example\/a","name":"\u0160koda","large":12345678901234567890,"list":[1,{"a":null}],"none":{}}`), nil
		},
		"null":   func() (api.Response, error) { return raw("application/json", "null"), nil },
		"text":   func() (api.Response, error) { return api.Text(http.StatusOK, "two\n  lines ✓"), nil },
		"broken": func() (api.Response, error) { return raw("application/json", `{"a": `), nil },
		"binary": func() (api.Response, error) { return raw("image/png", binary), nil },
		"logged": func() (api.Response, error) {
			time.Sleep(145 * time.Millisecond)
			return api.WithHeader(raw202(`{"aaa": "bbb"}`), http.Header{"X-Header": {"text"}}), nil
		},
		"failed": func() (api.Response, error) {
			return nil, api.Error{Status: http.StatusServiceUnavailable, Message: "err message"}
		},
		"picture":  func() (api.Response, error) { return raw("image/gif", picture), nil },
		"marks":    func() (api.Response, error) { return raw("text/plain", "a"+strings.Repeat("\u0301", 450_000)), nil },
		"redirect": func() (api.Response, error) { return api.Redirect(http.StatusFound, "/api/v1/answers/text"), nil },
	} {
		d.AddApi(api.GET("1", "answers", name), handler.Func(func(context.Context, *api.Request) (api.Response, error) { return answer() }), auth.None())
	}
	d.AddApi(api.GET("1", "answers", "stream"), handler.Func(func(context.Context, *api.Request) (api.Response, error) { return stream{}, nil }), auth.None())
	d.AddApi(api.GET("1", "answers", "never"), handler.Func(func(ctx context.Context, _ *api.Request) (api.Response, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}), auth.None())
}

// binary is no text in any encoding that a person reads.
var binary = "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00\xff\xfe<b>", 100)

// picture is a GIF of one pixel.
var picture = "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x01D\x00;"

// stream sends events until nobody listens any more.
type stream struct{}

func (stream) Status() int { return http.StatusOK }

func (stream) Send(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Content-Type", "text/event-stream")
	events := time.NewTicker(20 * time.Millisecond)
	defer events.Stop()
	for i := 1; ; i++ {
		if _, err := fmt.Fprintf(w, "data: %d\n\n", i); err != nil {
			return err
		}
		if err := http.NewResponseController(w).Flush(); err != nil {
			return err
		}
		select {
		case <-events.C:
		case <-r.Context().Done():
			return nil
		}
	}
}

// answer is an answer byte for byte.
type answer struct {
	status    int
	mediaType string
	header    http.Header
	body      string
}

func raw(mediaType, body string) answer { return answer{http.StatusOK, mediaType, nil, body} }

func raw202(body string) answer { return answer{http.StatusAccepted, "application/json", nil, body} }

func (a answer) Status() int { return a.status }

func (a answer) Send(w http.ResponseWriter, _ *http.Request) error {
	for name, values := range a.header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Type", a.mediaType)
	w.WriteHeader(a.status)
	_, err := w.Write([]byte(a.body))
	return err
}
