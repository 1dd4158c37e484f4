package errorhandler_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/ratelimit"
)

var (
	_ api.ErrorHandler = errorhandler.Default{}
	_ api.ErrorHandler = errorhandler.ProblemDetails{}
	_ api.ErrorHandler = errorhandler.Funcs{}
	_ api.ErrorHandler = errorhandler.Func(nil)
	_ api.ErrorHandler = errorhandler.Map{}
)

// ready are the error handlers that make answers.
var ready = []api.ErrorHandler{
	errorhandler.Default{}, errorhandler.ProblemDetails{}, errorhandler.ProblemDetails{TypeBase: "https://api.example.com/problems/"},
	errorhandler.Funcs{}, errorhandler.Map{}, errorhandler.Map{Base: errorhandler.ProblemDetails{}},
}

// secret stands in the cause of every failure, where a client must not see it.
const secret = "pq: password authentication failed"

// allKinds are the kinds of failures, one that is none and one that is unknown.
func allKinds() []api.Kind {
	kinds := []api.Kind{255}
	for kind := api.Kind(0); kind <= api.KindPanic; kind++ {
		kinds = append(kinds, kind)
	}
	return kinds
}

// failureOf is a failure as the presenter reports it.
func failureOf(kind api.Kind) *api.Failure {
	f := &api.Failure{Kind: kind, Status: kind.Status(), Message: kind.Message(), Err: errors.New(secret)}
	switch kind {
	case api.KindRateLimit:
		f.RateLimits = []ratelimit.Result{
			{Policy: "perIp", Limit: 100, RetryAfter: 1200 * time.Millisecond},
			{Policy: "perUser", Limit: 50, Accepted: true, ResetAfter: time.Hour},
			{Policy: "daily", Limit: 1000, RetryAfter: 3599*time.Second + 1},
		}
	case api.KindInput:
		f.Fields = []api.FieldError{
			{In: "query", Name: "page", Message: "is no number"},
			{In: "query", Name: "page", Message: "stands twice"},
			{In: "path", Name: "id", Message: "is too long"},
			{In: "body", Name: "age", Message: "must be a positive integer"},
			{In: "body", Name: "/profile/color", Message: "must be green or red"},
			{In: "body", Message: "is no JSON"},
		}
	case api.KindMethodNotAllowed:
		f.Allow = []string{"GET", "HEAD"}
	case api.KindUnauthorized:
		f.Message, f.Challenge = "Incorrect username or password", "Basic"
	}
	return f
}

type answer struct {
	Status      int
	ContentType string
	Body        string
}

// answerTo sends the answer of a handler to a failure of GET /api/v1/users/7.
func answerTo(t *testing.T, h api.ErrorHandler, f *api.Failure) answer {
	t.Helper()
	request := httptest.NewRequest(http.MethodGet, "/api/v1/users/7?api_key=k", nil)
	response := h.HandleError(t.Context(), &api.Request{Request: request}, f)
	w := httptest.NewRecorder()
	require.NoError(t, response.Send(w, request))
	require.Equal(t, response.Status(), w.Code)
	return answer{w.Code, w.Header().Get("Content-Type"), w.Body.String()}
}

func TestNoInternalTextWithoutDebug(t *testing.T) { // FW-158
	for _, h := range ready {
		for _, kind := range allKinds() {
			f := failureOf(kind)
			require.NotContains(t, answerTo(t, h, f).Body, secret, kind)

			f.Debug = true
			if kind.Status() >= 500 {
				require.Contains(t, answerTo(t, h, f).Body, secret, kind)
			} else {
				require.NotContains(t, answerTo(t, h, f).Body, secret, kind)
			}
		}
	}
}

// pointerError is an error whose method does not stand a nil pointer.
type pointerError struct{ text string }

func (e *pointerError) Error() string { return e.text }

func TestOddInput(t *testing.T) { // peer-fw 52
	var typedNil *pointerError
	requests := map[string]*api.Request{
		"no request":      nil,
		"an empty one":    {},
		"one without URL": {Request: &http.Request{}},
		"an empty URL":    {Request: &http.Request{URL: &url.URL{}}},
	}
	failures := map[string]api.Failure{
		"empty":           {},
		"no error":        {Debug: true},
		"a typed nil":     {Debug: true, Err: typedNil},
		"empty results":   {Debug: true, RateLimits: []ratelimit.Result{}, Fields: []api.FieldError{}},
		"zero results":    {Debug: true, RateLimits: make([]ratelimit.Result, 2), Fields: make([]api.FieldError, 2)},
		"a negative wait": {RateLimits: []ratelimit.Result{{RetryAfter: -time.Hour, Limit: -1}}},
		"no text":         {Debug: true, Message: "\xff\x00", Code: "\xff\x00", Err: errors.New("\xff\x00"), Fields: []api.FieldError{{In: "body", Name: "\xff"}}},
	}
	for _, h := range ready {
		for requestName, r := range requests {
			for failureName, f := range failures {
				for _, kind := range allKinds() {
					f.Kind = kind
					response := h.HandleError(t.Context(), r, &f)
					w := httptest.NewRecorder()
					require.NoError(t, response.Send(w, nil), "%s, %s, %s", requestName, failureName, kind)
					require.Equal(t, kind.Status(), w.Code)
					require.True(t, json.Valid(w.Body.Bytes()), w.Body)
				}
			}
		}
	}
}

func TestStatus(t *testing.T) {
	for _, row := range []struct {
		kind   api.Kind
		status int
		want   int
	}{
		{api.KindInput, 422, 422},
		{api.KindInput, 400, 400},
		{api.KindInput, 0, 400},
		{api.KindInput, 200, 400},
		{api.KindInput, 399, 400},
		{api.KindInput, 599, 599},
		{api.KindInput, 600, 400},
		{api.KindInput, -1, 400},
		{api.KindRateLimit, 503, 429},
		{api.KindInput, 429, 429},   // of a handler
		{api.KindHandler, 503, 503}, // of a handler
	} {
		f := &api.Failure{Kind: row.kind, Status: row.status}
		require.Equal(t, row.want, answerTo(t, errorhandler.Default{}, f).Status)
		require.Equal(t, row.want, answerTo(t, errorhandler.ProblemDetails{}, f).Status)
	}
}
