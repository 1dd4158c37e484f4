package api_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
)

func TestOpt(t *testing.T) { // peer-fw 35
	type user struct {
		Email api.Opt[string] `json:"email,omitzero"`
	}
	for text, want := range map[string]struct {
		email api.Opt[string]
		value string
		there bool
	}{
		`{}`:              {api.Opt[string]{}, "", false},
		`{"email":null}`:  {api.Null[string](), "", false},
		`{"email":""}`:    {api.Some(""), "", true},
		`{"email":"a@b"}`: {api.Some("a@b"), "a@b", true},
	} {
		var u user
		require.NoError(t, json.Unmarshal([]byte(text), &u))
		require.Equal(t, want.email, u.Email)
		value, there := u.Email.Get()
		require.Equal(t, want.value, value)
		require.Equal(t, want.there, there)
		back, err := json.Marshal(u)
		require.NoError(t, err)
		require.Equal(t, text, string(back))
	}
	require.Error(t, json.Unmarshal([]byte(`{"email":1}`), &user{}))
	require.Equal(t, reflect.TypeFor[string](), api.Opt[string]{}.OptionalType())
	text, err := json.Marshal(api.Opt[int]{})
	require.NoError(t, err)
	require.Equal(t, "null", string(text))
}

func TestParamValue(t *testing.T) {
	r := &api.Request{Values: api.Values{{Name: "page", Value: 2}, {Name: "sort"}}}
	page, ok := api.ParamValue[int](r, "page")
	require.Equal(t, 2, page)
	require.True(t, ok)
	sort, ok := api.ParamValue[string](r, "sort")
	require.Empty(t, sort)
	require.False(t, ok)
	require.Equal(t, 2, r.Values.Get("page"))
	require.Nil(t, r.Values.Get("other"))
	require.PanicsWithValue(t, `api: the parameter "page" is a int, not a string`, func() { api.ParamValue[string](r, "page") })
	require.PanicsWithValue(t, `api: the parameter "other" was not read: the handler's description does not have it`, func() { api.ParamValue[string](r, "other") })
}
