package handler_test

import (
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler"
)

const mediaTypeJSON = "application/json"

type order struct {
	DryRun bool            `query:"dry"`
	Number int64           `json:"number" validate:"required"`
	Name   api.Opt[string] `json:"name" validate:"max=3"`
	Count  int             `json:"count" default:"1" validate:"min=0,max=9"`
	Items  []orderItem     `json:"items" validate:"max=2"`
}

type orderItem struct {
	ID int `json:"id" validate:"required,min=1"`
}

func TestTypedJSON(t *testing.T) {
	type row struct {
		body string
		want order
		err  error
	}
	for name, row := range map[string]row{
		"all": {body: `{"number":9007199254740993,"name":"Ann","count":2,"items":[{"id":1}]}`,
			want: order{Number: 9007199254740993, Name: api.Some("Ann"), Count: 2, Items: []orderItem{{1}}}}, // peer-fw 38
		"zeros":   {body: `{"number":0,"count":0}`, want: order{Count: 0}},                                        // peer-fw 34
		"null":    {body: `{"number":1,"name":null}`, want: order{Number: 1, Name: api.Null[string](), Count: 1}}, // peer-fw 35
		"missing": {body: `{"number":1}`, want: order{Number: 1, Count: 1}},                                       // peer-fw 35
		"twice": {body: `{"number":1,"number":2}`,
			err: api.Invalid(fault("body", "/number", "duplicate", "Field occurs more than once"))}, // peer-fw 29
		"trailing":      {body: `{"number":1} junk`, err: api.Invalid(fault("body", "", "syntax", "Syntax error"))},                // peer-fw 31
		"unknown":       {body: `{"number":1,"x":2}`, err: api.Invalid(fault("body", "/x", "unknown", "Field is unknown"))},        // peer-fw 32
		"invalid UTF-8": {body: "{\"number\":1,\"name\":\"\xff\"}", err: api.Invalid(fault("body", "", "syntax", "Syntax error"))}, // peer-fw 46
		"a null body":   {body: `null`, err: api.Invalid(fault("body", "", "null", "must not be null"))},                           // peer-fw 44
		"no body":       {body: ``, err: api.Invalid(fault("body", "", "required", "The request needs a body"))},                   // peer-fw 44
		"all faults, by the names that the client knows": { // peer-fw 55
			body: `{"name":"long","count":10,"items":[{"id":1},{"id":0}]}`,
			err: api.Invalid(
				fault("body", "/name", "max", "must be at most 3 characters long"),
				fault("body", "/count", "max", "must be at most 9"),
				fault("body", "/items/1/id", "min", "must be at least 1"),
				fault("body", "/number", "required", "Field is required"),
			)},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := bound[order](t, handler.TypedOptions{}, post(mediaTypeJSON, row.body))
			require.Equal(t, row.err, err)
			if err == nil {
				require.Equal(t, row.want, got)
			}
		})
	}
}

func TestTypedTellsFaultsOfAllParts(t *testing.T) {
	type in struct {
		ID    int    `path:"id"`
		Page  int    `query:"page"`
		Key   int    `header:"X-Key" validate:"required"`
		Count int    `json:"count"`
		Name  string `json:"name" validate:"required"`
	}
	r := post(mediaTypeJSON, `{"count":"secret"}`)
	r.URL.RawQuery = "page=secret"
	r.PathValues = api.PathValues{{Name: "id", Value: "secret"}}
	_, err := bound[in](t, handler.TypedOptions{}, r)
	require.Equal(t, api.Invalid(
		fault("path", "id", "type", "Value has invalid type. Expected integer."),
		fault("query", "page", "type", "Value has invalid type. Expected integer."),
		fault("header", "X-Key", "required", "Field is required"),
		fault("body", "/count", "type", "Value has invalid type. Expected integer."),
		fault("body", "/name", "required", "Field is required"),
	), err)
}

type named struct {
	Name *string `json:"name" validate:"omitempty,min=2"`
}

func TestTypedEmbeddedMembers(t *testing.T) {
	type in struct {
		named `json:",omitempty"`
		Short *string `query:"short" validate:"omitempty,min=2"`
		Alias string  `query:"alias" validate:"omitempty,min=2"`
	}
	type compared struct {
		Low  int `json:"low"`
		High int `json:"high" validate:"gtfield=Low"`
	}
	_, err := bound[compared](t, handler.TypedOptions{}, post(mediaTypeJSON, `{"low":2,"high":1}`))
	require.Equal(t, api.Invalid(fault("body", "/high", "gtfield", "must be greater than low")), err)

	r := post(mediaTypeJSON, `{"name":""}`)
	r.URL.RawQuery = "short=&alias="
	_, err = bound[in](t, handler.TypedOptions{}, r)
	require.Equal(t, api.Invalid(
		fault("query", "short", "min", "must be at least 2 characters long"), // a pointer tells "" from nothing
		fault("body", "/name", "min", "must be at least 2 characters long"),
	), err)
}

