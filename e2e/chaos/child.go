package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// childVariable says which program this process is instead of chaos itself.
const childVariable = "SALLYPORT_CHAOS_CHILD"

var children = map[string]func(){"panics": panicProgram, "slow": slowProgram, "few files": fewFilesProgram, "soak": soakProgram}

// serveChild serves until SIGTERM, or until the parent is gone.
func serveChild(p *sallyport.Presenter) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(3)
	}()
	return sallyport.Server{
		Addr: "127.0.0.1:0", H2C: true,
		OnListen: func(a net.Addr) { fmt.Println("http://" + a.String()) },
	}.Serve(ctx, p)
}

// exit ends a child as a program of a user ends.
func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// slowProgram answers with what it was sent, after a second.
func slowProgram() {
	d := sallyport.NewApiDecider(sallyport.Config{})
	d.AddApi(api.POST("1", "slow"), handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
		data, err := r.Bytes(1 << 20)
		if err != nil {
			return nil, err
		}
		time.Sleep(time.Second)
		return api.Text(200, string(data)), nil
	}), auth.None())
	p, err := sallyport.NewPresenter(d)
	exit(err)
	exit(serveChild(p))
}

// fewFilesProgram may open 64 files.
func fewFilesProgram() {
	exit(syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 64, Max: 64}))
	d := sallyport.NewApiDecider(sallyport.Config{})
	d.AddApi(api.GET("1", "fine"), fine, auth.None())
	p, err := sallyport.NewPresenter(d)
	exit(err)
	exit(serveChild(p))
}

// part is an endpoint one of whose parts panics.
type part struct {
	name   string
	method string // "": GET
	status int    // 0: the connection or the stream is cut
	make   func() api.Api
}

func kaboom() { panic("kaboom") }

var fine = handler.AlwaysOk{}

// at is an endpoint that anybody may call.
func at(h api.Handler, rules ...ratelimit.Rule) func() api.Api {
	return func() api.Api { return api.Api{Handler: h, Authorization: auth.None(), RateLimits: rules} }
}

func limit(p ratelimit.Policy) ratelimit.Policy {
	p.Limit, p.Interval = 100_000, time.Hour
	return p
}

var panicking = []part{
	{"handler", "", 500, at(handler.Func(func(context.Context, *api.Request) (api.Response, error) { panic("kaboom") }))},
	{"handler-error", "", 500, at(handler.Func(func(context.Context, *api.Request) (api.Response, error) { panic(errors.New("kaboom")) }))},
	{"handler-nil", "", 500, at(handler.Func(func(context.Context, *api.Request) (api.Response, error) { panic(nil) }))},
	{"handler-map", "", 500, at(handler.Func(func(context.Context, *api.Request) (api.Response, error) {
		var m map[string]int
		m["kaboom"] = 1 //nolint:staticcheck // it panics on purpose
		return nil, nil
	}))},
	{"handler-error-panics", "", 500, at(handler.Func(func(context.Context, *api.Request) (api.Response, error) { return nil, panickingError{} }))},
	{"handler-panics-panicking", "", 500, at(handler.Func(func(context.Context, *api.Request) (api.Response, error) { panic(panickingError{}) }))},
	{"handler-goexit", "", 0, at(handler.Func(func(context.Context, *api.Request) (api.Response, error) { runtime.Goexit(); return nil, nil }))},
	{"handler-abort", "", 0, at(handler.Func(func(context.Context, *api.Request) (api.Response, error) { panic(http.ErrAbortHandler) }))},
	{"handler-deep", "", 500, at(handler.Func(func(context.Context, *api.Request) (api.Response, error) { return nil, deep(10_000) }))},
	{"handler-http", "", 500, at(handler.HTTP(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { kaboom() })))},
	{"handler-http-begun", "", 0, at(handler.HTTP(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "begun")
		_ = http.NewResponseController(w).Flush()
		kaboom()
	})))},
	{"typed", "", 500, at(handler.Typed(func(context.Context, struct{}) (struct{}, error) { panic("kaboom") }))},
	{"typed-validate", "", 500, at(handler.Typed(func(context.Context, invalid) (struct{}, error) { return struct{}{}, nil }))},
	{"lazy", "", 500, at(handler.Lazy(func() (api.Handler, error) { panic("kaboom") }, handler.LazyInfo{}))},
	{"response", "", 500, at(handler.Func(func(context.Context, *api.Request) (api.Response, error) { return badResponse{}, nil }))},
	{"response-marshal", "", 500, at(handler.Func(func(context.Context, *api.Request) (api.Response, error) { return api.JSON(200, badJSON{}), nil }))},
	{"stream", "", 0, at(handler.Func(func(context.Context, *api.Request) (api.Response, error) {
		return api.Stream("text/plain", func(_ context.Context, w io.Writer) error {
			_, _ = io.WriteString(w, "begun")
			panic("kaboom")
		}), nil
	}))},
	{"events", "", 0, at(handler.Func(func(context.Context, *api.Request) (api.Response, error) {
		return api.Events(func(_ context.Context, send func(api.Event) error) error {
			_ = send(api.Event{Data: "begun"})
			panic("kaboom")
		}), nil
	}))},
	{"render", "", 500, at(handler.Func(func(context.Context, *api.Request) (api.Response, error) {
		return api.Render(200, "text/html", func(io.Writer) error { panic("kaboom") }), nil
	}))},
	{"key", "", 500, at(fine, limit(ratelimit.Policy{Key: ratelimit.KeyFunc(func(context.Context, *ratelimit.Context) (string, bool, error) { panic("kaboom") })}))},
	{"limitfor", "", 500, at(fine, limit(ratelimit.Policy{LimitFor: func(*ratelimit.Context) int64 { panic("kaboom") }}))},
	{"limiter", "", 500, at(fine, ratelimit.Use(badLimiter{}))},
	{"check", "", 500, at(fine, ratelimit.Use(ratelimit.CheckFunc(func(context.Context, *ratelimit.Context) (*ratelimit.Check, error) { panic("kaboom") })))},
	{"algorithm", "", 500, at(fine, limit(ratelimit.Policy{Algorithm: badAlgorithm{}}))},
	{"storage", "", 500, at(fine, limit(ratelimit.Policy{Storage: badStorage{}}))},
	{"storage-lazy", "", 500, at(fine, limit(ratelimit.Policy{Storage: ratelimit.Lazy(func(context.Context) (ratelimit.Storage, error) { panic("kaboom") })}))},
	{"authorization", "", 500, func() api.Api { return api.Api{Handler: fine, Authorization: badAuthorization{}} }},
	{"lookup", "", 500, func() api.Api {
		return api.Api{Handler: fine, Authorization: auth.Bearer(auth.TokenFunc(func(context.Context, string) (auth.Token, bool, error) { panic("kaboom") }))}
	}},
	{"errorhandler", "", 500, func() api.Api {
		return api.Api{Handler: handler.Func(func(context.Context, *api.Request) (api.Response, error) { return nil, errors.New("x") }), Authorization: auth.None(), ErrorHandler: badErrors{}}
	}},
	{"errorhandler-nil", "", 500, func() api.Api {
		return api.Api{Handler: handler.Func(func(context.Context, *api.Request) (api.Response, error) { panic("kaboom") }), Authorization: auth.None(),
			ErrorHandler: errorhandler.Func(func(context.Context, *api.Request, *api.Failure) api.Response { return nil })}
	}},
	{"logger", "", 200, at(fine)},
	{"detector", "", 500, at(fine, limit(ratelimit.Policy{}))},
}

