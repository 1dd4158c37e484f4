package param_test

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler/param"
)

func TestInput(t *testing.T) {
	for name, row := range map[string]struct {
		param api.Param
		want  api.Input
	}{
		"query": { // FW-168, FW-189
			param.Query[int]("page").Required().Default(2).Description("Page number").Allowed(1, 2).
				Example(1).NamedExample("second", 2).Validate("min=1"),
			api.Input{
				In: "query", Name: "page", Description: "Page number", Required: true, Type: "integer", // FW-167
				Schema: api.Schema{JSON: json.RawMessage(`{"type":"integer","format":"int64","minimum":1}`), Type: reflect.TypeFor[int]()}, Default: 2, // FW-210
				Allowed:  []api.Allowed{{Value: 1, Description: "1"}, {Value: 2, Description: "2"}}, // FW-176
				Examples: []api.Example{{Name: "default", Value: 1}, {Name: "second", Value: 2}},    // FW-187, FW-188
			},
		},
		"a list of allowed values": {
			param.Query[string]("mykey4").Required().Allowed("c", "asdsadsad"),
			api.Input{
				In: "query", Name: "mykey4", Required: true, Type: "string", Schema: api.Schema{Type: reflect.TypeFor[string]()},
				Allowed: []api.Allowed{{Value: "c", Description: "c"}, {Value: "asdsadsad", Description: "asdsadsad"}}, // FW-176, TC-090
			},
		},
		"allowed values with descriptions": {
			param.Form[string]("x").AllowedValues(param.Choice[string]{"z", "last"}, param.Choice[string]{"a", "first"}),
			api.Input{
				In: "form", Name: "x", Type: "string", Schema: api.Schema{Type: reflect.TypeFor[string]()},
				Allowed: []api.Allowed{{Value: "z", Description: "last"}, {Value: "a", Description: "first"}}, // FW-177
			},
		},
		"list": {
			param.Query[bool]("x").Multi().Description("Switches").Default(true).Example(true, false).NamedExample("none"),
			api.Input{
				In: "query", Name: "x", Description: "Switches", Multi: true, Type: "boolean", // TC-093
				Schema: api.Schema{Type: reflect.TypeFor[bool]()}, Default: []bool{true},
				Examples: []api.Example{{Name: "default", Value: []bool{true, false}}, {Name: "none", Value: []bool{}}},
			},
		},
		"path":   {param.Path[string]("x"), api.Input{In: "path", Name: "x", Required: true, Type: "string", Schema: api.Schema{Type: reflect.TypeFor[string]()}}},
		"header": {param.Header[float32]("x"), api.Input{In: "header", Name: "x", Type: "float", Schema: api.Schema{Type: reflect.TypeFor[float32]()}}},                   // FW-194
		"cookie": {param.Cookie[time.Time]("x").Format("date"), api.Input{In: "cookie", Name: "x", Type: "date", Schema: api.Schema{Type: reflect.TypeFor[time.Time]()}}}, // FW-167
	} {
		t.Run(name, func(t *testing.T) {
			input, err := row.param.Input()
			require.NoError(t, err)
			require.Equal(t, row.want, input)
		})
	}
}

// level reads texts and writes none.
type level struct{ text string }

func (l *level) UnmarshalText(text []byte) error { l.text = string(text); return nil }

// angry panics when it is read.
type angry struct{ text string }

func (*angry) UnmarshalText([]byte) error     { panic("boom") }
func (a *angry) MarshalText() ([]byte, error) { return []byte(a.text), nil }

func TestDefaultOfATypeThatWritesNothing(t *testing.T) {
	input, err := param.Query[level]("x").Default(level{"low"}).Input()
	require.NoError(t, err)
	require.Equal(t, level{"low"}, input.Default)
}