func TestTypedMediaTypes(t *testing.T) { // peer-fw 43
	type in struct {
		N int `json:"n"`
	}
	lenient := handler.TypedOptions{AllowMissingContentType: true}
	for _, row := range []struct {
		o           handler.TypedOptions
		contentType string
		status      int // 0: it is read
	}{
		{handler.TypedOptions{}, "application/json", 0},
		{handler.TypedOptions{}, "Application/JSON; charset=UTF-8", 0},
		{handler.TypedOptions{}, "application/merge-patch+json", 0},
		{handler.TypedOptions{}, "", 415},
		{handler.TypedOptions{}, "text/plain", 415},
		{handler.TypedOptions{}, "text/csv", 415},
		{handler.TypedOptions{}, "application/json; charset=latin1", 415},
		{lenient, "", 0},
		{lenient, "text/plain", 415},
		{lenient, "application/x-www-form-urlencoded", 415},
	} {
		got, err := bound[in](t, row.o, post(row.contentType, `{"n":7}`))
		if row.status == 0 {
			require.NoError(t, err, row.contentType)
			require.Equal(t, in{7}, got, row.contentType)
			continue
		}
		e, ok := api.AsError(err)
		require.True(t, ok, row.contentType)
		require.Equal(t, row.status, e.Status, row.contentType)
		require.Empty(t, e.Fields, row.contentType)
	}
}

func TestTypedBodyThatIsTooLargeEndsAtOnce(t *testing.T) {
	r := post(mediaTypeJSON, `{"number":1}`)
	r.Body = http.MaxBytesReader(nil, r.Body, 4)
	r.URL.RawQuery = "dry=x"
	_, err := bound[order](t, handler.TypedOptions{}, r)
	var tooLarge *http.MaxBytesError
	require.ErrorAs(t, err, &tooLarge)
}

// counted is a body that counts how often it was read to its end.
type counted struct {
	io.Reader
	ends int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if err == io.EOF {
		c.ends++
	}
	return n, err
}

func (*counted) Close() error { return nil }

type decoded struct{ times int }

func (d *decoded) UnmarshalJSON([]byte) error { d.times++; return nil }

func TestTypedReadsTheBodyOnce(t *testing.T) { // FW-075
	type in struct {
		First   decoded `json:"first"`
		Request *api.Request
	}
	r := post(mediaTypeJSON, "")
	body := &counted{Reader: strings.NewReader(`{"first":1}`)}
	r.Body, r.ContentLength = body, -1
	got, err := bound[in](t, handler.TypedOptions{}, r)
	require.NoError(t, err)
	data, err := got.Request.Bytes(0)
	require.NoError(t, err)
	require.JSONEq(t, `{"first":1}`, string(data))
	require.Equal(t, 1, got.First.times)
	require.Equal(t, 1, body.ends)
}

func TestTypedAbsentBody(t *testing.T) {
	type members struct {
		N int `json:"n" default:"5"`
	}
	got, err := bound[members](t, handler.TypedOptions{}, post("text/plain", ""))
	require.NoError(t, err)
	require.Equal(t, members{5}, got)

	type body struct {
		Body members `body:"json"`
	}
	whole, err := bound[body](t, handler.TypedOptions{}, get("/", nil))
	require.NoError(t, err)
	require.Equal(t, body{members{5}}, whole)

	type needed struct {
		Body orderItem `body:"json"`
	}
	type pointer struct {
		Body *orderItem `body:"json"`
	}
	type required struct {
		Body []int `body:"json" validate:"required"`
	}
	needsBody := api.Invalid(fault("body", "", "required", "The request needs a body"))
	_, err = bound[needed](t, handler.TypedOptions{}, get("/", nil))
	require.Equal(t, needsBody, err)
	_, err = bound[required](t, handler.TypedOptions{}, get("/", nil))
	require.Equal(t, needsBody, err)
	free, err := bound[pointer](t, handler.TypedOptions{}, get("/", nil))
	require.NoError(t, err)
	require.Equal(t, pointer{}, free)
}

