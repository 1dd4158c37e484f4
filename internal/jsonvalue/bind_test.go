package jsonvalue_test

import (
	"encoding/json"
	"errors"
	"math"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/jsonvalue"
)

// opt has the form of api.Opt.
type opt[T any] struct {
	Set, Null bool
	Value     T
}

func (opt[T]) OptionalType() reflect.Type      { return reflect.TypeFor[T]() }
func (o *opt[T]) UnmarshalJSON(_ []byte) error { return errors.New("the binder knows the form") }

// secret reads itself, and its error quotes the text.
type secret string

func (s *secret) UnmarshalJSON(data []byte) error {
	if string(data) != `"open"` && string(data) != `null` {
		return errors.New("not " + string(data))
	}
	*s = secret(data)
	return nil
}

// mute reads itself, and does not write itself.
type mute struct{ text string }

func (m *mute) UnmarshalText(text []byte) error { m.text = string(text); return nil }

type tree struct {
	Name string  `json:"name" validate:"required,min=1"`
	Kids []tree  `json:"kids"`
	Up   *tree   `json:"up"`
	Deep *[]tree `json:"deep"`
}

type nested []nested

type endless *endless

type Base struct {
	ID   int64 `json:"id"`
	Kind string
}

type child struct {
	Base
	*Extra
	Kind string
}

type Extra struct {
	Note string `json:"note" default:"none"`
}

func bound(t *testing.T, of any, o jsonvalue.Options, text string) (any, []jsonvalue.Fault) {
	t.Helper()
	typ := reflect.TypeOf(of)
	b, err := jsonvalue.NewBinder(typ, o)
	require.NoError(t, err)
	d, faults := jsonvalue.Parse([]byte(text), jsonvalue.Limits{})
	require.Nil(t, faults)
	dst := reflect.New(typ).Elem()
	faults = b.Bind(d, dst)
	return dst.Interface(), faults
}

func wrong(pointer, word string) jsonvalue.Fault {
	return jsonvalue.Fault{Pointer: pointer, Code: "type", Message: "Value has invalid type. Expected " + word + "."}
}

func null(pointer string) jsonvalue.Fault {
	return jsonvalue.Fault{Pointer: pointer, Code: "null", Message: "must not be null"}
}

func required(pointer string) jsonvalue.Fault {
	return jsonvalue.Fault{Pointer: pointer, Code: "required", Message: "Field is required"}
}

func unknown(pointer string) jsonvalue.Fault {
	return jsonvalue.Fault{Pointer: pointer, Code: "unknown", Message: "Field is unknown"}
}

func TestBindValues(t *testing.T) {
	five := 5
	for _, row := range []struct {
		text string
		want any
	}{
		{`true`, true},
		{`5`, 5}, // FW-194 FW-198
		{`-128`, int8(-128)},
		{`18446744073709551615`, uint64(math.MaxUint64)},      // FW-233 peer-fw 38
		{`9007199254740993`, int64(9007199254740993)},         // FW-233 peer-fw 38
		{`9007199254740993`, json.Number("9007199254740993")}, // FW-233 peer-fw 38
		{`5`, 5.0}, // FW-203
		{`1.5e3`, float32(1500)},
		{`"a\u00e9"`, "aé"},
		{`[1,2]`, []int{1, 2}}, // FW-207
		{`[]`, []int{}},
		{`[1,2]`, [2]int{1, 2}},
		{`"AQI="`, []byte{1, 2}},
		{`{}`, map[string]int{}}, // FW-232
		{`{"a":1}`, map[string]int{"a": 1}},
		{`{"-1":"a"}`, map[int]string{-1: "a"}},
		{`{"::1":1}`, map[netip.Addr]int{netip.IPv6Loopback(): 1}},
		{`5`, &five},
		{`null`, (*int)(nil)},
		{`{"a":null}`, map[string]any{"a": nil}},
		{`[9007199254740993,{}]`, []any{json.Number("9007199254740993"), map[string]any{}}}, // FW-233 FW-232
		{` {"a" : 1}`, json.RawMessage(`{"a" : 1}`)},                                        // FW-195
		{`null`, json.RawMessage(`null`)},                                                   // FW-195
		{`"x"`, json.RawMessage(`"x"`)},
		{`"2024-02-29T12:00:00Z"`, time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)}, // peer-fw 41
		{`"1m30s"`, 90 * time.Second},
		{`90`, time.Duration(90)},
		{`"::1"`, netip.IPv6Loopback()},
		{`"open"`, secret(`"open"`)},
		{`null`, secret(`null`)},
		{`[[],[[]]]`, nested{{}, {{}}}},
		{`{"name":"a","kids":[{"name":"b"}],"up":{"name":"c"},"deep":[]}`,
			tree{Name: "a", Kids: []tree{{Name: "b"}}, Up: &tree{Name: "c"}, Deep: &[]tree{}}},
		{`{"id":1,"Kind":"k"}`, child{Base: Base{ID: 1}, Kind: "k", Extra: &Extra{Note: "none"}}},
	} {
		got, faults := bound(t, row.want, jsonvalue.Options{}, row.text)
		require.Nil(t, faults, row.text)
		require.Equal(t, row.want, got)
	}
}

