package handler_test

import (
	"context"
	"errors"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler"
)

// bound is what a function gets of the request, or the error instead.
func bound[In any](t testing.TB, o handler.TypedOptions, r *api.Request) (got In, err error) {
	t.Helper()
	called := false
	h := handler.TypedWith(o, func(_ context.Context, in In) (struct{}, error) {
		got, called = in, true
		return struct{}{}, nil
	})
	require.NoError(t, h.(interface{ Validate() error }).Validate())
	response, err := h.Handle(t.Context(), r)
	require.Equal(t, err == nil, called)
	if err == nil {
		require.Equal(t, api.NoContent(), response)
	}
	return got, err
}

// get is a GET request with path values in pairs.
func get(target string, header http.Header, path ...string) *api.Request {
	r := &api.Request{Request: httptest.NewRequest(http.MethodGet, target, nil)}
	for name, values := range header {
		r.Header[name] = values
	}
	for i := 0; i < len(path); i += 2 {
		r.PathValues = append(r.PathValues, api.PathValue{Name: path[i], Value: path[i+1]})
	}
	return r
}

// post is a POST request; contentType "" sends none.
func post(contentType, body string) *api.Request {
	r := &api.Request{Request: httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	return r
}

func fault(in, name, code, message string) api.FieldError {
	return api.FieldError{In: in, Name: name, Code: code, Message: message}
}

func ptr[T any](v T) *T { return &v }

type paging struct {
	Page  int `query:"page" default:"1" validate:"min=1"`
	Limit int `query:"limit" default:"20" validate:"max=100"`
}

type everything struct {
	paging

	ID       int                 `path:"id"`
	Flag     bool                `query:"flag"`
	Count    *uint8              `query:"count"`
	Ratio    api.Opt[float64]    `query:"ratio"`
	Name     string              `query:"name"`
	Nick     *string             `query:"nick"`
	Since    time.Time           `query:"since" format:"date"`
	Wait     time.Duration       `query:"wait"`
	IP       netip.Addr          `query:"ip"`
	Big      *big.Int            `query:"big"`
	IDs      []int64             `query:"ids" validate:"max=3,dive,min=1"`
	Tags     []string            `query:"tags" default:"a,b"`
	Sort     string              `query:"sort" enum:"asc,desc" default:"asc"`
	Levels   []int               `query:"levels" enum:"1,2,03"`
	OptList  api.Opt[[]string]   `query:"optlist"`
	Version  string              `header:"x-version"`
	Accepted []string            `header:"X-Accepted"`
	Ages     []int               `header:"X-Ages"`
	Session  string              `cookie:"session"`
	Visits   *int                `cookie:"visits"`
	Left     map[string]struct{} `json:"-" default:"x"`

	_ int
}

func TestTypedText(t *testing.T) {
	usual := func(change func(e *everything)) everything {
		e := everything{paging: paging{1, 20}, ID: 7, Sort: "asc", Tags: []string{"a", "b"}}
		change(&e)
		return e
	}
	for name, row := range map[string]struct {
		query  string
		header http.Header
		want   func(e *everything)
		faults []api.FieldError
	}{
		"nothing": {want: func(*everything) {}},
		"scalars": {
			query: "page=3&flag=1&count=255&ratio=0.5&name=Ann&nick=&since=2024-02-29&wait=1m&ip=::1&big=123456789012345678901234567890&sort=desc",
			want: func(e *everything) {
				e.Page, e.Flag, e.Count, e.Ratio, e.Name, e.Nick = 3, true, ptr[uint8](255), api.Some(0.5), "Ann", ptr("")
				e.Since, e.Wait, e.IP = time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC), time.Minute, netip.IPv6Loopback()
				e.Big, _ = new(big.Int).SetString("123456789012345678901234567890", 10)
				e.Sort = "desc"
			},
		},
		"zeros are values":              {query: "count=0&ratio=0", want: func(e *everything) { e.Count, e.Ratio = ptr[uint8](0), api.Some(0.0) }},
		"an empty number was not sent":  {query: "page=&count=&ratio=&flag=&since=&ids=", want: func(*everything) {}},                     // FW-202, FW-414
		"64 bits stay exact":            {query: "ids=9007199254740993", want: func(e *everything) { e.IDs = []int64{9007199254740993} }}, // peer-fw 38
		"a list":                        {query: "ids=1&ids=2", want: func(e *everything) { e.IDs = []int64{1, 2} }},
		"a list with brackets":          {query: "ids[]=1&ids%5B%5D=2", want: func(e *everything) { e.IDs = []int64{1, 2} }},
		"a list in both ways":           {query: "ids[]=2&ids=1", want: func(e *everything) { e.IDs = []int64{1, 2} }},
		"a list of one":                 {query: "ids=5", want: func(e *everything) { e.IDs = []int64{5} }},
		"empty members of a list":       {query: "ids=&ids=5&tags=&tags=x", want: func(e *everything) { e.IDs, e.Tags = []int64{5}, []string{"", "x"} }},
		"an optional list":              {query: "optlist[]=x", want: func(e *everything) { e.OptList = api.Some([]string{"x"}) }},
		"allowed values in another way": {query: "levels=01&levels=3", want: func(e *everything) { e.Levels = []int{1, 3} }},
		"header and cookies": {
			header: http.Header{"X-Version": {"v2"}, "X-Accepted": {"a, b,,", " c"}, "X-Ages": {"1,2"}, "Cookie": {"session=s1; visits=3", "other=1"}},
			want: func(e *everything) {
				e.Version, e.Accepted, e.Ages, e.Session, e.Visits = "v2", []string{"a", "b", "c"}, []int{1, 2}, "s1", ptr(3)
			},
		},
		"unknown names are nobody's": {query: "x=1&page[]=2", want: func(*everything) {}},
		"all faults at once": {
			query: "page=x&limit=101&flag=maybe&count=256&ids=1&ids=x&sort=up&levels=4&name=a&name=b&since=2024-02-30",
			header: http.Header{
				"X-Version": {"a", "b"}, "X-Ages": {"1, x"}, "Cookie": {"session=1; session=2; visits=x"},
			},
			faults: []api.FieldError{
				fault("query", "page", "type", "Value has invalid type. Expected integer."),
				fault("query", "limit", "max", "must be at most 100"),
				fault("query", "flag", "type", "Value has invalid type. Expected boolean."),
				fault("query", "count", "type", "Value has invalid type. Expected integer."),
				fault("query", "name", "repeated", "Field was sent more than once"),       // peer-fw 40
				fault("query", "since", "type", "Value has invalid type. Expected date."), // peer-fw 41
				fault("query", "ids", "type", "Value has invalid type. Expected integer."),
				fault("query", "sort", "enum", "must be one of: asc, desc"),
				fault("query", "levels", "enum", "must be one of: 1, 2, 03"),
				fault("header", "X-Version", "repeated", "Field was sent more than once"),
				fault("header", "X-Ages", "type", "Value has invalid type. Expected integer."),
				fault("cookie", "session", "repeated", "Field was sent more than once"),
				fault("cookie", "visits", "type", "Value has invalid type. Expected integer."),
			},
		},
		"rules of lists and of their elements": {
			query: "ids=0&ids=0&ids=3&ids=4",
			faults: []api.FieldError{
				fault("query", "ids", "max", "must have at most 3 items"),
				fault("query", "ids", "min", "must be at least 1"),
			},
		},
		"rules of elements": {
			query:  "ids=0&ids=0",
			faults: []api.FieldError{fault("query", "ids", "min", "must be at least 1")},
		},
		"a number sent twice, once empty": {
			query:  "page=&page=2",
			faults: []api.FieldError{fault("query", "page", "repeated", "Field was sent more than once")},
		},
		"invalid UTF-8": { // peer-fw 46
			query:  "name=%ff",
			faults: []api.FieldError{fault("query", "name", "type", "Value has invalid type. Expected string.")},
		},
		"a query that cannot be read": { // peer-fw 40
			query:  "page=%zz",
			header: http.Header{"X-Ages": {"x"}},
			faults: []api.FieldError{
				fault("query", "", "syntax", "The query of the request cannot be read"),
				fault("header", "X-Ages", "type", "Value has invalid type. Expected integer."),
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := bound[everything](t, handler.TypedOptions{}, get("/?"+row.query, row.header, "id", "7"))
			if row.faults != nil {
				e, ok := api.AsError(err)
				require.True(t, ok)
				require.Equal(t, 400, e.Status)
				require.Equal(t, row.faults, e.Fields)
				return
			}
			require.NoError(t, err)
			require.Equal(t, usual(row.want), got)
		})
	}
}

