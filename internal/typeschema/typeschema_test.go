package typeschema_test

import (
	"encoding/json"
	"math/big"
	"net/http"
	"net/netip"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/jsontree"
	"github.com/sallyport-go/sallyport/internal/typeschema"
)

type opt[T any] struct {
	Set, Null bool
	Value     T
}

func (opt[T]) OptionalType() reflect.Type     { return reflect.TypeFor[T]() }
func (o opt[T]) MarshalJSON() ([]byte, error) { return json.Marshal(o.Value) }

type own struct{}

func (own) JSONSchema() json.RawMessage  { return json.RawMessage(`{"type":"string","pattern":"^x"}`) }
func (own) MarshalJSON() ([]byte, error) { return []byte(`"x"`), nil }

type needy struct{ p *int }

func (n needy) JSONSchema() json.RawMessage {
	*n.p = 1
	return nil
}

type list []string

func TestTypes(t *testing.T) {
	for _, tc := range []struct {
		of            any
		read, written string // "": as it is read
	}{
		{false, `{"type":"boolean"}`, ""},
		{"", `{"type":"string"}`, ""},
		{0, `{"type":"integer","format":"int64"}`, ""},
		{int32(0), `{"type":"integer","format":"int32"}`, ""},
		{int8(0), `{"type":"integer","minimum":-128,"maximum":127}`, ""},
		{uint16(0), `{"type":"integer","minimum":0,"maximum":65535}`, ""},
		{uint64(0), `{"type":"integer","minimum":0}`, ""},
		{float32(0), `{"type":"number","format":"float"}`, ""},
		{0.5, `{"type":"number","format":"double"}`, ""},
		{json.Number(""), `{"type":"number"}`, ""},
		{json.RawMessage(nil), `{}`, ""},
		{[]byte(nil), `{"type":"string","contentEncoding":"base64"}`, ""},
		{time.Time{}, `{"type":"string","format":"date-time"}`, ""},
		{time.Duration(0), `{"type":["string","integer"],"description":"A duration such as 1m30s, or nanoseconds."}`,
			`{"type":"integer","format":"int64","description":"Nanoseconds."}`},
		{big.Int{}, `{"type":"integer"}`, ""},
		{netip.Addr{}, `{"type":"string","format":"ip"}`, ""},
		{netip.Prefix{}, `{"type":"string"}`, ""},
		{own{}, `{"type":"string","pattern":"^x"}`, ""},
		{needy{}, `{}`, ""},
		{[]any{}, `{"type":"array","items":{}}`, ""},
		{[2]int{}, `{"type":"array","items":{"type":"integer","format":"int64"},"minItems":2,"maxItems":2}`, ""},
		{map[string]bool{}, `{"type":"object","additionalProperties":{"type":"boolean"}}`, ""},
		{(*string)(nil), `{"type":["string","null"]}`, ""},
		{(**string)(nil), `{"type":["string","null"]}`, ""},
		{(*any)(nil), `{}`, ""},
		{(*list)(nil), `{"anyOf":[{"$ref":"#/$defs/List"},{"type":"null"}],"$defs":{"List":{"type":"array","items":{"type":"string"}}}}`, ""},
		{opt[int]{}, `{"type":["integer","null"],"format":"int64"}`, ""},
		{struct{}{}, `{"type":"object"}`, ""},
	} {
		typ := reflect.TypeOf(tc.of)
		require.Equal(t, tc.read, string(typeschema.Standalone(typ, typeschema.Read)), "%v", typ)
		if tc.written == "" {
			tc.written = tc.read
		}
		require.Equal(t, tc.written, string(typeschema.Standalone(typ, typeschema.Written)), "%v", typ)
	}
}

type base struct {
	ID int `json:"id"`
}

type Link struct {
	Next *Link `json:"next,omitempty"`
}

