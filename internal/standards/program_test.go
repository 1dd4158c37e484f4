package standards_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// program serves one path with some methods. What is left out is usual: GET,
// open to everybody, without a limit, an answer of 200.
type program struct {
	config        sallyport.Config
	methods       []string
	handler       api.Handler
	authorization api.Authorization
	limits        []ratelimit.Rule
	preflight     api.PreflightHandler
}

// target is the path of a program.
const target = "/api/v1/x"

func (p program) build() (*sallyport.Presenter, error) {
	if p.methods == nil {
		p.methods = []string{http.MethodGet}
	}
	if p.handler == nil {
		p.handler = handler.AlwaysOk{}
	}
	if p.authorization == nil {
		p.authorization = auth.None()
	}
	d := sallyport.NewApiDecider(p.config).EnableGlobalPreflight(p.preflight)
	for _, method := range p.methods {
		d.AddApi(api.NewEndpointIdentifier(method, "1", "x", ""), p.handler, p.authorization, p.limits...)
	}
	return sallyport.NewPresenter(d)
}

func (p program) start(t *testing.T) http.Handler {
	t.Helper()
	presenter, err := p.build()
	require.NoError(t, err)
	return presenter
}

// call is a request to a program. What is left out is usual: GET, no more header
// fields, no body.
type call struct {
	method string
	header http.Header
	query  string
	body   string
}

// reply is an answer as it was sent.
type reply struct {
	status int
	header http.Header
	body   string
}

func send(t *testing.T, h http.Handler, c call) reply {
	t.Helper()
	if c.method == "" {
		c.method = http.MethodGet
	}
	r := httptest.NewRequestWithContext(t.Context(), c.method, target, strings.NewReader(c.body))
	r.URL.RawQuery = c.query
	if c.header != nil {
		r.Header = c.header
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	res := w.Result()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return reply{res.StatusCode, res.Header, string(body)}
}

// field is a header field as one list (RFC 9110, section 5.3), or "".
func (r reply) field(name string) string { return strings.Join(r.header.Values(name), ", ") }

// listed tells whether a list field has the member.
func listed(field, member string) bool {
	for m := range strings.SplitSeq(field, ",") {
		if strings.TrimSpace(m) == member {
			return true
		}
	}
	return false
}

// holding says "contains a, b" of a list field that has these members; otherwise
// it is the field.
func holding(field string, members ...string) string {
	for _, m := range members {
		if !listed(field, m) {
			return field
		}
	}
	return "contains " + strings.Join(members, ", ")
}

// results is a limiter that says of every request what a vector wants it to say.
type results []ratelimit.Result

func (s results) Consume(_ context.Context, rc *ratelimit.Context, _ int64, dst []ratelimit.Result) ([]ratelimit.Result, error) {
	if rc.Stage != ratelimit.BeforeAuthorization {
		return dst, nil
	}
	return append(dst, s...), nil
}

// saying are the limits of a program that has these results.
func saying(r ...ratelimit.Result) []ratelimit.Rule {
	return []ratelimit.Rule{ratelimit.Use(results(r))}
}

// refusing are the limits of a program whose clients have to wait so long.
func refusing(wait time.Duration) []ratelimit.Rule {
	return saying(ratelimit.Result{Policy: "perIp", Limit: 100, Window: time.Minute, RetryAfter: wait})
}