func TestTypedPath(t *testing.T) {
	type in struct {
		ID   int     `path:"id" enum:"1,2,7"`
		Name *string `path:"name"`
	}
	for _, row := range []struct {
		path []string
		want in
		err  error
	}{
		{[]string{"id", "7", "name", ""}, in{7, ptr("")}, nil}, // FW-046, TC-205
		{[]string{"id", "x", "name", "a"}, in{}, api.Invalid(fault("path", "id", "type", "Value has invalid type. Expected integer."))},
		{[]string{"id", "3", "name", "a"}, in{}, api.Invalid(fault("path", "id", "enum", "must be one of: 1, 2, 7"))},
		{[]string{"id", "", "name", "a"}, in{}, api.Invalid(fault("path", "id", "required", "Field is required"))},
	} {
		got, err := bound[in](t, handler.TypedOptions{}, get("/", nil, row.path...))
		require.Equal(t, row.want, got)
		require.Equal(t, row.err, err)
	}
	_, err := bound[in](t, handler.TypedOptions{}, get("/", nil, "id", "7"))
	require.EqualError(t, err, `handler.Typed: in.Name: the path of the endpoint has no variable "name"`)
}

func TestTypedRequired(t *testing.T) { // peer-fw 34
	type in struct {
		N    int      `query:"n" validate:"required"`
		On   bool     `query:"on" validate:"required"`
		Text string   `query:"text" validate:"required"`
		IDs  []int    `query:"ids" validate:"required"`
		Head *float64 `header:"X-Head" validate:"required"`
	}
	got, err := bound[in](t, handler.TypedOptions{}, get("/?n=0&on=0&text=&ids=0", http.Header{"X-Head": {"0"}}))
	require.NoError(t, err)
	require.Equal(t, in{IDs: []int{0}, Head: ptr(0.0)}, got)

	_, err = bound[in](t, handler.TypedOptions{}, get("/?n=&on=&ids=", http.Header{"X-Head": {""}}))
	require.Equal(t, api.Invalid(
		fault("query", "n", "required", "Field is required"), // FW-202
		fault("query", "on", "required", "Field is required"),
		fault("query", "text", "required", "Field is required"),
		fault("query", "ids", "required", "Field is required"),
		fault("header", "X-Head", "required", "Field is required"),
	), err)
}

