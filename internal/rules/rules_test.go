package rules_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/go-playground/validator/v10"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sallyport-go/sallyport/internal/rules"
)

// told is "code: message" of each report.
func told(check func(report func(code, message string))) (all []string) {
	check(func(code, message string) { all = append(all, code+": "+message) })
	return all
}

func TestCheck(t *testing.T) {
	s := func(s string) *string { return &s }
	for _, row := range []struct {
		tag   string
		value any
		want  []string
	}{
		{"required", "", nil},         // peer-fw 34
		{"required", 0, nil},          // peer-fw 34
		{"required", false, nil},      // peer-fw 34
		{"required", []string{}, nil}, // peer-fw 34
		{"min=3,max=5", "abc", nil},
		{"min=3", "ab", []string{"min: must be at least 3 characters long"}},
		{"max=1", "äö", []string{"max: must be at most 1 character long"}},
		{"min=3,email", "a", []string{"min: must be at least 3 characters long", "email: must be an e-mail address"}},
		{"min=1", 0, []string{"min: must be at least 1"}},
		{"gt=1", 1, []string{"gt: must be greater than 1"}},
		{"lt=1.5", 1.5, []string{"lt: must be less than 1.5"}},
		{"len=2", []int{1}, []string{"len: must have exactly 2 items"}},
		{"len=2", [2]int{}, nil},
		{"max=0", map[string]int{"a": 1}, []string{"max: must have at most 0 items"}},
		{"min=18446744073709551615", uint64(18446744073709551614), []string{"min: must be at least 18446744073709551615"}},                          // peer-fw 38
		{"max=9007199254740994", int64(9007199254740995), []string{"max: must be at most 9007199254740994"}},                                        // peer-fw 38
		{"oneof=9007199254740994 9007199254740996", int64(9007199254740995), []string{"oneof: must be one of: 9007199254740994, 9007199254740996"}}, // peer-fw 38
		{"oneof=a 'b c'", "d", []string{"oneof: must be one of: a, b c"}},
		{"oneof=a 'b c'", "b c", nil},
		{"eq=a|eq=b", "b", nil},
		{"eq=a|eq=b", "c", []string{`eq|eq: must be "a" or must be "b"`}},
		{"iscolor", "#fff", nil},
		{"iscolor", "x", []string{"iscolor: must be a color"}},
		{"contains=0x2C", "a", []string{`contains: must contain ","`}},
		{"mongodb", "x", []string{`mongodb: must satisfy the rule "mongodb"`}},
		{"unique", []int{1, 1}, []string{"unique: must have no two equal items"}},
		{"unique", []*int{nil, nil}, []string{"unique: must have no two equal items"}},
		{"unique", []time.Time{{}, {}}, []string{"unique: must have no two equal items"}},
		{"unique=ID", []*holder{{ID: 1}, nil, {ID: 2}}, nil},
		{"unique=ID", []holder{{ID: 1}, {ID: 1, Any: 1}}, []string{"unique: must have no two equal items"}},
		{"eq=2,ne=1", []int{1}, []string{"eq: must have exactly 2 items", "ne: must not have 1 item"}},
		{"eq=2,ne=1", []int{1, 2}, nil},
		{"min=1m", time.Second, []string{"min: must be at least 1m"}},
		{"gt", time.Unix(0, 0), []string{"gt: must be in the future"}},
		{"omitempty,min=3", "", nil},
		{"omitempty,min=3", "a", []string{"min: must be at least 3 characters long"}},
		{"omitempty,min=3", s(""), []string{"min: must be at least 3 characters long"}},
		{"min=3", s("a"), []string{"min: must be at least 3 characters long"}},
		{"min=3", (*string)(nil), nil},
		{"-", "", nil},
		{"", "", nil},
	} {
		r, err := rules.Compile(reflect.TypeOf(row.value), row.tag)
		require.NoError(t, err, row.tag)
		require.Equal(t, row.want, told(func(report func(string, string)) {
			r.Check(reflect.ValueOf(row.value), report)
		}), "%s %v", row.tag, row.value)
	}
}

