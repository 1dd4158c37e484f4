package param_test

import (
	"net/http"
	"net/netip"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler/param"
)

func TestValue(t *testing.T) {
	const q = api.InQuery
	type row struct {
		query string
		want  result
	}
	for name, test := range map[string]struct {
		param api.Param
		rows  []row
	}{
		"optional": {param.Query[string]("x"), []row{
			{"", value(nil)},            // FW-169, TC-085
			{"x=asd", value("asd")},     // FW-212
			{"x=", value("")},           // FW-174
			{"x=%20a%20", value(" a ")}, // FW-195, FW-204
			{"x[]=1", value(nil)},       // FW-184
			{"x[a]=1&X=2", value(nil)},  // FW-184
			{"x=1&x[]=2", value("1")},
			{"x=1&x=2", repeated(q)}, // peer-fw 40
			{"x=&x=", repeated(q)},
			{"x=a%00b", value("a\x00b")},
			{"x=%ff", wrongType(q, "string")},
		}},
		"required": {param.Query[string]("x").Required(), []row{
			{"", required(q)},       // FW-173, TC-092, TC-174
			{"x=", required(q)},     // FW-173, TC-174
			{"x=0", value("0")},     // FW-175, TC-174
			{"x[]=1", required(q)},  // FW-184, TC-174
			{"x=asd", value("asd")}, // TC-094
		}},
		"with a default": {param.Query[string]("x").Default("d"), []row{
			{"", value("d")},  // FW-170
			{"x=", value("")}, // FW-172
			{"x=a", value("a")},
			{"x[]=1", value("d")}, // FW-184
		}},
		"required, with a default": {param.Query[string]("x").Required().Default("d"), []row{
			{"", value("d")},    // FW-171
			{"x=", required(q)}, // FW-172, FW-173
		}},
		"integer": {param.Query[int]("x"), []row{
			{"", value(nil)},
			{"x=5", value(5)},                                   // FW-198, TC-175
			{"x=-3", value(-3)},                                 // FW-198, TC-175
			{"x=", value(nil)},                                  // FW-201, FW-202, FW-414, TC-178
			{"x=0", value(0)},                                   // FW-175
			{"x=abc", wrongType(q, "integer")},                  // FW-200, FW-211, FW-239
			{"x=1.9", wrongType(q, "integer")},                  // FW-199, TC-177
			{"x=1e3", wrongType(q, "integer")},                  // FW-199, TC-177
			{"x=%205", wrongType(q, "integer")},                 // FW-199, TC-177
			{"x=5%20", wrongType(q, "integer")},                 // FW-199, TC-177
			{"x=99999999999999999999", wrongType(q, "integer")}, // FW-199, TC-177
		}},
		"required integer": {param.Query[int]("x").Required(), []row{
			{"x=", required(q)}, // FW-202, TC-178
			{"x=0", value(0)},   // peer-fw 34
		}},
		"integer with a default": {param.Query[int]("x").Default(7), []row{
			{"", value(7)},
			{"x=", value(7)}, // FW-202
		}},
		"boolean": {param.Query[bool]("x"), []row{
			{"x=1", value(true)},    // FW-196
			{"x=tRUe", value(true)}, // FW-196
			{"x=0", value(false)},   // TC-180
			{"x=FALSE", value(false)},
			{"x=", value(nil)},                 // TC-180
			{"x=abc", wrongType(q, "boolean")}, // FW-197, TC-180
			{"x=yes", wrongType(q, "boolean")}, // FW-197
			{"x=2", wrongType(q, "boolean")},   // FW-197
		}},
		"float": {param.Query[float64]("x"), []row{
			{"x=1.5", value(1.5)},            // FW-203, TC-181
			{"x=2", value(2.0)},              // FW-203
			{"x=", value(nil)},               // FW-201, TC-181
			{"x=abc", wrongType(q, "float")}, // FW-203, TC-181
			{"x=NaN", wrongType(q, "float")}, // FW-203
			{"x=Inf", wrongType(q, "float")}, // FW-203
		}},
		"short float":    {param.Query[float32]("x"), []row{{"x=1.5", value(float32(1.5))}, {"x=1e39", wrongType(q, "float")}}}, // FW-194
		"byte":           {param.Query[uint8]("x"), []row{{"x=255", value(uint8(255))}, {"x=256", wrongType(q, "integer")}}},
		"time":           {param.Query[time.Time]("x"), []row{{"x=2026-01-02T03:04:05Z", value(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))}, {"x=today", wrongType(q, "date-time")}}},
		"date":           {param.Query[time.Time]("x").Format("date"), []row{{"x=2026-01-02", value(time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC))}, {"x=2026-02-30", wrongType(q, "date")}}}, // peer-fw 41
		"duration":       {param.Query[time.Duration]("x"), []row{{"x=1m30s", value(90 * time.Second)}}},
		"type with text": {param.Query[netip.Addr]("x").Default(netip.MustParseAddr("::1")), []row{{"x=192.0.2.1", value(netip.MustParseAddr("192.0.2.1"))}, {"x=", value(netip.MustParseAddr("::1"))}, {"x=a", wrongType(q, "ip")}}},
		"named string":   {param.Query[color]("x").Allowed("red"), []row{{"x=red", value(color("red"))}, {"x=", value(color(""))}, {"x=blue", notAllowed(q)}}},
		"allowed": {param.Query[string]("x").Allowed("a", "b"), []row{
			{"x=a", value("a")},    // TC-186
			{"x=c", notAllowed(q)}, // FW-178, TC-186
			{"x=", value("")},      // FW-174, TC-186
			{"", value(nil)},       // FW-174, TC-186
		}},
		"allowed with descriptions": {param.Query[string]("x").Required().AllowedValues(param.Choice[string]{Value: "vgdgr", Description: "VGDGR"}), []row{
			{"x=asfsaf", notAllowed(q)}, // TC-100
			{"x=VGDGR", notAllowed(q)},  // FW-177, TC-100
			{"x=vgdgr", value("vgdgr")}, // FW-177, TC-100
		}},
		"allowed, required": {param.Query[string]("x").Required().Allowed("vgdgr"), []row{
			{"x=asfsaf", notAllowed(q)}, // TC-099
			{"x=vgdgr", value("vgdgr")}, // TC-099
		}},
		"allowed integers": {param.Query[int]("x").Allowed(1, 2), []row{
			{"x=1", value(1)},       // FW-180, TC-187
			{"x=3", notAllowed(q)},  // TC-187
			{"x=01", notAllowed(q)}, // FW-180
			{"x=a", notAllowed(q)},  // FW-180
			{"x=", value(nil)},
		}},
		"rules": {param.Query[int]("x").Validate("min=1").Validate("max=3"), []row{
			{"x=0", fault(q, "min", "must be at least 1")}, // peer-fw 34
			{"x=4", fault(q, "max", "must be at most 3")},
			{"x=3", value(3)},
			{"x=a", wrongType(q, "integer")},
			{"x=", value(nil)}, // FW-174
		}},
		"rules of a text": {param.Query[string]("x").Validate("email"), []row{
			{"x=a@example.com", value("a@example.com")},
			{"x=", value("")}, // FW-174
		}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, row := range test.rows {
				require.Equal(t, row.want, resultOf(t, get(row.query), test.param), row.query)
			}
		})
	}
}