func TestBindFaults(t *testing.T) {
	for _, row := range []struct {
		of   any
		text string
		want []jsonvalue.Fault
	}{
		{false, `1`, []jsonvalue.Fault{wrong("", "boolean")}},
		{false, `"true"`, []jsonvalue.Fault{wrong("", "boolean")}},
		{0, `"5"`, []jsonvalue.Fault{wrong("", "integer")}},       // FW-200
		{0, `1.9`, []jsonvalue.Fault{wrong("", "integer")}},       // FW-199
		{0, `1e3`, []jsonvalue.Fault{wrong("", "integer")}},       // FW-199
		{0, `1.0`, []jsonvalue.Fault{wrong("", "integer")}},       // FW-199
		{int8(0), `128`, []jsonvalue.Fault{wrong("", "integer")}}, // FW-199
		{uint(0), `-1`, []jsonvalue.Fault{wrong("", "integer")}},
		{0.0, `1e999`, []jsonvalue.Fault{wrong("", "number")}}, // FW-203
		{float32(0), `1e39`, []jsonvalue.Fault{wrong("", "number")}},
		{json.Number(""), `"5"`, []jsonvalue.Fault{wrong("", "number")}},
		{"", `5`, []jsonvalue.Fault{wrong("", "string")}},
		{[]int{}, `5`, []jsonvalue.Fault{wrong("", "array")}},                                                        // FW-205
		{[]int{}, `[1,"a",null,2.5]`, []jsonvalue.Fault{wrong("/1", "integer"), null("/2"), wrong("/3", "integer")}}, // FW-207
		{[2]int{}, `[1]`, []jsonvalue.Fault{{"", "len", "must have exactly 2 items"}}},
		{[]byte{}, `"a"`, []jsonvalue.Fault{wrong("", "base64 string")}},
		{map[string]int{}, `[]`, []jsonvalue.Fault{wrong("", "object")}},
		{map[string]int{}, `{"a/~":"x"}`, []jsonvalue.Fault{wrong("/a~1~0", "integer")}},
		{map[int8]int{}, `{"300":1}`, []jsonvalue.Fault{{"/300", "type", "Name has invalid type. Expected integer."}}},
		{map[int]int{}, `{"1":1,"01":2}`, []jsonvalue.Fault{{"/01", "duplicate", "Field occurs more than once"}}},
		{time.Time{}, `"29.2.2024"`, []jsonvalue.Fault{wrong("", "date-time")}}, // peer-fw 41
		{time.Time{}, `""`, []jsonvalue.Fault{wrong("", "date-time")}},          // peer-fw 41
		{time.Time{}, `5`, []jsonvalue.Fault{wrong("", "date-time")}},
		{time.Duration(0), `1.5`, []jsonvalue.Fault{wrong("", "duration")}},
		{secret(""), `"token-4711"`, []jsonvalue.Fault{{"", "type", "Value has invalid type."}}}, // FW-211
		{0, `null`, []jsonvalue.Fault{null("")}},                                                 // peer-fw 44
		{tree{}, `null`, []jsonvalue.Fault{null("")}},                                            // peer-fw 44
		{[]int{}, `null`, []jsonvalue.Fault{null("")}},
		{map[string]int{}, `null`, []jsonvalue.Fault{null("")}},
		{time.Time{}, `null`, []jsonvalue.Fault{null("")}},
		{tree{}, `[]`, []jsonvalue.Fault{wrong("", "object")}},
		{tree{}, `{"kids":[{"name":""},{"Name":"b"},5],"up":{}}`, []jsonvalue.Fault{
			{"/kids/0/name", "min", "must be at least 1 character long"},
			unknown("/kids/1/Name"), required("/kids/1/name"), wrong("/kids/2", "object"), required("/up/name"), required("/name"),
		}},
	} {
		_, faults := bound(t, row.of, jsonvalue.Options{}, row.text)
		require.Equal(t, row.want, faults, "%T %s", row.of, row.text)
	}
}