// holder has fields that == compares, and others.
type holder struct {
	ID   int
	Any  any
	List []int
}

// The limits of a list are asked of its length alone, and the rest of it whole.
func TestCheckSize(t *testing.T) {
	r, err := rules.Compile(reflect.TypeFor[[]int](), "omitempty,min=2,unique,ne=1,dive,min=5")
	require.NoError(t, err)
	for _, row := range []struct {
		list          []int
		size, content []string
	}{
		{[]int{}, []string{"min: must have at least 2 items"}, nil},
		{[]int{7}, []string{"min: must have at least 2 items", "ne: must not have 1 item"}, nil},
		{[]int{7, 7}, nil, []string{"unique: must have no two equal items"}},
		{[]int{7, 8}, nil, nil},
	} {
		require.Equal(t, row.size, told(func(report func(string, string)) {
			require.Equal(t, row.size == nil, r.CheckSize(len(row.list), report))
		}))
		require.Equal(t, row.content, told(func(report func(string, string)) { r.CheckContent(reflect.ValueOf(row.list), report) }))
		require.Equal(t, append(row.size, row.content...), told(func(report func(string, string)) { r.Check(reflect.ValueOf(row.list), report) }))
	}
	require.True(t, (*rules.Rules)(nil).CheckSize(1, nil))
}

func TestLevels(t *testing.T) {
	r, err := rules.Compile(reflect.TypeFor[map[string][]string](), "required,min=1,dive,keys,alpha,endkeys,max=2,dive,email")
	require.NoError(t, err)
	require.True(t, r.Required())
	require.False(t, r.Elem().Required())
	for _, row := range []struct {
		r     *rules.Rules
		value any
		want  []string
	}{
		{r, map[string][]string{}, []string{"min: must have at least 1 item"}},
		{r.Keys(), "1", []string{"alpha: must have letters of ASCII only"}},
		{r.Elem(), []string{"a", "b", "c"}, []string{"max: must have at most 2 items"}},
		{r.Elem().Elem(), "a", []string{"email: must be an e-mail address"}},
		{r.Elem().Elem().Elem(), "a", nil},
		{r.Elem().Keys(), "a", nil},
	} {
		require.Equal(t, row.want, told(func(report func(string, string)) { row.r.Check(reflect.ValueOf(row.value), report) }))
	}
	require.Nil(t, r.Elem().Elem().Elem())
}

