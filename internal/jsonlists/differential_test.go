package jsonlists_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sallyport-go/sallyport/internal/jsonlists"
)

type pointerText struct{ L []int }

func (*pointerText) MarshalText() ([]byte, error) { return []byte("text"), nil }

// maybe says itself whether it is zero.
type maybe struct {
	Set bool
	L   []int
}

func (m maybe) IsZero() bool { return !m.Set }

type pointerMaybe struct {
	Set bool
	L   []int
}

func (m *pointerMaybe) IsZero() bool { return !m.Set }

type low struct {
	Low  []int
	Same []int
	Both []int `json:"both"`
}

type other struct {
	low
	Other map[string][]int
	Both  []int `json:"both"`
	Same  []int
}

type third struct {
	low
	Third []int `json:"Same"`
}

type Shown struct {
	Shown []int `json:"shown,omitempty"`
	Time  time.Time
}

type named struct{ Named []int }

type animal struct {
	other
	*third
	Shown
	named  `json:"named"`
	*maybe `json:"maybe"`

	Int     int64        `json:"int,string"`
	Float   *float64     `json:",string"`
	Bool    bool         `json:"b,omitempty,string"`
	Text    string       `json:"t<>&,string"`
	Number  json.Number  `json:"n,string,omitempty"`
	Strings []string     `json:"strings,string"` //nolint:staticcheck // encoding/json ignores the option
	Own     pointerOwn   `json:"own"`
	Owns    []pointerOwn `json:",omitempty"`
	OwnMap  map[int]pointerOwn
	OwnAt   *pointerOwn `json:"own\"at"` //nolint:staticcheck // encoding/json ignores the name
	Texts   [2]pointerText
	TextMap map[pair]pointerText `json:"-,"` //nolint:staticcheck // that is its name
	Hidden  []int                `json:"-"`
	Zero    maybe                `json:"zero,omitzero"`
	Zeros   pointerMaybe         `json:"zeros,omitzero"`
	ZeroAt  *maybe               `json:"zeroAt,omitzero"`
	Empty   [0][]int             `json:"empty,omitempty"`
	Struct  struct{ L []int }    `json:"struct,omitempty"`
	Raw     json.RawMessage
	Bytes   []byte
	Any     any
	Anys    []any
	Point   **[]int
	Kids    []*animal
	KidMap  map[string]animal `json:",omitzero"`
	unseen  []int
}

// pair is a key that writes itself.
type pair struct{ A, B bool }

func (p pair) MarshalText() ([]byte, error) {
	return json.Marshal([]bool{p.A, p.B}) //nolint:wrapcheck // it does not fail
}

// fill draws a value, and the same with empty lists in place of nil ones.
func fill(t *rapid.T, v, full reflect.Value, depth int) {
	if !v.CanSet() { // an embedded pointer of an unexported type
		v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
		full = reflect.NewAt(full.Type(), unsafe.Pointer(full.UnsafeAddr())).Elem()
	}
	size := func() int { return rapid.IntRange(0, max(0, min(depth, 2))).Draw(t, "size") }
	switch typ := v.Type(); v.Kind() {
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
		full.Set(v)
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.Int64Range(-1, 1).Draw(t, "int"))
		full.Set(v)
	case reflect.Uint8:
		v.SetUint(7)
		full.Set(v)
	case reflect.Float64:
		v.SetFloat(rapid.SampledFrom([]float64{0, 1.5, 1e30}).Draw(t, "float"))
		full.Set(v)
	case reflect.String:
		texts := []string{"", `<"&\`, "é\u2028"}
		if typ == reflect.TypeFor[json.Number]() {
			texts = []string{"", "1.50"}
		}
		v.SetString(rapid.SampledFrom(texts).Draw(t, "text"))
		full.Set(v)
	case reflect.Interface:
		choices := []any{nil, 1, "a", []int(nil), map[string]any(nil), low{}, &low{}, owner{}, &owner{}, other{}, &other{}, []third{{}}, map[string]named{"a": {}}}
		if choice := rapid.SampledFrom(choices).Draw(t, "any"); choice != nil {
			inner, fullInner := reflect.New(reflect.TypeOf(choice)).Elem(), reflect.New(reflect.TypeOf(choice)).Elem()
			fill(t, inner, fullInner, depth)
			v.Set(inner)
			full.Set(fullInner)
		}
	case reflect.Pointer:
		if depth > 0 && rapid.Bool().Draw(t, "there") {
			v.Set(reflect.New(typ.Elem()))
			full.Set(reflect.New(typ.Elem()))
			fill(t, v.Elem(), full.Elem(), depth-1)
		}
	case reflect.Slice:
		if typ == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes(rapid.SampledFrom([][]byte{nil, []byte("null"), []byte("[ null ]")}).Draw(t, "raw"))
			full.Set(v)
			return
		}
		n := size()
		full.Set(reflect.MakeSlice(typ, n, n))
		if n > 0 || rapid.Bool().Draw(t, "empty") {
			v.Set(reflect.MakeSlice(typ, n, n))
		}
		for i := range n {
			fill(t, v.Index(i), full.Index(i), depth-1)
		}
	case reflect.Map:
		n := size()
		full.Set(reflect.MakeMap(typ))
		if n > 0 || rapid.Bool().Draw(t, "empty") {
			v.Set(reflect.MakeMap(typ))
		}
		for range n {
			key, same := reflect.New(typ.Key()).Elem(), reflect.New(typ.Key()).Elem()
			elem, fullElem := reflect.New(typ.Elem()).Elem(), reflect.New(typ.Elem()).Elem()
			fill(t, key, same, 0)
			fill(t, elem, fullElem, depth-1)
			v.SetMapIndex(key, elem)
			full.SetMapIndex(key, fullElem)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(t, v.Index(i), full.Index(i), depth-1)
		}
	case reflect.Struct:
		if typ == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			fill(t, v.Field(i), full.Field(i), depth-1)
			if strings.Contains(string(typ.Field(i).Tag), "omitzero") && v.Field(i).IsZero() {
				full.Field(i).Set(v.Field(i)) // nil is left out, and an empty list is not
			}
		}
	}
}

// What is written is what encoding/json writes for the value with empty lists in
// place of the nil ones, and the value itself stays as it is.
func TestListsDifferential(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var v, full animal
		fill(t, reflect.ValueOf(&v).Elem(), reflect.ValueOf(&full).Elem(), 4)
		_ = v.unseen
		before := written(t, v)
		for _, both := range [][2]any{
			{v, full},
			{&v, &full},
			{[]animal{v}, []animal{full}},
			{[1]*animal{&v}, [1]*animal{&full}},
			{map[string]animal{"a": v}, map[string]animal{"a": full}},
			{struct{ *animal }{&v}, struct{ *animal }{&full}},
			{struct{ animal }{v}, struct{ animal }{full}},
			{any(&[]any{v, &v}), any(&[]any{full, &full})},
		} {
			require.Equal(t, written(t, both[1]), written(t, jsonlists.Lists(both[0])))
		}
		require.Equal(t, before, written(t, v))
	})
}