type account struct {
	Name    string         `json:"name" validate:"required,min=2"`
	Age     int            `json:"age" validate:"required"`
	Active  bool           `json:"active" validate:"required"`
	Size    int            `json:"size" default:"10" validate:"min=1"`
	Tags    []string       `json:"tags" enum:"a,b" validate:"max=3" default:"a,b"`
	Color   *string        `json:"color" enum:"red,blue" default:"red"`
	Email   opt[string]    `json:"email" validate:"email"`
	Level   opt[int]       `json:"level" enum:"1,2"`
	Day     time.Time      `json:"day" format:"date"`
	Days    []time.Time    `json:"days" format:"date"`
	Stamp   time.Time      `json:"stamp" format:"unix" enum:"0,86400"`
	From    int            `json:"from"`
	To      *int           `json:"to" validate:"gtfield=From"`
	Meta    map[string]int `json:"meta" default:"{\"a\":1}" validate:"dive,keys,len=1,endkeys,min=1"`
	Private string         `json:"-"`
	hidden  int
}

func TestBindMembers(t *testing.T) {
	red, two := "red", 2
	day := time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)
	base := account{Name: "Al", Size: 10, Tags: []string{"a", "b"}, Color: &red, Meta: map[string]int{"a": 1}}
	change := func(f func(*account)) account { a := base; f(&a); return a }
	const ok = `"name":"Al","age":0,"active":false`
	for _, row := range []struct {
		text   string
		want   account
		faults []jsonvalue.Fault
	}{
		{`{` + ok + `}`, base, nil}, // peer-fw 34: 0 and false have been sent
		{`{}`, account{}, []jsonvalue.Fault{required("/name"), required("/age"), required("/active")}},
		{`{` + ok + `,"size":0}`, account{}, []jsonvalue.Fault{{"/size", "min", "must be at least 1"}}}, // peer-fw 34
		{`{` + ok + `,"tags":[],"color":null,"meta":{}}`, change(func(a *account) {
			a.Tags, a.Color, a.Meta = []string{}, nil, map[string]int{}
		}), nil},
		{`{` + ok + `,"email":null}`, change(func(a *account) { a.Email = opt[string]{Set: true, Null: true} }), nil},                        // peer-fw 35
		{`{` + ok + `,"email":"a@example.com"}`, change(func(a *account) { a.Email = opt[string]{Set: true, Value: "a@example.com"} }), nil}, // peer-fw 35
		{`{` + ok + `,"level":2,"email":""}`, account{}, []jsonvalue.Fault{{"/email", "email", "must be an e-mail address"}}},
		{`{` + ok + `,"level":3,"color":"green","tags":["a","c"]}`, account{}, []jsonvalue.Fault{
			{"/level", "enum", "must be one of: 1, 2"},
			{"/color", "enum", "must be one of: red, blue"},
			{"/tags/1", "enum", "must be one of: a, b"},
		}},
		{`{` + ok + `,"day":"2024-02-29","days":["2024-02-29"],"stamp":86400}`, change(func(a *account) { // peer-fw 41
			a.Day, a.Days, a.Stamp = day, []time.Time{day}, time.Unix(86400, 0).UTC()
		}), nil},
		{`{` + ok + `,"day":"2024-02-29T00:00:00Z","stamp":"1"}`, account{}, []jsonvalue.Fault{ // peer-fw 41
			wrong("/day", "date"), {"/stamp", "enum", "must be one of: 0, 86400"},
		}},
		{`{` + ok + `,"from":1,"to":2}`, change(func(a *account) { a.From, a.To = 1, &two }), nil},
		{`{"to":1,"from":1,` + ok + `}`, account{}, []jsonvalue.Fault{{"/to", "gtfield", "must be greater than from"}}},
		{`{"to":1,"from":1,"name":"Al","age":0}`, account{}, []jsonvalue.Fault{required("/active"), {"/to", "gtfield", "must be greater than from"}}},
		{`{"to":1,"from":"1",` + ok + `}`, account{}, []jsonvalue.Fault{wrong("/from", "integer")}},
		{`{` + ok + `,"meta":{"bb":0}}`, account{}, []jsonvalue.Fault{
			{"/meta/bb", "len", "must be exactly 1 character long"}, {"/meta/bb", "min", "must be at least 1"},
		}},
		{`{` + ok + `,"Private":"x","hidden":1,"NAME":"x","n\u0061me2":1}`, account{}, []jsonvalue.Fault{
			unknown("/Private"), unknown("/hidden"), unknown("/NAME"), unknown("/name2"),
		}},
		{`{"n\u0061me":"Al","age":0,"active":false}`, base, nil},
	} {
		got, faults := bound(t, account{}, jsonvalue.Options{}, row.text)
		require.Equal(t, row.faults, faults, row.text)
		if row.faults == nil {
			require.Equal(t, row.want, got, row.text)
		}
	}
	got, faults := bound(t, account{}, jsonvalue.Options{AllowUnknown: true}, `{`+ok+`,"more":{"a":[1]}}`)
	require.Nil(t, faults)
	require.Equal(t, base, got)
	_ = base.hidden
}

