package sallyport_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/handler"
)

// show prints an answer.
func show(h http.Handler, q request) {
	res := send(h, q)
	text, err := io.ReadAll(res.Body)
	if err != nil {
		panic(err)
	}
	fmt.Println(res.StatusCode, string(text))
}

// serve builds a program of one handler that fails.
func serve(c sallyport.Config, h api.Handler) http.Handler {
	decider := sallyport.NewApiDecider(c)
	decider.AddApi(api.POST("1", "users"), h, auth.None())
	decider.AddApi(api.GET("1", "users", "{id}"), h, auth.None())
	presenter, err := sallyport.NewPresenter(decider)
	if err != nil {
		panic(err)
	}
	return presenter
}

// user is what a store of the program keeps.
type user struct{ Name string }

var errNoStore = errors.New("pq: no route to host")

func find(_ context.Context, id string) (user, error) {
	switch id {
	case "7":
		return user{"Ann"}, nil
	case "8":
		return user{}, sql.ErrNoRows
	}
	return user{}, errNoStore
}

// showUser answers GET v1/users/{id}.
func showUser(ctx context.Context, r *api.Request) (api.Response, error) {
	u, err := find(ctx, r.PathValue("id"))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, api.NotFound("user")
	}
	if err != nil {
		return nil, err
	}
	return api.JSON(http.StatusOK, u), nil
}

func Example_errorsOfAHandler() {
	h := serve(sallyport.Config{ErrorLog: slog.New(slog.DiscardHandler)}, handler.Func(showUser))
	for _, id := range []string{"7", "8", "9"} {
		show(h, request{path: "/api/v1/users/" + id})
	}
	// Output:
	// 200 {"Name":"Ann"}
	// 404 {"status":"error","message":"There is no such user"}
	// 500 {"status":"error","message":"Internal server error"}
}

// createUser answers POST v1/users.
func createUser(_ context.Context, r *api.Request) (api.Response, error) {
	cause := errors.New("duplicate key")

	return nil, api.Error{
		Status:  http.StatusConflict,
		Code:    "user.taken",
		Message: "Somebody else has this name",
		Err:     cause, // for the log
	}
}

// invite answers POST v1/users, too.
func invite(context.Context, *api.Request) (api.Response, error) {
	return nil, api.Invalid(api.FieldError{In: "body", Name: "email", Code: "unreachable", Message: "Nobody reads mail there"})
}

func Example_errorsWithCodes() {
	config := sallyport.Config{
		ErrorHandler: errorhandler.ProblemDetails{
			TypeBase: "https://api.example.com/problems/",
			Titles:   map[string]string{"user.taken": "The name is taken"},
		},
	}

	show(serve(sallyport.Config{}, handler.Func(createUser)), request{method: "POST", path: "/api/v1/users"})
	show(serve(config, handler.Func(createUser)), request{method: "POST", path: "/api/v1/users"})
	show(serve(config, handler.Func(invite)), request{method: "POST", path: "/api/v1/users"})
	// Output:
	// 409 {"status":"error","message":"Somebody else has this name","code":"user.taken"}
	// 409 {"type":"https://api.example.com/problems/user.taken","title":"The name is taken","status":409,"detail":"Somebody else has this name","instance":"/api/v1/users","code":"user.taken"}
	// 400 {"type":"about:blank","title":"Bad Request","status":400,"detail":"wrong input","instance":"/api/v1/users","errors":[{"detail":"Nobody reads mail there","code":"unreachable","pointer":"#/email"}]}
}

// PaymentError is an error of the program.
type PaymentError struct{ Reason string }

func (e *PaymentError) Error() string { return "payment: " + e.Reason }

func Example_errorsMapped() {
	errorHandler := errorhandler.Map{
		Base: errorhandler.ProblemDetails{},
		Rules: []errorhandler.Rule{
			errorhandler.Is(sql.ErrNoRows, api.Error{Status: http.StatusNotFound, Message: "There is nothing here"}),
			errorhandler.As(func(e *PaymentError) api.Error {
				return api.Error{Status: http.StatusPaymentRequired, Code: "payment." + e.Reason}
			}),
		},
	}

	for _, err := range []error{fmt.Errorf("user 8: %w", sql.ErrNoRows), &PaymentError{"declined"}} {
		show(serve(sallyport.Config{ErrorHandler: errorHandler}, returns(nil, err)), request{path: "/api/v1/users/8"})
	}
	// Output:
	// 404 {"type":"about:blank","title":"Not Found","status":404,"detail":"There is nothing here","instance":"/api/v1/users/8"}
	// 402 {"type":"about:blank","title":"Payment Required","status":402,"detail":"Payment Required","instance":"/api/v1/users/8","code":"payment.declined"}
}

