package param_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler/param"
)

// All parameters are read, whatever is wrong with one.
func TestReadAll(t *testing.T) {
	for name, row := range map[string]struct {
		params []api.Param
		r      *api.Request
		values api.Values
		faults []api.FieldError
	}{
		"sent": {
			[]api.Param{param.Form[string]("a").Required(), param.Query[string]("b").Required(), param.Form[string]("c")},
			func() *api.Request { r := form("POST", "a=1&c=3&d=4"); r.URL.RawQuery = "b=2&e=5"; return r }(),
			api.Values{{Name: "a", Value: "1"}, {Name: "b", Value: "2"}, {Name: "c", Value: "3"}}, nil, // FW-191, FW-192, TC-107
		},
		"not sent": {
			[]api.Param{param.Form[string]("a"), param.Query[string]("b"), param.Form[string]("c")}, form("PUT", ""),
			api.Values{{Name: "a"}, {Name: "b"}, {Name: "c"}}, nil, // FW-191, TC-108
		},
		"wrong": {
			[]api.Param{param.Form[string]("mykey1").Required(), param.Query[string]("mykey2").Required().Allowed("a", "b", "c"), param.Query[int]("n").Validate("min=5,ne=2")}, get("mykey2=x&n=2"),
			api.Values{{Name: "mykey1"}, {Name: "mykey2"}, {Name: "n"}},
			[]api.FieldError{
				{In: "form", Name: "mykey1", Code: "required", Message: "Field is required"},                  // FW-190, TC-105
				{In: "query", Name: "mykey2", Code: "enum", Message: "Field contains not available value(s)"}, // FW-190, TC-106
				{In: "query", Name: "n", Code: "min", Message: "must be at least 5"},                          // FW-237
				{In: "query", Name: "n", Code: "ne", Message: "must not be 2"},                                // FW-190
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			faults, err := read(t, row.r, row.params...)
			require.NoError(t, err)
			require.Equal(t, row.faults, faults)
			require.Equal(t, row.values, row.r.Values)
		})
	}
}

// What a client has sent is in no message.
func TestMessagesDoNotEcho(t *testing.T) { // FW-211
	const secret = "s3cr3t"
	r := get("a=" + secret + "&b=" + secret + "&c=" + secret + "&d[]=" + secret)
	faults, err := read(t, r,
		param.Query[int]("a"), param.Query[string]("b").Allowed("x"), param.Query[string]("c").Validate("email"), param.Query[bool]("d").Multi())
	require.NoError(t, err)
	require.Len(t, faults, 4)
	for _, f := range faults {
		require.NotContains(t, f.Message+f.Code+f.Name, secret)
	}
}

func TestGet(t *testing.T) {
	page := param.Query[int]("page").Default(1)
	limit := param.Query[int]("limit")
	undeclared := param.Query[int]("offset")

	r := get("limit=0")
	_, err := read(t, r, page, limit)
	require.NoError(t, err)
	require.Equal(t, 1, page.Get(r))
	n, ok := limit.Lookup(r)
	require.True(t, ok)
	require.Zero(t, n)

	r = get("")
	_, err = read(t, r, page, limit)
	require.NoError(t, err)
	n, ok = page.Lookup(r)
	require.True(t, ok)
	require.Equal(t, 1, n)
	n, ok = limit.Lookup(r)
	require.False(t, ok)
	require.Zero(t, n)
	require.Zero(t, limit.Get(r))
	require.Panics(t, func() { undeclared.Get(r) })
}

// One declaration serves several handlers at once, whoever reads it first.
func TestSharedParameter(t *testing.T) {
	x := param.Query[int]("x").Default(5).Validate("max=9")
	list := param.Query[int]("y").Multi().Default(1, 2)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			r := get("x=" + strings.Repeat("7", i%3))
			got, err := x.Read(r)
			switch want := []any{5, 7, nil}[i%3]; {
			case got != want, (err != nil) != (want == nil):
				t.Errorf("%v, %v", got, err)
			}
			values, err := list.Read(r)
			if ints, ok := values.([]int); err != nil || !ok || len(ints) != 2 || ints[0] != 1 {
				t.Errorf("%v, %v", values, err)
			} else {
				ints[0] = 8 // its own
			}
		})
	}
	group.Wait()
}