// No message has anything of a value, and there is a bound for their number.
func TestBindTellsNoValues(t *testing.T) {
	text := `{"name":"S","age":"S3cret","active":"S3cret","size":"S3cret","tags":["S3cret"],"color":"S3cret","email":"S3cret","day":"S3cret","meta":{"x":"S3cret"}}`
	_, faults := bound(t, account{}, jsonvalue.Options{}, text)
	require.Len(t, faults, 9)
	for _, f := range faults {
		require.NotContains(t, f.Message+f.Code+f.Pointer, "S3cret") // FW-211
	}
	_, faults = bound(t, []int{}, jsonvalue.Options{}, `[""`+strings.Repeat(`,""`, 500)+`]`)
	require.Len(t, faults, 100)
}

// Defaults share nothing between two values.
func TestDefaultsAreFresh(t *testing.T) {
	first, _ := bound(t, account{}, jsonvalue.Options{}, `{"name":"Al","age":0,"active":false}`)
	a, ok := first.(account)
	require.True(t, ok)
	a.Tags[0], *a.Color, a.Meta["a"] = "changed", "changed", 5
	second, _ := bound(t, account{}, jsonvalue.Options{}, `{"name":"Al","age":0,"active":false}`)
	b, ok := second.(account)
	require.True(t, ok)
	require.Equal(t, []string{"a", "b"}, b.Tags)
	require.Equal(t, "red", *b.Color)
	require.Equal(t, map[string]int{"a": 1}, b.Meta)
}

func TestStructBinder(t *testing.T) {
	type inner struct {
		Note string `json:"note" validate:"required"`
	}
	type input struct {
		ID int `path:"id"`
		inner
		Low  int `json:"low"`
		High int `json:"high" validate:"gtfield=Low"`
	}
	typ := reflect.TypeFor[input]()
	var fields []jsonvalue.Field
	for _, name := range []string{"Note", "Low", "High"} {
		f, _ := typ.FieldByName(name)
		fields = append(fields, jsonvalue.Field{Index: f.Index, Struct: f})
	}
	b, err := jsonvalue.NewStructBinder(fields, jsonvalue.Options{})
	require.NoError(t, err)
	bind := func(text string) (input, []jsonvalue.Fault) {
		d, faults := jsonvalue.Parse([]byte(text), jsonvalue.Limits{})
		require.Nil(t, faults)
		v := input{ID: 7}
		faults = b.Bind(d, reflect.ValueOf(&v).Elem())
		return v, faults
	}
	v, faults := bind(`{"note":"n","low":1,"high":2}`)
	require.Nil(t, faults)
	require.Equal(t, input{ID: 7, inner: inner{Note: "n"}, Low: 1, High: 2}, v)
	_, faults = bind(`{"id":1,"low":1,"high":1}`)
	require.Equal(t, []jsonvalue.Fault{unknown("/id"), required("/note"), {"/high", "gtfield", "must be greater than low"}}, faults)
	_, faults = bind(`{"note":"n","low":"1","high":1}`)
	require.Equal(t, []jsonvalue.Fault{wrong("/low", "integer")}, faults)
	_, faults = bind(`{"note":"","low":1,"high":1}`)
	require.Equal(t, []jsonvalue.Fault{{"/high", "gtfield", "must be greater than low"}}, faults)
	_, err = jsonvalue.NewStructBinder(fields[2:], jsonvalue.Options{})
	require.EqualError(t, err, "High: there is no field Low to compare with")
}