type color string

// Every source converts, and each finds its own part of the request alone.
func TestSources(t *testing.T) { // FW-209
	for name, row := range map[string]struct {
		param   api.Param
		request *api.Request
		want    result
	}{
		"path":                   {param.Path[int]("x"), path(api.PathValue{Name: "id", Value: "1"}, api.PathValue{Name: "x", Value: "7"}), value(7)}, // TC-205
		"path, wrong":            {param.Path[int]("x"), path(api.PathValue{Name: "x", Value: "a"}), wrongType(api.InPath, "integer")},
		"path, empty rest":       {param.Path[string]("x"), path(api.PathValue{Name: "x"}), value("")},
		"path, rules":            {param.Path[string]("x").Validate("min=1"), path(api.PathValue{Name: "x"}), fault(api.InPath, "min", "must be at least 1 character long")},
		"path, not allowed":      {param.Path[string]("x").Allowed("a"), path(api.PathValue{Name: "x"}), notAllowed(api.InPath)},
		"path, empty number":     {param.Path[int]("x"), path(api.PathValue{Name: "x"}), required(api.InPath)},
		"path, missing":          {param.Path[string]("x"), get("x=1"), required(api.InPath)},
		"header":                 {param.Header[int]("x"), withHeader("X", "7"), value(7)},
		"header, twice":          {param.Header[int]("x"), withHeader("X", "7", "8"), repeated(api.InHeader)},
		"header, empty":          {param.Header[int]("x").Required(), withHeader("X", ""), required(api.InHeader)},
		"header, missing":        {param.Header[int]("x"), get("x=1"), value(nil)},
		"cookie":                 {param.Cookie[int]("x"), cookies("y=1; x=1; z=2"), value(1)},                     // FW-209, FW-217, TC-195
		"cookie, text":           {param.Cookie[string]("x").Required(), cookies("x=asd"), value("asd")},           // FW-217, TC-098
		"cookie, missing":        {param.Cookie[string]("x").Required(), cookies("X=asd"), required(api.InCookie)}, // TC-098
		"cookie, default":        {param.Cookie[string]("x").Default("d"), get("x=1"), value("d")},                 // FW-217
		"cookie, twice":          {param.Cookie[string]("x"), cookies("x=1; x=2"), repeated(api.InCookie)},
		"form by POST":           {param.Form[string]("x").Required(), form("POST", "x=hello"), value("hello")}, // FW-213, TC-081, TC-193
		"form by PUT":            {param.Form[int]("x"), form("PUT", "x=1"), value(1)},                          // FW-209, FW-214, TC-193, TC-195
		"form by PATCH":          {param.Form[int]("x"), form("PATCH", "x=1"), value(1)},                        // FW-214
		"form by DELETE":         {param.Form[int]("x"), form("DELETE", "x=1"), value(1)},                       // FW-214
		"multipart by POST":      {param.Form[int]("x"), parts(t, "POST", url.Values{"x": {"1"}}), value(1)},    // FW-213
		"multipart by PUT":       {param.Form[int]("x"), parts(t, "PUT", url.Values{"x": {"1"}}), value(1)},     // FW-215
		"form, empty":            {param.Form[int]("x"), form("POST", "x="), value(nil)},                        // FW-414
		"form, list":             {param.Form[string]("x"), form("POST", "x[]=1"), value(nil)},                  // TC-193
		"form, twice":            {param.Form[string]("x"), form("POST", "x=1&x=2"), repeated(api.InForm)},
		"form, in the query":     {param.Form[string]("x"), get("x=1"), value(nil)},
		"form, missing":          {param.Form[string]("x"), form("POST", "y=1"), value(nil)},                                              // TC-082
		"form, no body":          {param.Form[string]("x"), form("PUT", ""), value(nil)},                                                  // TC-102
		"form, required":         {param.Form[string]("x").Required(), form("POST", ""), required(api.InForm)},                            // TC-095, TC-105
		"form, allowed":          {param.Form[string]("x").Required().Allowed("a", "b"), form("POST", "x=a"), value("a")},                 // TC-084
		"form, not allowed":      {param.Form[string]("x").Required().Allowed("a", "b"), form("POST", "x=hello"), notAllowed(api.InForm)}, // TC-083
		"form, a file":           {param.Form[string]("x"), parts(t, "POST", nil, part{"x", "a.txt", "text/plain", "1"}), value(nil)},
		"query beside a form":    {param.Query[string]("x"), form("POST", "x=1"), value(nil)},
		"the host":               {param.Header[string]("host"), get(""), value("example.com")},
		"nothing but the struct": {param.Header[string]("x"), &api.Request{}, value(nil)},
		"no cookies at all":      {param.Cookie[string]("x"), &api.Request{}, value(nil)},
		"no query at all":        {param.Query[string]("x"), &api.Request{}, value(nil)},
		"no form at all":         {param.Form[string]("x"), &api.Request{}, value(nil)},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, row.want, resultOf(t, row.request, row.param))
		})
	}
}

func TestFormOfAnotherMediaType(t *testing.T) { // FW-214
	for _, p := range []api.Param{param.Form[string]("x"), param.Form[string]("x").Multi(), param.File("x"), param.File("x").Multi()} {
		_, err := read(t, withBody("PUT", "text/plain", "x=1"), p)
		e, ok := api.AsError(err)
		require.True(t, ok)
		require.Equal(t, http.StatusUnsupportedMediaType, e.Status)
	}
}

func TestBrokenQuery(t *testing.T) {
	want := []api.FieldError{{In: "query", Code: "syntax", Message: "The query of the request cannot be read"}}
	for _, p := range []api.Param{param.Query[string]("x"), param.Query[int]("x").Multi()} {
		require.Equal(t, result{Faults: want}, resultOf(t, get("x=%zz;y"), p)) // peer-fw 40
	}
}
