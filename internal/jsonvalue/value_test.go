package jsonvalue_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/jsonvalue"
)

// The tags of a field that is the whole text say of it what those of a member say.
func TestValueBinder(t *testing.T) {
	atLeast1 := func(pointer string) jsonvalue.Fault { return jsonvalue.Fault{pointer, "min", "must be at least 1"} }
	five := 5
	for _, row := range []struct {
		of     any // what is read, without faults
		tag    reflect.StructTag
		text   string
		faults []jsonvalue.Fault
	}{
		{5, `validate:"min=1"`, `5`, nil},
		{0, `validate:"min=1"`, `0`, []jsonvalue.Fault{atLeast1("")}},
		{&five, `validate:"min=1"`, `5`, nil},
		{(*int)(nil), `validate:"required,min=1"`, `null`, nil},
		{&five, `validate:"min=1"`, `0`, []jsonvalue.Fault{atLeast1("")}},
		{opt[int]{Set: true, Value: 5}, `validate:"min=1"`, `5`, nil},
		{opt[int]{}, `validate:"min=1"`, `0`, []jsonvalue.Fault{atLeast1("")}},
		{"a", `enum:"a,b"`, `"a"`, nil},
		{"", `enum:"a,b"`, `"c"`, []jsonvalue.Fault{{"", "enum", "must be one of: a, b"}}},
		{[]string{}, `enum:"a,b" validate:"max=1"`, `["a","c"]`, []jsonvalue.Fault{
			{"", "max", "must have at most 1 item"}, {"/1", "enum", "must be one of: a, b"},
		}},
		{map[string][]int{}, `validate:"max=0,dive,keys,max=1,endkeys,max=1,dive,min=1"`, `{"a/b":[0,1]}`, []jsonvalue.Fault{
			{"", "max", "must have at most 0 items"},
			{"/a~1b", "max", "must be at most 1 character long"},
			{"/a~1b", "max", "must have at most 1 item"},
			atLeast1("/a~1b/0"),
		}},
		{struct {
			A int `json:"a"`
		}{}, ``, `{"a":"x"}`, []jsonvalue.Fault{wrong("/a", "integer")}},
	} {
		b, err := jsonvalue.NewValueBinder(reflect.TypeOf(row.of), row.tag, jsonvalue.Options{})
		require.NoError(t, err)
		d, _ := jsonvalue.Parse([]byte(row.text), jsonvalue.Limits{})
		dst := reflect.New(reflect.TypeOf(row.of)).Elem()
		require.Equal(t, row.faults, b.Bind(d, dst), "%s %s", row.tag, row.text)
		if row.faults == nil {
			require.Equal(t, row.of, dst.Interface())
		}
	}
}

func TestValueBinderDefault(t *testing.T) {
	for _, row := range []struct {
		of  any
		tag reflect.StructTag
		ok  bool
	}{
		{7, `default:"7"`, true},
		{[]string{"a", "b"}, `default:"a,b"`, true},
		{[]string{}, `default:""`, true},
		{map[string]int{"a": 1}, `default:"{\"a\":1}"`, true},
		{0, ``, false},
	} {
		b, err := jsonvalue.NewValueBinder(reflect.TypeOf(row.of), row.tag, jsonvalue.Options{})
		require.NoError(t, err)
		dst := reflect.New(reflect.TypeOf(row.of)).Elem()
		require.Equal(t, row.ok, b.Default(dst))
		require.Equal(t, row.of, dst.Interface())
	}
}

func TestValueBinderMistakes(t *testing.T) {
	for _, row := range []struct {
		of   any
		tag  reflect.StructTag
		want string
	}{
		{0, `validate:"email"`, `rule "email" does not fit the type int`},
		{0, `validate:"required" default:"1"`, `a required field has no default`},
		{0, `validate:"min=1" default:"0"`, `default "0": must be at least 1`},
		{0, `enum:"1, 2"`, `int: enum "1, 2": drop the spaces around " 2"`},
		{"", `format:"date"`, `string: format "date": only time.Time has formats`},
		{(chan int)(nil), ``, `chan int: JSON is not read as chan int`},
	} {
		_, err := jsonvalue.NewValueBinder(reflect.TypeOf(row.of), row.tag, jsonvalue.Options{})
		require.EqualError(t, err, row.want)
	}
}