type Twin struct{ A int }

func TestBinderMistakes(t *testing.T) {
	type all struct {
		Chan   chan int        `json:"chan"`
		Func   []func()        `json:"func"`
		Cplx   complex128      `json:"cplx"`
		Face   error           `json:"face"`
		Keys   map[float64]int `json:"keys"`
		Rule   string          `json:"rule" validate:"minn=1"`
		Def    int             `json:"def" default:"x"`
		Low    int             `json:"low" default:"0" validate:"min=1"`
		List   []int           `json:"list" default:"1,x"`
		Obj    map[string]int  `json:"obj" default:"{"`
		Need   int             `json:"need" default:"1" validate:"required"`
		Opt    opt[int]        `json:"opt" default:"1"`
		Enum   int             `json:"enum" enum:"1,x"`
		Any    any             `json:"any" enum:"1"`
		Form   string          `json:"form" format:"date"`
		Str    int             `json:"str,string"`
		Comma  int             `json:"a\"b"` //nolint:staticcheck // the mistake is what is tested
		Field  int             `json:"field" validate:"gtfield=Nope"`
		Kind   int             `json:"kind" validate:"gtfield=Rule"`
		Tags   []string        `json:"tags" enum:"a,b" default:"c"`
		Format struct{ X int } `json:"format" enum:"a"`
		Loop   endless         `json:"loop" validate:"min=1" default:"1"`
		Self   nested          `json:"self" enum:"a"`
		Spaced []string        `json:"spaced" enum:"a, b"`
		Spaces []string        `json:"spaces" default:"a ,b"`
		None   string          `json:"none" enum:""`
		Mute   mute            `json:"mute" enum:"a"`
		Unique []any           `json:"unique" validate:"unique"`
	}
	_, err := jsonvalue.NewBinder(reflect.TypeFor[all](), jsonvalue.Options{})
	require.EqualError(t, err, strings.Join([]string{
		`all.Str: the option "string" is not read: a number is a number`,
		`all.Comma: encoding/json does not write the name "a\"b"`,
		`all.Chan: JSON is not read as chan int`,
		`all.Func: JSON is not read as func()`,
		`all.Cplx: JSON is not read as complex128`,
		`all.Face: JSON is not read as error`,
		`all.Keys: the names of an object are no float64`,
		`all.Rule: rule "minn=1" is unknown`,
		`all.Def: default "x": it is no value of the type`,
		`all.Low: default "0": must be at least 1`,
		`all.List: default "1,x": it is no value of the type`,
		`all.Obj: default "{": it is no JSON`,
		`all.Need: a required field has no default`,
		`all.Opt: an optional type tells that nothing was sent, so it has no default`,
		`all.Enum: enum "1,x": it has an entry that is no integer`,
		`all.Any: enum: no text is read as interface {}: unsupported operation`,
		`all.Form: format "date": only time.Time has formats`,
		`all.Field: there is no field Nope to compare with`,
		`all.Kind: int is not compared with Rule, which is string`,
		`all.Tags: default "c": must be one of: a, b`,
		`all.Format: an object has no enum and no format`,
		`all.Loop: rule "min" does not fit the type jsonvalue_test.endless`,
		`all.Loop: jsonvalue_test.endless points to too many pointers`,
		`all.Self: the type jsonvalue_test.nested holds itself, so its elements have no tags`,
		`all.Spaced: enum "a, b": drop the spaces around " b"`,
		`all.Spaces: default "a ,b": drop the spaces around "a "`,
		`all.None: enum "": it allows nothing`,
		`all.Mute: enum "a": the values of jsonvalue_test.mute are not told apart without a method MarshalText`,
		`all.Unique: rule "unique": values of interface {} may be ones that are not compared`,
	}, "\n"))

	twins := reflect.StructOf([]reflect.StructField{ // vet knows the mistake in a literal type
		{Name: "Same", Type: reflect.TypeFor[int](), Tag: `json:"same"`},
		{Name: "Other", Type: reflect.TypeFor[int](), Tag: `json:"same"`},
	})
	_, err = jsonvalue.NewBinder(twins, jsonvalue.Options{})
	require.ErrorContains(t, err, `the fields Same and Other are both named "same"`)
}