func TestTypedJSONOfOneField(t *testing.T) {
	type list struct {
		Body []int `body:"json" validate:"max=2,dive,min=1"`
	}
	type table struct {
		Body map[string][]int `body:"json" validate:"dive,keys,max=1,endkeys,dive,min=1"`
	}
	got, err := bound[list](t, handler.TypedOptions{}, post(mediaTypeJSON, `[1,2]`))
	require.NoError(t, err)
	require.Equal(t, list{[]int{1, 2}}, got)
	_, err = bound[list](t, handler.TypedOptions{}, post(mediaTypeJSON, `[1,0,3]`))
	require.Equal(t, api.Invalid(
		fault("body", "", "max", "must have at most 2 items"),
		fault("body", "/1", "min", "must be at least 1"),
	), err)
	_, err = bound[list](t, handler.TypedOptions{}, post(mediaTypeJSON, `[1,"x"]`))
	require.Equal(t, api.Invalid(fault("body", "/1", "type", "Value has invalid type. Expected integer.")), err)
	_, err = bound[table](t, handler.TypedOptions{}, post(mediaTypeJSON, `{"a/b":[1],"a":[0]}`))
	require.Equal(t, api.Invalid(
		fault("body", "/a~1b", "max", "must be at most 1 character long"),
		fault("body", "/a/0", "min", "must be at least 1"),
	), err)

	_, err = bound[list](t, handler.TypedOptions{}, post(mediaTypeJSON, `[1,2,0]`))
	require.Equal(t, api.Invalid(
		fault("body", "", "max", "must have at most 2 items"),
		fault("body", "/2", "min", "must be at least 1"),
	), err)
	type text struct {
		Body *string `body:"json" validate:"omitempty,min=2"`
	}
	_, err = bound[text](t, handler.TypedOptions{}, post(mediaTypeJSON, `""`))
	require.Equal(t, api.Invalid(fault("body", "", "min", "must be at least 2 characters long")), err)
	_, err = bound[text](t, handler.TypedOptions{}, post(mediaTypeJSON, `null`))
	require.NoError(t, err)
}

// The rules of what a body holds cost no more for a long name above it.
func TestTypedJSONOfOneFieldIsLinear(t *testing.T) {
	type table struct {
		Body map[string][]string `body:"json" validate:"dive,dive,min=1"`
	}
	name := strings.Repeat("a", 100_000)
	valid := `{"` + name + `":["x"` + strings.Repeat(`,"x"`, 20_000) + `]}`
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := bound[table](t, handler.TypedOptions{}, post(mediaTypeJSON, valid))
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(100*len(valid)))

	_, err = bound[table](t, handler.TypedOptions{}, post(mediaTypeJSON, strings.ReplaceAll(valid, `"x"`, `""`)))
	e, _ := api.AsError(err)
	require.Len(t, e.Fields, 100)
	require.Equal(t, fault("body", "", "min", "must be at least 1 character long"), e.Fields[0], "the name is the client's own")
}

func TestTypedJSONOptions(t *testing.T) {
	got, err := bound[order](t, handler.TypedOptions{AllowUnknownFields: true}, post(mediaTypeJSON, `{"number":1,"x":{"y":2}}`))
	require.NoError(t, err)
	require.Equal(t, order{Number: 1, Count: 1}, got)

	type in struct {
		Any any `json:"any"`
	}
	_, err = bound[in](t, handler.TypedOptions{MaxDepth: 3}, post(mediaTypeJSON, `{"any":[[1]]}`))
	require.NoError(t, err)
	_, err = bound[in](t, handler.TypedOptions{MaxDepth: 3}, post(mediaTypeJSON, `{"any":[[[1]]]}`))
	e, _ := api.AsError(err)
	require.Len(t, e.Fields, 1)
	require.Equal(t, "depth", e.Fields[0].Code)
}

func TestTypedRaw(t *testing.T) {
	type text struct {
		Body string `body:"raw" accept:"text/plain, text/csv" validate:"required,max=3"`
	}
	type bytes struct {
		Body []byte `body:"raw"`
	}
	for _, row := range []struct {
		contentType, body string
		want              string
		err               error
	}{
		{"text/csv", "a,b", "a,b", nil},
		{"text/plain", "abcd", "", api.Invalid(fault("body", "", "max", "must be at most 3 characters long"))},
		{"text/plain", "", "", api.Invalid(fault("body", "", "required", "The request needs a body"))},
		{"text/plain", "\xff", "", api.Invalid(fault("body", "", "type", "Expected text in UTF-8."))},
	} {
		got, err := bound[text](t, handler.TypedOptions{}, post(row.contentType, row.body))
		require.Equal(t, row.err, err)
		require.Equal(t, text{row.want}, got)
	}
	_, err := bound[text](t, handler.TypedOptions{}, post("text/html", "a"))
	e, _ := api.AsError(err)
	require.Equal(t, 415, e.Status)

	for _, contentType := range []string{"", "image/png", "application/json"} {
		got, err := bound[bytes](t, handler.TypedOptions{}, post(contentType, "\xff{"))
		require.NoError(t, err)
		require.Equal(t, bytes{[]byte("\xff{")}, got)
	}
}
