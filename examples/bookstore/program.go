package main

import (
	"database/sql"
	_ "embed"
	"fmt"
	"net/http"
	"os"
	"time"

	"modernc.org/sqlite"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/handler/console"
	"github.com/sallyport-go/sallyport/handler/openapi"
	"github.com/sallyport-go/sallyport/ratelimit"
)

//go:embed bookstore.yaml
var embedded []byte

// options are what is chosen when the program starts.
type options struct {
	config      configuration
	errorFormat api.ErrorHandler
	counters    ratelimit.Storage // nil: what the configuration says
	clock       ratelimit.Clock   // nil: the time
}

var errorFormats = map[string]api.ErrorHandler{
	"default": errorhandler.Default{},
	"problem": errorhandler.ProblemDetails{},
}

// shop is what the handlers share.
type shop struct {
	store *store
	now   func() time.Time
}

// newPresenter is the whole API from top to bottom.
func newPresenter(books *store, o options) (*sallyport.Presenter, error) {
	s := &shop{store: books, now: time.Now}
	config, err := sallyport.ParseConfig(o.config.text, sallyport.Parts{})
	if err != nil {
		return nil, fmt.Errorf("%s:\n%w", o.config.name, err)
	}
	if o.counters != nil {
		config.RateLimiting.Storage = o.counters
	}
	if o.clock != nil {
		config.RateLimiting.Clock, s.now = o.clock, o.clock.Now
	}
	for i := range config.RateLimits {
		if policy := &config.RateLimits[i]; policy.Name == "perCustomer" {
			policy.LimitFor = byPlan(policy.Limit)
		}
	}
	config.Versions = map[string]api.Lifecycle{"1": {
		Deprecated: time.Date(2026, time.October, 1, 0, 0, 0, 0, time.UTC),
		Sunset:     time.Date(2027, time.October, 1, 0, 0, 0, 0, time.UTC),
		Successor:  "2",
	}}
	config.ErrorHandler = errorhandler.Map{Base: o.errorFormat, Rules: errorRules}
	config.Output = sallyport.EnvConfigurator("APP_ENV", "production")

	// Who may call.
	var (
		anybody    = auth.None()
		librarians = auth.Basic(auth.PasswordFunc(s.librarian), auth.Realm("librarians"))
		passwords  = auth.Basic(auth.PasswordFunc(s.customer), auth.Realm("customers"))
		customers  = auth.Bearer(auth.TokenFunc(s.token), auth.Realm("customers"))
		buyers     = auth.Scopes(customers, "orders:write")
		readers    = auth.Any(auth.Scopes(customers, "orders:read"), librarians)
		partners   = auth.HeaderKey("X-API-Key", auth.TokenFunc(s.apiKey), auth.Realm("partners"))
	)
	// How often. Whoever guesses is counted by address, whoever is known by who he is.
	perCustomer := ratelimit.Named("perIp", "perCustomer")
	// What stays the same in both versions.
	var (
		putCover   = api.PUT("1", "books", "{isbn}", "cover")
		getCover   = api.GET("1", "books", "{isbn}", "cover")
		export     = api.GET("1", "export")
		login      = api.POST("1", "login")
		postOrder  = api.POST("1", "orders")
		getOrders  = api.GET("1", "orders")
		getOrder   = api.GET("1", "orders", "{id}")
		showStatus = api.GET("1", "status")
	)

	created := handler.TypedOptions{Status: http.StatusCreated}

	decider := sallyport.NewApiDecider(config)
	decider.AddApi(api.GET("1", "books"), handler.Typed(s.findBooksV1), anybody)
	decider.AddApi(api.GET("1", "books", "{isbn}"), fails(handler.Typed(s.bookV1), http.StatusNotFound), anybody)
	decider.AddApi(api.POST("1", "books"), fails(handler.TypedWith(created, s.addBookV1), http.StatusConflict), librarians)
	decider.Add(api.Api{Endpoint: putCover, Handler: fails(handler.Typed(s.putCover), http.StatusNotFound), Authorization: librarians, MaxBody: maxCover})
	decider.AddApi(getCover, fails(handler.Typed(s.cover), http.StatusNotFound), anybody)
	decider.Add(api.Api{
		Endpoint: export, Handler: handler.Func(s.export), Authorization: partners,
		RateLimits: []ratelimit.Rule{ratelimit.Named("perIp", "export")},
		Timeout:    -1, // it takes as long as the client does
	})
	decider.AddApi(login, handler.Typed(s.login), passwords, ratelimit.Named("login"))
	decider.AddApi(postOrder, fails(handler.TypedWith(created, s.postOrder), http.StatusConflict), buyers, perCustomer)
	decider.AddApi(getOrders, handler.Typed(s.orders), readers, perCustomer)
	decider.AddApi(getOrder, fails(handler.Typed(s.order), http.StatusNotFound), readers, perCustomer)
	decider.AddApi(showStatus, handler.AlwaysOk{}, anybody, ratelimit.Off)

	decider.AddApi(api.GET("2", "books"), s.findBooksV2(), anybody)
	decider.AddApi(api.GET("2", "books", "{isbn}"), fails(handler.Typed(s.bookV2), http.StatusNotFound), anybody)
	decider.AddApi(api.POST("2", "books"), fails(handler.TypedWith(created, s.addBookV2), http.StatusConflict), librarians)
	for _, same := range []api.EndpointIdentifier{putCover, getCover, export, login, postOrder, getOrders, getOrder, showStatus} {
		decider.CarryOver(same, "2")
	}

	document := &openapi.Document{Title: "Bookstore", Description: "A small shop for books."}
	decider.AddApi(api.GET("1", "openapi"), document, anybody)
	decider.AddApi(api.GET("2", "openapi"), document, anybody)
	decider.AddApi(api.GET("2", "console"), &console.Console{Title: "Bookstore", AllVersions: true}, anybody, ratelimit.Off)
	presenter, err := sallyport.NewPresenter(decider)
	if err != nil {
		return nil, fmt.Errorf("%s:\n%w", o.config.name, err)
	}
	return presenter, nil
}

// fails tells documents the errors that a handler returns itself.
func fails(h api.Handler, statuses ...int) api.Handler {
	return handler.Describe(h, api.Description{Failures: statuses})
}

// errorRules say how errors of the store are answered, which handlers return as
// they are.
var errorRules = []errorhandler.Rule{
	errorhandler.Is(sql.ErrNoRows, api.Error{Status: http.StatusNotFound, Message: "There is nothing here", Code: "missing"}),
	errorhandler.As(lineAnswer),
	errorhandler.As(func(err *sqlite.Error) (answer api.Error) {
		if isTaken(err) {
			answer = api.Error{Status: http.StatusConflict, Message: "It is there already", Code: "taken"}
		}
		return answer // anything else is a 500
	}),
}

// configuration is a file and what stands in it.
type configuration struct {
	name string
	text []byte
}

// readConfig reads a file, or what is embedded for "".
func readConfig(file string) (configuration, error) {
	if file == "" {
		return configuration{"bookstore.yaml", embedded}, nil
	}
	text, err := os.ReadFile(file) //nolint:gosec // the user of the program says which file
	return configuration{file, text}, err
}