// A type with a method UnmarshalJSON of an embedded struct is read by it, as by
// encoding/json; without tags two embedded fields of the same name are a mistake.
func TestEmbedding(t *testing.T) {
	type Other struct{ A int }
	type both struct {
		Twin
		Other
	}
	_, err := jsonvalue.NewBinder(reflect.TypeFor[both](), jsonvalue.Options{})
	require.EqualError(t, err, `both: the fields A and A are both named "A"`)
	type hides struct {
		Twin
		Other `json:"other"`
		A     string
	}
	got, faults := bound(t, hides{}, jsonvalue.Options{}, `{"A":"x","other":{"A":1}}`)
	require.Nil(t, faults)
	require.Equal(t, hides{A: "x", Other: Other{A: 1}}, got)
	type tagged struct {
		Name string `query:"name"`
	}
	got, faults = bound(t, tagged{}, jsonvalue.Options{TagName: "query"}, `{"name":"x"}`)
	require.Nil(t, faults)
	require.Equal(t, tagged{Name: "x"}, got)
}

func TestBindConcurrently(t *testing.T) {
	b, err := jsonvalue.NewBinder(reflect.TypeFor[account](), jsonvalue.Options{})
	require.NoError(t, err)
	d, faults := jsonvalue.Parse([]byte(`{"name":"A","age":1,"active":true,"email":"x"}`), jsonvalue.Limits{})
	require.Nil(t, faults)
	for range 4 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			for range 100 {
				var v account
				require.Len(t, b.Bind(d, reflect.ValueOf(&v).Elem()), 2)
			}
		})
	}
}

// What binds without a fault is what encoding/json reads into the same type.
func FuzzBind(f *testing.F) {
	type item struct {
		B    bool           `json:"b"`
		I    int8           `json:"i"`
		U    uint           `json:"u"`
		F    float32        `json:"f"`
		S    string         `json:"s"`
		P    *int           `json:"p"`
		L    []string       `json:"l"`
		A    [2]int         `json:"a"`
		M    map[string]int `json:"m"`
		K    map[int]bool   `json:"k"`
		D    []byte         `json:"d"`
		N    json.Number    `json:"n"`
		T    time.Time      `json:"t"`
		Addr netip.Addr     `json:"addr"`
		Kids []tree         `json:"kids"`
		Base
	}
	b, err := jsonvalue.NewBinder(reflect.TypeFor[item](), jsonvalue.Options{})
	require.NoError(f, err)
	for _, text := range []string{
		`{"b":true,"i":-1,"u":2,"f":1.5,"s":"x","p":null,"l":["a"],"a":[1,2],"m":{"a":1},"k":{"1":true},"d":"AQI=","n":1e2,"t":"2024-02-29T12:00:00Z","addr":"::1","kids":[{"name":"n"}],"id":1}`,
		`{"i":300}`, `{"k":{"01":true}}`, `{"d":"A"}`, `{"p":1}`, `[]`, `null`, `{"kids":[{"kids":[{}]}]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, faults := jsonvalue.Parse(data, jsonvalue.Limits{})
		if faults != nil {
			return
		}
		var got, want item
		if b.Bind(d, reflect.ValueOf(&got).Elem()) != nil {
			return
		}
		require.NoError(t, json.Unmarshal(data, &want))
		require.True(t, want.T.Equal(got.T))
		want.T, got.T = time.Time{}, time.Time{}
		require.Equal(t, want, got)
	})
}
