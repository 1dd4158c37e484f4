package sfv_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/sfv"
)

func TestAppendItemWritesValues(t *testing.T) {
	for _, tc := range []struct {
		value sfv.Value
		want  string
	}{
		{sfv.Integer(0), "0"},
		{sfv.Integer(-7), "-7"},
		{sfv.Integer(sfv.MaxInteger), "999999999999999"},
		{sfv.Integer(-sfv.MaxInteger), "-999999999999999"},
		{sfv.Decimal(0), "0.0"},
		{sfv.Decimal(1000), "1.0"},
		{sfv.Decimal(-500), "-0.5"},
		{sfv.Decimal(1050), "1.05"},
		{sfv.Decimal(7), "0.007"},
		{sfv.Decimal(sfv.MaxInteger), "999999999999.999"},
		{sfv.String(""), `""`},
		{sfv.String(`a "b" \ c`), `"a \"b\" \\ c"`},
		{sfv.Token("*a/b:c"), "*a/b:c"},
		{sfv.Bytes(nil), "::"},
		{sfv.Bytes("hello"), ":aGVsbG8=:"},
		{sfv.Boolean(true), "?1"},
		{sfv.Boolean(false), "?0"},
		{sfv.Date(1688169599), "@1688169599"},
		{sfv.DisplayString("fü %\"\n\\"), `%"f%c3%bc %25%22%0a\"`},
	} {
		t.Run(tc.want, func(t *testing.T) {
			text, err := sfv.AppendItem([]byte("before "), sfv.Item{Value: tc.value})
			require.NoError(t, err)
			require.Equal(t, "before "+tc.want, string(text))
		})
	}
}

func TestAppendItemRefuses(t *testing.T) {
	param := func(key string, v sfv.Value) sfv.Item {
		return sfv.Item{Value: sfv.Token("a"), Params: sfv.Params{{Key: key, Value: v}}}
	}
	for _, tc := range []struct {
		name string
		item sfv.Item
		want string
	}{
		{"no value", sfv.Item{}, "sfv: an item or a parameter has no value"},
		{"an integer that is too large", sfv.Item{Value: sfv.Integer(sfv.MaxInteger + 1)}, "sfv: number 1000000000000000 has more than 15 digits"},
		{"an integer that is too small", sfv.Item{Value: sfv.Integer(-sfv.MaxInteger - 1)}, "sfv: number -1000000000000000 has more than 15 digits"},
		{"a decimal that is too large", sfv.Item{Value: sfv.Decimal(sfv.MaxInteger + 1)}, "sfv: decimal 1000000000000000/1000 has more than 12 digits before the point"},
		{"a decimal that is too small", sfv.Item{Value: sfv.Decimal(-sfv.MaxInteger - 1)}, "sfv: decimal -1000000000000000/1000 has more than 12 digits before the point"},
		{"a date that is too large", sfv.Item{Value: sfv.Date(sfv.MaxInteger + 1)}, "sfv: number 1000000000000000 has more than 15 digits"},
		{"a line break in a string", sfv.Item{Value: sfv.String("a\r\nX: y")}, `sfv: string "a\r\nX: y": printable ASCII only`},
		{"a string that is not ASCII", sfv.Item{Value: sfv.String("é")}, `sfv: string "é": printable ASCII only`},
		{"DEL in a string", sfv.Item{Value: sfv.String("\x7f")}, `sfv: string "\x7f": printable ASCII only`},
		{"an empty token", sfv.Item{Value: sfv.Token("")}, `sfv: token "" does not start with a letter or *`},
		{"a token that starts with a digit", sfv.Item{Value: sfv.Token("1a")}, `sfv: token "1a" does not start with a letter or *`},
		{"a token with a space", sfv.Item{Value: sfv.Token("a b")}, `sfv: token "a b" has a character that no token has`},
		{"a display string that is not UTF-8", sfv.Item{Value: sfv.DisplayString("\xff")}, `sfv: display string "\xff" is not UTF-8`},
		{"an empty key", param("", sfv.Integer(1)), `sfv: key "" does not start with a-z or *`},
		{"an upper-case key", param("Q", sfv.Integer(1)), `sfv: key "Q": a-z, 0-9, _, -, . and * only`},
		{"a key that starts with a digit", param("1", sfv.Integer(1)), `sfv: key "1" does not start with a-z or *`},
		{"a parameter without a value", param("q", nil), "sfv: an item or a parameter has no value"},
		{"a fault in a parameter", param("q", sfv.Token("")), `sfv: token "" does not start with a letter or *`},
		{
			"a parameter that stands twice",
			sfv.Item{Value: sfv.Token("a"), Params: sfv.Params{{Key: "q", Value: sfv.Integer(1)}, {Key: "q", Value: sfv.Integer(2)}}},
			`sfv: parameter "q" stands twice`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text, err := sfv.AppendItem([]byte("before"), tc.item)
			require.EqualError(t, err, tc.want)
			require.Equal(t, "before", string(text))

			text, err = sfv.AppendList([]byte("before"), sfv.List{sfv.Item{Value: sfv.Integer(1)}, sfv.InnerList{Items: []sfv.Item{tc.item}}})
			require.EqualError(t, err, tc.want)
			require.Equal(t, "before", string(text))
		})
	}
}

func TestAppendListWritesMembers(t *testing.T) {
	params := sfv.Params{{Key: "m", Value: sfv.Boolean(true)}, {Key: "n", Value: sfv.Boolean(false)}, {Key: "z", Value: sfv.Bytes("a")}}
	for _, tc := range []struct {
		name string
		list sfv.List
		want string
	}{
		{"an empty list is no text", nil, ""},
		{"items", sfv.List{sfv.Item{Value: sfv.String("a"), Params: params}, sfv.Item{Value: sfv.Token("b")}}, `"a";m;n=?0;z=:YQ==:, b`},
		{
			"inner lists",
			sfv.List{sfv.InnerList{}, sfv.InnerList{Items: []sfv.Item{{Value: sfv.Token("a")}, {Value: sfv.Token("b"), Params: params}}, Params: params}},
			"(), (a b;m;n=?0;z=:YQ==:);m;n=?0;z=:YQ==:",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text, err := sfv.AppendList(nil, tc.list)
			require.NoError(t, err)
			require.Equal(t, tc.want, string(text))
		})
	}
}

func TestAppendListRefuses(t *testing.T) {
	bad := sfv.Params{{Key: "Q", Value: sfv.Integer(1)}}
	for _, tc := range []struct {
		name string
		list sfv.List
		want string
	}{
		{"a nil member", sfv.List{nil}, "sfv: a list has a nil member"},
		{"a fault in an inner list's parameters", sfv.List{sfv.InnerList{Params: bad}}, `sfv: key "Q": a-z, 0-9, _, -, . and * only`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text, err := sfv.AppendList([]byte("before"), tc.list)
			require.EqualError(t, err, tc.want)
			require.Equal(t, "before", string(text))
		})
	}
}

func TestAppendDoesNotAllocate(t *testing.T) {
	buf := make([]byte, 0, 128)
	data := []byte("hello")
	require.Zero(t, testing.AllocsPerRun(100, func() {
		dst, _ := sfv.AppendString(buf, `a"b\c`)
		dst, _ = sfv.AppendKey(append(dst, ';'), "q")
		dst, _ = sfv.AppendInteger(append(dst, '='), 100)
		_ = sfv.AppendBytes(dst, data)
	}))
}