func TestTypedFormats(t *testing.T) { // peer-fw 41
	type in struct {
		Instant time.Time   `query:"instant"`
		Unix    time.Time   `header:"X-Unix" format:"unix"`
		Month   *time.Time  `cookie:"month" format:"2006-01"`
		Days    []time.Time `query:"days" format:"date"`
	}
	got, err := bound[in](t, handler.TypedOptions{}, get("/?instant=2024-01-02T03:04:05Z&days=2024-01-02", http.Header{
		"X-Unix": {"1704164645"}, "Cookie": {"month=2024-01"},
	}))
	require.NoError(t, err)
	instant := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	require.Equal(t, in{instant, instant, ptr(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)),
		[]time.Time{time.Date(2024, 1, 2, 0, 0, 0, 0, time.UTC)}}, got)

	_, err = bound[in](t, handler.TypedOptions{}, get("/?instant=2024-01-02&days=2024", http.Header{"X-Unix": {"now"}, "Cookie": {"month=1"}}))
	require.Equal(t, api.Invalid(
		fault("query", "instant", "type", "Value has invalid type. Expected date-time."),
		fault("header", "X-Unix", "type", "Value has invalid type. Expected integer."),
		fault("cookie", "month", "type", `Value has invalid type. Expected time in the layout "2006-01".`),
		fault("query", "days", "type", "Value has invalid type. Expected date."),
	), err)
}