func deep(n int) error {
	if n == 0 {
		panic("kaboom")
	}
	return deep(n - 1)
}

type panickingError struct{}

func (panickingError) Error() string { panic("kaboom") }

type invalid struct {
	A string `query:"a"`
}

func (invalid) Validate() error { panic("kaboom") }

type badResponse struct{}

func (badResponse) Status() int                                   { return 200 }
func (badResponse) Send(http.ResponseWriter, *http.Request) error { panic("kaboom") }

type badJSON struct{}

func (badJSON) MarshalJSON() ([]byte, error) { panic("kaboom") }

type badLimiter struct{}

func (badLimiter) Consume(context.Context, *ratelimit.Context, int64, []ratelimit.Result) ([]ratelimit.Result, error) {
	panic("kaboom")
}

type badAlgorithm struct{}

func (badAlgorithm) Name() string                                           { return "bad" }
func (badAlgorithm) Step(ratelimit.State, ratelimit.Take) ratelimit.Outcome { panic("kaboom") }

type badStorage struct{}

func (badStorage) Consume(context.Context, []byte, ratelimit.Algorithm, ratelimit.Take) (ratelimit.Decision, error) {
	panic("kaboom")
}

type badAuthorization struct{}

func (badAuthorization) Authorize(context.Context, *api.Request) (api.Identity, error) {
	panic("kaboom")
}
func (badAuthorization) Scheme() api.Scheme { return api.Scheme{Name: "bad", Challenge: "Bad"} }

type badErrors struct{}

func (badErrors) HandleError(context.Context, *api.Request, *api.Failure) api.Response {
	panic("kaboom")
}

// badLogger panics for one endpoint, and its log for every line.
type badLogger struct{}

func (badLogger) Log(_ context.Context, rec *api.Record) {
	if rec.Path == "/api/v1/logger" {
		panic("kaboom")
	}
}

// badDetector panics for one endpoint.
type badDetector struct{}

func (badDetector) IP(r *http.Request) string {
	if r.URL.Path == "/api/v1/detector" {
		panic("kaboom")
	}
	return "192.0.2.1"
}

// panicProgram is one whose parts all panic.
func panicProgram() {
	c := sallyport.Config{IPDetector: badDetector{}, Logger: badLogger{}, ErrorLog: slog.New(slog.NewTextHandler(os.Stderr, nil)), ErrorHandler: errorhandler.Default{}}
	if len(os.Args) > 1 && os.Args[1] == "problem" {
		c.ErrorHandler = errorhandler.ProblemDetails{}
	}
	d := sallyport.NewApiDecider(c)
	d.AddApi(api.GET("1", "fine"), fine, auth.None())
	for _, p := range panicking {
		a := p.make()
		a.Endpoint = api.GET("1", p.name)
		d.Add(a)
	}
	p, err := sallyport.NewPresenter(d)
	exit(err)
	exit(serveChild(p))
}
