package standards_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/internal/jsonpointer"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// RFC 9457, RFC 6901, and the problem types of the RateLimit draft
var problemDetails = map[string]runner{
	"problem-details/problem/media type json": func(t *testing.T, _ json.RawMessage) any {
		return answer{"content_type": problem(t, &api.Failure{Kind: api.KindNotFound}).mediaType}
	},
	"problem-details/problem/media type xml": func(t *testing.T, _ json.RawMessage) any {
		p := program{config: sallyport.Config{ErrorHandler: errorhandler.ProblemDetails{}}}.start(t)
		res := send(t, p, call{method: http.MethodDelete, header: http.Header{"Accept": {"application/problem+xml"}}})
		return answer{"content_type": res.field("Content-Type")}
	},
	"problem-details/problem/about:blank title": func(t *testing.T, input json.RawMessage) any {
		p := problem(t, &api.Failure{Kind: api.KindHandler, Status: decode[struct{ Status int }](t, input).Status})
		require.Equal(t, "about:blank", p.members["type"])
		return answer{"title": p.members["title"]}
	},
	"problem-details/problem/status member differs from HTTP status": func(t *testing.T, input json.RawMessage) any {
		in := decode[struct {
			HTTP int
			Body int `json:"body_status"`
		}](t, input)
		p := problem(t, &api.Failure{Kind: api.KindRateLimit, Status: in.Body})
		require.EqualValues(t, p.status, p.members["status"])
		return answer{"valid": p.status == in.HTTP && p.members["status"] == float64(in.Body)}
	},
	"problem-details/problem/validation errors": func(t *testing.T, input json.RawMessage) any {
		f := &api.Failure{Kind: api.KindInput}
		for _, e := range decode[struct {
			Errors []struct {
				Path []any
				Msg  string
			} `json:"input_errors"`
		}](t, input).Errors {
			f.Fields = append(f.Fields, api.FieldError{In: "body", Name: pointer(e.Path), Message: e.Msg})
		}
		p := problem(t, f)
		return answer{"status": p.status, "errors": p.members["errors"]}
	},
	"problem-details/problem/json pointer fragment": func(t *testing.T, input json.RawMessage) any {
		return answer{"pointer": jsonpointer.Fragment(pointer(decode[struct{ Path []any }](t, input).Path))}
	},
	"problem-details/problem/title varies per occurrence": func(t *testing.T, _ json.RawMessage) any {
		first := problem(t, &api.Failure{Kind: api.KindInput, Message: "wrong input: age"})
		second := problem(t, &api.Failure{Kind: api.KindInput, Message: "wrong input: name"})
		require.NotEqual(t, first.members["detail"], second.members["detail"])
		return answer{"allowed": first.members["title"] != second.members["title"]}
	},
	// A request that is over its limit, has no credentials and is too long.
	"problem-details/problem/many different problem types at once": func(t *testing.T, _ json.RawMessage) any {
		p := program{
			config:        sallyport.Config{ErrorHandler: errorhandler.ProblemDetails{}, MaxBody: 1},
			methods:       []string{http.MethodPost},
			authorization: auth.Bearer(auth.StaticTokens{"token": "*"}),
			limits:        refusing(time.Minute),
		}
		res := send(t, p.start(t), call{method: http.MethodPost, body: "too long"})
		return answer{"type": decode[struct{ Type string }](t, []byte(res.body)).Type}
	},
	"ratelimit-headers/response/problem body for throttled request": func(t *testing.T, input json.RawMessage) any {
		p := problem(t, throttled(decode[struct{ Violated []string }](t, input).Violated))
		return answer{
			"status": p.status, "content_type": p.mediaType, "type": p.members["type"],
			"members": answer{"violated-policies": p.members["violated-policies"]},
		}
	},
	"ratelimit-headers/response/violated-policies member name": func(t *testing.T, input json.RawMessage) any {
		p := problem(t, throttled([]string{"daily"}))
		candidates := slices.DeleteFunc(decode[struct{ Candidates []string }](t, input).Candidates, func(name string) bool {
			return p.members[name] == nil
		})
		require.Len(t, candidates, 1)
		return answer{"correct": candidates[0]}
	},
}

// document is a problem document as it was sent.
type document struct {
	status    int
	mediaType string
	members   map[string]any
}

func problem(t *testing.T, f *api.Failure) document {
	t.Helper()
	r := &api.Request{Request: httptest.NewRequest(http.MethodGet, "/api/v1/users", nil)}
	response := errorhandler.ProblemDetails{}.HandleError(context.Background(), r, f)
	w := httptest.NewRecorder()
	require.NoError(t, response.Send(w, r.Request))
	return document{w.Code, w.Header().Get("Content-Type"), decode[map[string]any](t, w.Body.Bytes())}
}

func throttled(policies []string) *api.Failure {
	f := &api.Failure{Kind: api.KindRateLimit}
	for _, name := range policies {
		f.RateLimits = append(f.RateLimits, ratelimit.Result{Policy: name, RetryAfter: ratelimit.Unknown})
	}
	return f
}

// pointer leads along the names and indexes of a path.
func pointer(path []any) string {
	tokens := make([]string, len(path))
	for i, token := range path {
		tokens[i] = fmt.Sprint(token)
	}
	return jsonpointer.New(tokens...)
}