func TestTypedUnknownQuery(t *testing.T) { // peer-fw 32
	type in struct {
		Page int   `query:"page"`
		IDs  []int `query:"ids"`
	}
	refuse := handler.TypedOptions{RefuseUnknownQuery: true}
	got, err := bound[in](t, refuse, get("/?page=2&ids[]=1&ids=2", nil))
	require.NoError(t, err)
	require.Equal(t, in{2, []int{2, 1}}, got)

	_, err = bound[in](t, refuse, get("/?z=1&page=x&a=2&page[]=1&=1", nil))
	require.Equal(t, api.Invalid(
		fault("query", "page", "type", "Value has invalid type. Expected integer."),
		fault("query", "", "unknown", "Field is unknown"),
		fault("query", "a", "unknown", "Field is unknown"),
		fault("query", "page[]", "unknown", "Field is unknown"),
		fault("query", "z", "unknown", "Field is unknown"),
	), err)

	_, err = bound[struct{}](t, refuse, get("/?z=1", nil))
	require.Equal(t, api.Invalid(fault("query", "z", "unknown", "Field is unknown")), err)

	_, err = bound[struct{}](t, handler.TypedOptions{}, get("/?z=1&%zz", nil)) // FW-399
	require.NoError(t, err)
}

func TestTypedToldFaultsAreBounded(t *testing.T) {
	_, err := bound[struct{}](t, handler.TypedOptions{RefuseUnknownQuery: true}, get("/?a"+strings.Repeat("&a", 1000), nil))
	e, _ := api.AsError(err)
	require.Len(t, e.Fields, 1)

	var query strings.Builder
	for i := range 1000 {
		query.WriteString("&x" + strings.Repeat("y", i))
	}
	_, err = bound[struct{}](t, handler.TypedOptions{RefuseUnknownQuery: true}, get("/?"+query.String(), nil))
	e, _ = api.AsError(err)
	require.Len(t, e.Fields, 100)
}

func TestTypedFillsIn(t *testing.T) {
	type in struct {
		Caller api.Identity
		HTTP   *http.Request
		*api.Request
	}
	r := get("/", nil)
	r.Identity = api.Identity{ID: "u1"}
	got, err := bound[in](t, handler.TypedOptions{}, r)
	require.NoError(t, err)
	require.Equal(t, api.Identity{ID: "u1"}, got.Caller)
	require.Same(t, r, got.Request)
	require.Same(t, r.Request, got.HTTP)
}

type span struct {
	From *time.Time `query:"from" format:"date"`
	To   time.Time  `query:"to" format:"date" validate:"gtfield=From"`
}

type passwords struct {
	span
	Password string `query:"password"`
	Repeated string `query:"repeated" validate:"eqfield=Password"`
	Min      int    `query:"min"`
	Max      int    `query:"max" validate:"gtefield=Min"`
	Low      int    `query:"low" validate:"ltfield=High"`
	High     int    `query:"high"`

	Opt api.Opt[int] `query:"opt" validate:"gtfield=High"`
	Ptr *int         `query:"ptr" validate:"nefield=Opt"`
}

func TestTypedComparesFields(t *testing.T) {
	for _, row := range []struct {
		query string
		err   error
	}{
		{"", nil},
		{"password=a&repeated=a&min=1&max=1&from=2024-01-01&to=2024-01-02", nil},
		{"low=5", nil}, // nothing to compare with
		{"min=5", nil},
		{"opt=1&ptr=2", nil},
		{"opt=1&high=1&ptr=1", api.Invalid(
			fault("query", "opt", "gtfield", "must be greater than high"),
			fault("query", "ptr", "nefield", "must differ from opt"),
		)},
		{"password=a&repeated=b&min=2&max=1&from=2024-01-02&to=2024-01-02&low=3&high=3", api.Invalid(
			fault("query", "to", "gtfield", "must be after from"),
			fault("query", "repeated", "eqfield", "must be equal to password"),
			fault("query", "max", "gtefield", "must be at least min"),
			fault("query", "low", "ltfield", "must be less than high"),
		)},
		{"repeated=b", api.Invalid(fault("query", "repeated", "eqfield", "must be equal to password"))},
		{"password=a&repeated=b&min=x&max=1", api.Invalid( // max has nothing to be compared with
			fault("query", "min", "type", "Value has invalid type. Expected integer."),
			fault("query", "repeated", "eqfield", "must be equal to password"),
		)},
		{"password=a&password=b&repeated=c&low=x&high=1", api.Invalid(
			fault("query", "password", "repeated", "Field was sent more than once"),
			fault("query", "low", "type", "Value has invalid type. Expected integer."),
		)},
	} {
		_, err := bound[passwords](t, handler.TypedOptions{}, get("/?"+row.query, nil))
		require.Equal(t, row.err, err, row.query)
	}
}