func TestCompileMistakes(t *testing.T) {
	const presence = "what depends on the presence of other fields is checked in a method Validate() error of the struct"
	for _, row := range []struct {
		of   any
		tag  string
		want string
	}{
		{"", "minn=3", `rule "minn=3" is unknown`},
		{0, "minn=3", `rule "minn=3" is unknown`},
		{"", "min=3, max=5", `rule " max=5" is unknown`},
		{"", "min=x", `rule "min=x" does not fit the type string, or its parameter is wrong: strconv.ParseInt: parsing "x": invalid syntax`},
		{0, "email", `rule "email" does not fit the type int`},
		{true, "min=1", `rule "min" does not fit the type bool`},
		{1.5, "oneof=1 2", `rule "oneof" does not fit the type float64`},
		{struct{}{}, "min=1", `rule "min" does not fit the type struct {}`},
		{[]string{}, "email", `rule "email" does not fit the type []string`},
		{"", "dive", `rule "dive": string has no elements`},
		{[]string{}, "dive,keys,min=1,endkeys", `rule "keys": []string has no keys, or "endkeys" is missing`},
		{[]string{}, "dive,required", "rule \"required\": an element or a key is always there: use \"min=1\" for a text or list that must not be empty"},
		{[]func(){}, "unique", ""},
		{"", "required_if=A b", `rule "required_if": ` + presence},
		{"", "required_with=A", `rule "required_with": ` + presence},
		{"", "excluded_unless=A b", `rule "excluded_unless": ` + presence},
		{struct{}{}, "structonly", `rule "structonly": check it in a method Validate() error of the struct`},
		{"", "validateFn", `rule "validateFn": check it in a method Validate() error of the struct`},
		{"", "file", `rule "file": it looks at the files or the network of the server, which no client may direct`},
		{"", "tcp_addr", `rule "tcp_addr": it looks at the files or the network of the server, which no client may direct`},
		{"", "eqcsfield=A.B", `rule "eqcsfield": fields of other structs are compared in a method Validate() error of the struct`},
		{"", "eqfield", `rule "eqfield": it names one field of the same struct; compare others in a method Validate() error`},
		{[]string{}, "eqfield=A", `rule "eqfield" does not fit the type []string`},
		{"", "email|eqfield=A", `rule "eqfield": a rule about another field does not stand beside "|"`},
		{"", "required|email", `rule "required": it does not stand beside "|" or "="`},
		{"", "min=1,,max=2", `rule "": it has no name`},
		{[]any{}, "unique", `rule "unique": values of interface {} may be ones that are not compared`},
		{[]any{}, "min=1|unique", `rule "unique": values of interface {} may be ones that are not compared`},
		{map[string]any{}, "unique", `rule "unique": values of interface {} may be ones that are not compared`},
		{[]*any{}, "unique", `rule "unique": values of interface {} may be ones that are not compared`},
		{[][1]any{}, "unique", `rule "unique": values of [1]interface {} may be ones that are not compared`},
		{[]holder{}, "unique", `rule "unique": values of rules_test.holder may be ones that are not compared`},
		{[]holder{}, "unique=Any", `rule "unique": values of interface {} may be ones that are not compared`},
		{[]holder{}, "unique=List", `rule "unique": values of []int may be ones that are not compared`},
		{[]*holder{}, "unique=Nope", `rule "unique": rules_test.holder has no field Nope`},
		{[]int{}, "unique=ID", `rule "unique": int has no field ID`},
		{[][]int{}, "unique", `rule "unique": values of []int may be ones that are not compared`},
		{[][][]any{}, "dive,dive,unique", `rule "unique": values of interface {} may be ones that are not compared`},
		{"", "foo,bar", "rule \"foo\" is unknown\nrule \"bar\" is unknown"},
	} {
		_, err := rules.Compile(reflect.TypeOf(row.of), row.tag)
		if row.want == "" {
			require.Error(t, err, row.tag)
			continue
		}
		require.EqualError(t, err, row.want, row.tag)
	}
}

// optional has the form of api.Opt.
type optional[T any] struct {
	Set, Null bool
	Value     T
}

func (optional[T]) OptionalType() reflect.Type { return reflect.TypeFor[T]() }