func TestMistakes(t *testing.T) {
	const queryX = `query parameter "x": `
	for name, row := range map[string]struct {
		param api.Param
		want  string
	}{
		"no name":                 {param.Query[int](""), `query parameter "": it has no name`},
		"brackets":                {param.Query[int]("x[]"), `query parameter "x[]": write the name without brackets, and Multi() for several values`},
		"a header with a colon":   {param.Header[int]("x:"), `header parameter "x:": the name cannot be sent: write letters, digits and hyphens`},
		"a cookie with a space":   {param.Cookie[int]("x y"), `cookie parameter "x y": the name cannot be sent: write letters, digits and hyphens`},
		"a channel":               {param.Query[chan int]("x"), queryX + "no text is read as chan int: unsupported operation"},                        // FW-208, TC-192
		"a struct":                {param.Query[struct{ A int }]("x").Multi(), queryX + "no text is read as struct { A int }: unsupported operation"}, // FW-208, TC-192
		"an array":                {param.Query[[]int]("x"), queryX + "no text is read as []int: unsupported operation"},                              // FW-206
		"a format of no time":     {param.Query[int]("x").Format("date"), queryX + `format "date": only time.Time has formats`},                       // TC-192
		"none allowed":            {param.Query[string]("x").Allowed(), queryX + "Allowed() without values would refuse everything"},                  // FW-181, TC-190
		"none described":          {param.Query[string]("x").Multi().AllowedValues(), queryX + "Allowed() without values would refuse everything"},    // FW-181
		"allowed twice":           {param.Query[int]("x").Allowed(1, 1), queryX + `the value "1" is allowed twice`},
		"allowed, but not a text": {param.Query[float64]("x").Allowed(math.NaN()), queryX + "the allowed value NaN cannot be sent"},
		"a default of no text":    {param.Query[float64]("x").Default(math.Inf(1)), queryX + "default: the value +Inf cannot be sent"},
		"examples of no text":     {param.Query[string]("x").Multi().Example("a", "\xff"), queryX + "example \"default\": the value \xff cannot be sent"},
		"allowed, not written":    {param.Query[level]("x").Allowed(level{"low"}), queryX + "the values of param_test.level are not told apart without a method MarshalText: drop Allowed()"},
		"a type that panics":      {param.Query[angry]("x").Default(angry{}), queryX + "it panics: boom"},
		"a body that panics":      {param.JSON[angry]("x", "").Default(`"a"`), `json parameter "x": it panics: boom`},
		"a default not allowed":   {param.Query[int]("x").Allowed(1).Default(2), queryX + "default: Field contains not available value(s)"},                                                                   // FW-210
		"a default that breaks":   {param.Query[int]("x").Validate("min=1").Default(0), queryX + "default: must be at least 1"},                                                                               // FW-210
		"a list of defaults":      {param.Query[int]("x").Validate("min=1").Multi().Validate("max=1").Default(0, 5), queryX + "default: must be at least 1\n" + queryX + "default: must have at most 1 item"}, // FW-210
		"an example that breaks":  {param.Query[int]("x").Validate("min=1").Example(0), queryX + `example "default": must be at least 1`},
		"an example twice":        {param.Query[int]("x").Example(1).Example(2), queryX + `example "default" is given twice`},
		"required as a rule":      {param.Query[int]("x").Validate("required"), queryX + `Validate("required"): write Required() for "required"`},
		"a path of several":       {param.Path[int]("x").Multi(), `path parameter "x": it is one value: drop Multi()`},
		"a path with a default":   {param.Path[int]("x").Default(1), `path parameter "x": a path is always sent whole: drop Default()`},
		"a cookie of several":     {param.Cookie[int]("x").Multi(), `cookie parameter "x": it is one value: drop Multi()`},
		"file without a name":     {param.File(""), `file parameter "": it has no name`},
		"file of no size":         {param.File("x").MaxSize(0), `file parameter "x": MaxSize(0) would refuse every file`},
		"files of a bad type":     {param.File("x").Multi().MediaTypes("png", "image/*"), `file parameter "x": media type "png": write "image/png" or "image/*", without parameters`},
		"raw without a name":      {param.Raw(""), `raw parameter "": it has no name`},
		"raw with parameters":     {param.Raw("x").MediaTypes("text/csv; charset=utf-8").Example("a").Example("b"), `raw parameter "x": media type "text/csv; charset=utf-8": write "image/png" or "image/*", without parameters` + "\n" + `raw parameter "x": example "default" is given twice`},
		"several":                 {param.Query[int]("").Allowed(), `query parameter "": it has no name` + "\n" + `query parameter "": Allowed() without values would refuse everything`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := row.param.Input()
			require.EqualError(t, err, row.want)
			_, err = row.param.Read(get("x=1"))
			require.EqualError(t, err, row.want)
		})
	}
	for name, p := range map[string]api.Param{
		"an unknown rule":        param.Query[int]("x").Validate("minimum=1"),
		"another field":          param.Query[int]("x").Validate("eqfield=Other"),
		"a rule of a list":       param.Query[int]("x").Multi().Validate("email"),
		"a format without times": param.Query[time.Time]("x").Format("datum"),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := p.Input()
			require.ErrorContains(t, err, queryX)
		})
	}
}

func TestNilParameters(t *testing.T) {
	for _, p := range []api.Param{
		(*param.Value[int])(nil), (*param.List[int])(nil), (*param.Upload)(nil), (*param.Uploads)(nil), (*param.RawBody)(nil), (*param.JSONBody[int])(nil),
	} {
		_, err := p.Input()
		require.EqualError(t, err, "the parameter is nil")
	}
}