func TestTypedComparesWithTheBody(t *testing.T) {
	type members struct {
		Name  string `json:"name" validate:"max=3"`
		Query string `query:"name" validate:"eqfield=Name"`
		Page  int    `query:"page"`
	}
	type raw struct {
		Body  string `body:"raw" validate:"max=3,nefield=Other"`
		Other string `query:"name"`
	}
	equal := fault("query", "name", "eqfield", "must be equal to name")
	for name, row := range map[string]struct {
		query, body string
		want        error
	}{
		"equal":             {"name=Ann", `{"name":"Ann"}`, nil},
		"another":           {"name=Ann", `{"name":"Bob"}`, api.Invalid(equal)},
		"beside a fault":    {"name=Ann&page=x", `{"name":"Bob"}`, api.Invalid(fault("query", "page", "type", "Value has invalid type. Expected integer."), equal)},
		"none that counts":  {"name=Ann", `{"name":"Barbara"}`, api.Invalid(fault("body", "/name", "max", "must be at most 3 characters long"))},
		"no body, no equal": {"name=Ann", "", api.Invalid(equal)},
	} {
		r := post(mediaTypeJSON, row.body)
		r.URL.RawQuery = row.query
		_, err := bound[members](t, handler.TypedOptions{}, r)
		require.Equal(t, row.want, err, name)
	}
	for name, row := range map[string]struct {
		query, body string
		want        error
	}{
		"another":       {"name=Ann", "Bob", nil},
		"equal":         {"name=Ann", "Ann", api.Invalid(fault("body", "", "nefield", "must differ from name"))},
		"too long":      {"name=Annabel", "Annabel", api.Invalid(fault("body", "", "max", "must be at most 3 characters long"))},
		"both not sent": {"", "", nil},
	} {
		r := post("text/plain", row.body)
		r.URL.RawQuery = row.query
		_, err := bound[raw](t, handler.TypedOptions{}, r)
		require.Equal(t, row.want, err, name)
	}
}

// An empty default of a list is the empty list, wherever it comes from.
func TestTypedEmptyDefaults(t *testing.T) {
	type in struct {
		Query  []string `query:"query" default:""`
		Header []int    `header:"X-Header" default:""`
		Member []string `json:"member" default:""`
	}
	got, err := bound[in](t, handler.TypedOptions{}, post("", ""))
	require.NoError(t, err)
	require.Equal(t, in{[]string{}, []int{}, []string{}}, got)
}

var errPrivate = errors.New("secret")

type validated struct {
	Code int `query:"code"`
}

func (v *validated) Validate() error {
	switch v.Code {
	case 1:
		return api.Invalid(fault("query", "code", "luck", "must bring luck"))
	case 2:
		return errPrivate
	case 3:
		return &api.Error{Status: 409, Message: "Taken"}
	}
	return nil
}

func TestTypedAsksTheInput(t *testing.T) {
	for _, row := range []struct {
		query string
		err   error
	}{
		{"code=0", nil},
		{"code=1", api.Invalid(fault("query", "code", "luck", "must bring luck"))},
		{"code=2", api.Error{Status: 400, Err: errPrivate}},
		{"code=3", &api.Error{Status: 409, Message: "Taken"}},
		{"code=x", api.Invalid(fault("query", "code", "type", "Value has invalid type. Expected integer."))},
	} {
		_, err := bound[validated](t, handler.TypedOptions{}, get("/?"+row.query, nil))
		require.Equal(t, row.err, err, row.query)
		type embeds struct{ validated }
		_, err = bound[embeds](t, handler.TypedOptions{}, get("/?"+row.query, nil))
		require.Equal(t, row.err, err, row.query)
	}
}