func TestCheckFields(t *testing.T) {
	type form struct {
		Text  string            `json:"text"`
		Int   int               `query:"int"`
		Time  time.Time         `json:"-"`
		Maybe optional[int]     `json:"maybe"`
		Point *string           `json:"point"`
		Named map[string]string `json:",omitempty"`
	}
	later := time.Unix(1, 0)
	a := "a"
	for _, row := range []struct {
		tag    string
		value  any
		parent form
		want   []string
	}{
		{"eqfield=Text", "a", form{Text: "a"}, nil},
		{"eqfield=Text", "a", form{Text: "b"}, []string{"eqfield: must be equal to text"}},
		{"nefield=Text", "a", form{Text: "a"}, []string{"nefield: must differ from text"}},
		{"gtfield=Int", 1, form{Int: 1}, []string{"gtfield: must be greater than int"}},
		{"gtefield=Int,ltefield=Int", 1, form{Int: 1}, nil},
		{"ltfield=Time", later, form{Time: time.Unix(0, 0)}, []string{"ltfield: must be before Time"}},
		{"fieldcontains=Text", "abc", form{Text: "x"}, []string{"fieldcontains: must contain text"}},
		{"gtfield=Maybe", 1, form{}, nil},
		{"eqfield=Maybe", 1, form{}, []string{"eqfield: must be equal to maybe"}},
		{"gtfield=Maybe", 1, form{Maybe: optional[int]{Set: true, Value: 3}}, []string{"gtfield: must be greater than maybe"}},
		{"eqfield=Point", &a, form{Point: &a}, nil},
		{"eqfield=Point", &a, form{}, []string{"eqfield: must be equal to point"}},
		{"eqfield=Point", (*string)(nil), form{}, nil},
	} {
		r, err := rules.Compile(reflect.TypeOf(row.value), row.tag)
		require.NoError(t, err)
		require.Nil(t, told(func(report func(string, string)) { r.Check(reflect.ValueOf(row.value), report) }))
		for _, parent := range []reflect.Value{reflect.ValueOf(row.parent), reflect.ValueOf(&row.parent)} {
			require.Equal(t, row.want, told(func(report func(string, string)) {
				r.CheckFields(reflect.ValueOf(row.value), parent, report)
			}), row.tag)
		}
	}
	r, err := rules.Compile(reflect.TypeFor[int](), "gtfield=A,ltfield=B,nefield=A")
	require.NoError(t, err)
	require.Equal(t, []string{"A", "B"}, r.Fields())
	type pair struct{ A, B int }
	require.Equal(t, []string{"ltfield: must be less than B"}, told(func(report func(string, string)) {
		r.CheckFields(reflect.ValueOf(1), reflect.ValueOf(pair{1, 1}), report, "A")
	}))
}

func TestOptional(t *testing.T) {
	value, ok := rules.Optional(reflect.TypeFor[optional[int]]())
	require.True(t, ok)
	require.Equal(t, reflect.TypeFor[int](), value)
	for _, of := range []any{0, struct{ Set, Null, Value bool }{}, struct {
		optional[int]
		More int
	}{}} {
		_, ok := rules.Optional(reflect.TypeOf(of))
		require.False(t, ok)
	}
}

// The limits that need no validator hold where they hold there.
func TestBoundProperty(t *testing.T) {
	v := validator.New()
	rapid.Check(t, func(t *rapid.T) {
		rule := rapid.SampledFrom([]string{"min", "max", "len", "gt", "gte", "lt", "lte"}).Draw(t, "rule")
		limit := rapid.IntRange(0, 4).Draw(t, "limit")
		var value any
		switch rapid.IntRange(0, 5).Draw(t, "type") {
		case 0:
			value = rapid.StringN(0, 6, -1).Draw(t, "text")
		case 1:
			value = rapid.IntRange(-2, 6).Draw(t, "int")
		case 2:
			value = rapid.Uint8Range(0, 6).Draw(t, "uint")
		case 3:
			value = rapid.Float64Range(-2, 6).Draw(t, "float")
		case 4:
			rule = rapid.SampledFrom([]string{rule, "eq", "ne"}).Draw(t, "rule of a list")
			value = make([]int, rapid.IntRange(0, 6).Draw(t, "list"))
		case 5:
			value = time.Duration(rapid.IntRange(-2, 6).Draw(t, "duration"))
		}
		tag := fmt.Sprintf("%s=%d", rule, limit)
		r, err := rules.Compile(reflect.TypeOf(value), tag)
		require.NoError(t, err)
		broken := told(func(report func(string, string)) { r.Check(reflect.ValueOf(value), report) }) != nil
		require.Equal(t, v.Var(value, tag) != nil, broken, "%s %v", tag, value)
	})
}

// The rules of most tags allocate nothing.
func TestCheckAllocatesNothing(t *testing.T) {
	value := "Alice"
	r, err := rules.Compile(reflect.TypeFor[string](), "required,min=1,max=100")
	require.NoError(t, err)
	v := reflect.ValueOf(&value).Elem()
	report := func(code, _ string) { t.Error(code) }
	require.Zero(t, testing.AllocsPerRun(100, func() { r.Check(v, report) }))
}