func TestMembers(t *testing.T) {
	type body struct {
		base
		Name    string            `json:"name" validate:"required,min=1,max=20" description:"who" example:"Ada"`
		Age     *int              `json:"age,omitempty" validate:"gte=0,lt=150"`
		Kind    string            `json:"kind" enum:"a,b" default:"a"`
		Kinds   []string          `json:"kinds" validate:"max=3,unique,dive,oneof=x 'y z'" default:"x"`
		Words   map[string]string `json:"words,omitzero" validate:"min=1,dive,keys,alpha,endkeys,email"`
		Born    time.Time         `json:"born" format:"date"`
		Seen    time.Time         `json:"seen" format:"unix" default:"0"`
		Later   time.Time         `json:"later" format:"15:04"`
		Limit   uint8             `json:"limit" default:"0"`
		Ratio   uint              `json:"ratio" validate:"oneof=5 1"`
		Empty   string            `json:"empty" validate:"omitempty,min=3"`
		Either  string            `json:"either" validate:"url|email"`
		Opt     opt[string]       `json:"opt,omitzero" validate:"startswith=a.b"`
		Quoted  int               `json:"quoted,string"`
		Chain   *Link             `json:"chain"`
		Hidden  string            `json:"-"`
		Request *http.Request
	}
	typ := reflect.TypeFor[body]()
	request := reflect.TypeFor[*http.Request]()
	require.JSONEq(t, `{"type":"object","required":["name"],"properties":{
		"id":{"type":"integer","format":"int64"},
		"name":{"type":"string","minLength":1,"maxLength":20,"description":"who","examples":["Ada"]},
		"age":{"type":["integer","null"],"format":"int64","minimum":0,"exclusiveMaximum":150},
		"kind":{"type":"string","enum":["a","b"],"default":"a"},
		"kinds":{"type":"array","items":{"type":"string","enum":["x","y z"]},"maxItems":3,"uniqueItems":true,"default":["x"]},
		"words":{"type":"object","minProperties":1,"propertyNames":{"type":"string","pattern":"^[a-zA-Z]+$"},"additionalProperties":{"type":"string","format":"email"}},
		"born":{"type":"string","format":"date"},
		"seen":{"type":"integer","format":"int64","description":"Seconds since 1970.","default":0},
		"later":{"type":"string","description":"A time such as 15:04."},
		"limit":{"type":"integer","minimum":0,"maximum":255,"default":0},
		"ratio":{"type":"integer","minimum":0,"enum":[5,1]},
		"empty":{"type":"string"},
		"either":{"type":"string"},
		"opt":{"type":["string","null"],"pattern":"^a\\.b"},
		"quoted":{"type":"integer","format":"int64"},
		"chain":{"anyOf":[{"$ref":"#/$defs/Link"},{"type":"null"}]}
	},"$defs":{"Link":{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#/$defs/Link"},{"type":"null"}]}}}}}`,
		inline(t, typ, typeschema.Read, request))
	require.JSONEq(t, `{"type":"object","required":["id","name","kind","kinds","born","seen","later","limit","ratio","empty","either","quoted","chain"],"properties":{
		"id":{"type":"integer","format":"int64"},
		"name":{"type":"string","description":"who","examples":["Ada"]},
		"age":{"type":"integer","format":"int64"},
		"kind":{"type":"string","enum":["a","b"]},
		"kinds":{"type":"array","items":{"type":"string"}},
		"words":{"type":"object","additionalProperties":{"type":"string"}},
		"born":{"type":"string","format":"date-time"},
		"seen":{"type":"string","format":"date-time"},
		"later":{"type":"string","format":"date-time"},
		"limit":{"type":"integer","minimum":0,"maximum":255},
		"ratio":{"type":"integer","minimum":0},
		"empty":{"type":"string"},
		"either":{"type":"string"},
		"opt":{"type":["string","null"]},
		"quoted":{"type":"string"},
		"chain":{"anyOf":[{"$ref":"#/$defs/Link"},{"type":"null"}]}
	},"$defs":{"Link":{"type":"object","properties":{"next":{"$ref":"#/$defs/Link"}}}}}`,
		inline(t, typ, typeschema.Written, request))
}

// inline is the definition of the type itself, with the others inside.
func inline(t *testing.T, typ reflect.Type, d typeschema.Direction, filled ...reflect.Type) string {
	t.Helper()
	s := typeschema.NewSet("#/$defs/", filled...)
	s.Type(typ, d)
	all := s.Definitions()
	own := all.Members[0].Value.(*jsontree.Object)
	all.Delete(all.Members[0].Name)
	own.Set("$defs", all)
	data, err := json.Marshal(own)
	require.NoError(t, err)
	return string(data)
}

// The struct of a typed handler has members and what comes from elsewhere.
func TestAnInputHasOnlyItsMembers(t *testing.T) {
	type create struct {
		ID   string `path:"id"`
		Name string `json:"name"`
		Who  struct{ Name string }
	}
	require.JSONEq(t, `{"type":"object","properties":{"name":{"type":"string"}},"$defs":{}}`, inline(t, reflect.TypeFor[create](), typeschema.Read))
}

type Page[T any] struct {
	Items []T `json:"items"`
}

type Book struct {
	Title string `json:"title" validate:"required"`
}

type Draft struct {
	Title string `json:"title"`
}

func TestDefinitionsHaveNamesOfTheirOwn(t *testing.T) {
	other := func() reflect.Type {
		type Book struct{ Other int }
		return reflect.TypeFor[Book]()
	}()
	s := typeschema.NewSet("#/components/schemas/")
	s.Take("Draft")
	for _, typ := range []reflect.Type{reflect.TypeFor[Page[*Book]](), other, reflect.TypeFor[Draft]()} {
		s.Type(typ, typeschema.Written)
		s.Type(typ, typeschema.Read)
	}
	all := s.Definitions()
	var names []string
	for _, m := range all.Members {
		names = append(names, m.Name)
	}
	require.Equal(t, []string{"PageBook", "TypeschematestBook", "PageBookInput", "TypeschematestBook2", "BookInput", "TypeschematestDraft", "DraftInput"}, names)
}

type 節 struct {
	Next *節 `json:"next"`
}

type Kids struct {
	Next  *Kids  `json:"next" enum:"x"`
	Other []Kids `json:"other" validate:"max=3,dive"`
}

type level uint8

func (level) MarshalText() ([]byte, error) { return []byte("L"), nil }
func (*level) UnmarshalText([]byte) error  { return nil }

// Whatever a type is called and whatever its tags say, describing it has an end.
func TestTypesThatHoldThemselves(t *testing.T) {
	for _, d := range []typeschema.Direction{typeschema.Read, typeschema.Written} {
		require.JSONEq(t, `{"$ref":"#/$defs/Type","$defs":{"Type":{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#/$defs/Type"},{"type":"null"}]}}`+
			map[typeschema.Direction]string{typeschema.Read: ``, typeschema.Written: `,"required":["next"]`}[d]+`}}}`,
			string(typeschema.Standalone(reflect.TypeFor[節](), d)))
		require.Contains(t, string(typeschema.Standalone(reflect.TypeFor[Kids](), d)), `"$ref":"#/$defs/Kids"`)
	}
}

func TestBytesWithAFormOfTheirOwnAreAList(t *testing.T) {
	for _, d := range []typeschema.Direction{typeschema.Read, typeschema.Written} {
		require.JSONEq(t, `{"type":"array","items":{"type":"string"}}`, string(typeschema.Standalone(reflect.TypeFor[[]level](), d)))
	}
}
