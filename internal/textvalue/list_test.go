package textvalue_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/textvalue"
)

// mute reads itself, and does not write itself; String is for people.
type mute struct{ text string }

func (m *mute) UnmarshalText(text []byte) error { m.text = string(text); return nil }
func (m mute) String() string                   { return "***" }

// masked writes something else than it has read.
type masked struct{ text string }

func (m *masked) UnmarshalText(text []byte) error { m.text = string(text); return nil }
func (m masked) MarshalText() ([]byte, error)     { return []byte("***"), nil }

func TestSplit(t *testing.T) {
	for _, row := range []struct {
		list string
		want []string
		err  string
	}{
		{"", nil, ""},
		{"a", []string{"a"}, ""},
		{"a,b", []string{"a", "b"}, ""},
		{"a,,b", []string{"a", "", "b"}, ""},
		{"a b,c", []string{"a b", "c"}, ""},
		{"asc, desc", nil, `drop the spaces around " desc"`},
		{"asc ,desc", nil, `drop the spaces around "asc "`},
		{"\tasc", nil, `drop the spaces around "\tasc"`},
	} {
		got, err := textvalue.Split(row.list)
		require.Equal(t, row.want, got)
		if row.err != "" {
			require.EqualError(t, err, row.err)
		} else {
			require.NoError(t, err)
		}
	}
}

func TestEnum(t *testing.T) {
	for _, row := range []struct {
		format string
		tag    string
		good   []any
		bad    []any
	}{
		{"", "asc,desc", []any{"asc", "desc"}, []any{"", " desc", "ASC"}},
		{"", "1,2", []any{1, 2}, []any{0, 3}},
		{"", "ab", []any{pair{"a", "b"}}, []any{pair{"a", "c"}, pair{}}},
		{"date", "2024-02-29", []any{time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)}, []any{time.Time{}}},
	} {
		c, err := textvalue.New(reflect.TypeOf(row.good[0]), row.format)
		require.NoError(t, err)
		require.True(t, c.CanWrite())
		e, err := c.Enum(row.tag)
		require.NoError(t, err)
		for _, v := range row.good {
			require.True(t, e.Has(reflect.ValueOf(v)), "%v", v)
		}
		for _, v := range row.bad {
			require.False(t, e.Has(reflect.ValueOf(v)), "%v", v)
		}
	}
	c, err := textvalue.New(reflect.TypeFor[string](), "")
	require.NoError(t, err)
	e, err := c.Enum("a,b")
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, e.Entries())
	require.Equal(t, "must be one of: a, b", e.Message())
}

func TestEnumMistakes(t *testing.T) {
	for _, row := range []struct {
		of   any
		tag  string
		want string
	}{
		{"", "", `enum "": it allows nothing`},
		{"", "asc, desc", `enum "asc, desc": drop the spaces around " desc"`},
		{0, "1,x", `enum "1,x": it has an entry that is no integer`},
		{mute{}, "low,high", `enum "low,high": the values of textvalue_test.mute are not told apart without a method MarshalText`},
		{masked{}, "low", `enum "low": textvalue_test.masked does not write "low" so that it reads the same again`},
	} {
		c, err := textvalue.New(reflect.TypeOf(row.of), "")
		require.NoError(t, err)
		require.Equal(t, row.of != mute{}, c.CanWrite())
		_, err = c.Enum(row.tag)
		require.EqualError(t, err, row.want)
	}
	c, err := textvalue.New(reflect.TypeFor[mute](), "")
	require.NoError(t, err)
	require.Empty(t, c.Text(reflect.ValueOf(mute{"a"})))
}