func Example_errorsOfOneKind() {
	errorHandler := errorhandler.Funcs{
		Base: errorhandler.ProblemDetails{},
		NotFound: func(ctx context.Context, r *api.Request, f *api.Failure) api.Response {
			return api.JSON(f.Status, map[string]string{"error": f.Message, "help": "https://example.com/help"})
		},
	}

	h := serve(sallyport.Config{ErrorHandler: errorHandler}, ok)
	show(h, request{path: "/api/v1/nowhere"})
	show(h, request{method: "PUT", path: "/api/v1/users"})
	// Output:
	// 404 {"error":"Unknown api endpoint","help":"https://example.com/help"}
	// 405 {"type":"about:blank","title":"Method Not Allowed","status":405,"detail":"Method not allowed","instance":"/api/v1/users"}
}

// lineFormat answers every failure with a line of text.
type lineFormat struct{}

func (lineFormat) HandleError(ctx context.Context, r *api.Request, f *api.Failure) api.Response {
	text := f.Message
	if f.Debug && f.Err != nil {
		text += ": " + f.Err.Error()
	}
	return api.Text(f.Status, text+"\n")
}

// ErrorSchema tells documents what the answers look like.
func (lineFormat) ErrorSchema(api.Kind) (mediaType string, schema api.Schema) {
	return "text/plain", api.Schema{JSON: []byte(`{"type":"string"}`)}
}

func Example_errorsOfOneEndpoint() {
	decider := sallyport.NewApiDecider(sallyport.Config{ErrorHandler: errorhandler.ProblemDetails{}})

	decider.Add(api.Api{
		Endpoint:      api.GET("1", "users", "{id}"),
		Handler:       handler.Func(showUser),
		Authorization: auth.None(),
		ErrorHandler:  lineFormat{},
	})

	presenter, err := sallyport.NewPresenter(decider)
	if err != nil {
		panic(err)
	}
	show(presenter, request{path: "/api/v1/users/8"})
	show(presenter, request{path: "/api/v1/nowhere"})
	// Output:
	// 404 There is no such user
	//
	// 404 {"type":"about:blank","title":"Not Found","status":404,"detail":"Unknown api endpoint","instance":"/api/v1/nowhere"}
}

func Example_errorsInDebugMode() {
	show(serve(sallyport.Config{Debug: true, ErrorLog: slog.New(slog.DiscardHandler)}, handler.Func(showUser)), request{path: "/api/v1/users/9"})
	// Output:
	// 500 {"status":"error","message":"Internal server error","detail":"pq: no route to host"}
}

// The answers and the line of the log that the page shows are those of the program.
func TestTheAnswersOnThePageOfErrors(t *testing.T) {
	shown := blocks(t, "docs/errors.md", "json")
	require.Len(t, shown, 4)
	problem := sallyport.Config{ErrorHandler: errorhandler.ProblemDetails{TypeBase: "https://api.example.com/problems/", Titles: map[string]string{"user.taken": "The name is taken"}}}
	post := request{method: "POST", path: "/api/v1/users"}
	for i, got := range []string{
		body(t, send(serve(sallyport.Config{}, handler.Func(createUser)), post)),
		body(t, send(serve(sallyport.Config{ErrorHandler: errorhandler.ProblemDetails{}}, handler.Func(invite)), post)),
		body(t, send(serve(problem, handler.Func(createUser)), post)),
		body(t, send(serve(sallyport.Config{Debug: true, ErrorLog: slog.New(slog.DiscardHandler)}, handler.Func(showUser)), request{path: "/api/v1/users/9"})),
	} {
		require.JSONEq(t, got, shown[i])
	}

	var log strings.Builder
	plain := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	q := request{path: "/api/v1/users/9", header: http.Header{"X-Request-Id": {"b1946ac92492d2347c6235b4d2611184"}}}
	res := send(serve(sallyport.Config{ErrorLog: plain, TrustRequestID: true}, handler.Func(showUser)), q)
	require.Equal(t, "b1946ac92492d2347c6235b4d2611184", res.Header.Get("X-Request-Id"))
	require.Equal(t, []string{strings.TrimSuffix(log.String(), "\n")}, blocks(t, "docs/errors.md", "text"))
}

// The table of the page has every kind, by the field of Funcs that answers it.
func TestTheKindsOnThePageOfErrors(t *testing.T) {
	page, err := os.ReadFile("docs/errors.md")
	require.NoError(t, err)
	fields := reflect.TypeFor[errorhandler.Funcs]()
	require.Equal(t, "Base", fields.Field(0).Name)
	for i := 1; i < fields.NumField(); i++ { // they stand in the order of the kinds
		kind := api.Kind(i)
		name := fields.Field(i).Name
		require.Equal(t, strings.ToLower(name), strings.ToLower(strings.ReplaceAll(kind.String(), " ", "")))
		require.Contains(t, string(page), fmt.Sprintf("\n| `%s` | %d", name, kind.Status()))
		require.Contains(t, string(page), fmt.Sprintf("| %s |\n", kind.Message()))
	}
}
