package jsontree_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/jsontree"
)

func TestATreeIsWrittenAsItWasRead(t *testing.T) {
	for _, text := range []string{
		`{"b":1,"a":{"z":[],"y":{}},"c":[1.50,1e400,12345678901234567890,"<&>\u2028",true,null]}`,
		`"text"`, `null`, `-0`, `[]`, `{}`,
	} {
		tree, err := jsontree.Parse([]byte(text))
		require.NoError(t, err)
		written, err := jsontree.Append(nil, tree)
		require.NoError(t, err)
		require.Equal(t, text, string(written))
	}
}

func TestWhatIsNoJSONIsRefused(t *testing.T) {
	for text, why := range map[string]string{
		"":               "unexpected EOF",
		"{":              "unexpected EOF",
		`{"a":1,"a":2}`:  `the member "a" stands twice`,
		"[1":             "unexpected EOF",
		"1 2":            "something stands behind the JSON value",
		"[1,]":           "invalid character ']' looking for beginning of value",
		`{"a":[{"b":1,`:  "unexpected EOF",
		`{"a":{"x":1}]}`: "invalid character ']' after object key:value pair",
	} {
		_, err := jsontree.Parse([]byte(text))
		require.ErrorContains(t, err, why, text)
	}
}

type late struct{ text *string }

func (l late) Late() string { return *l.text }

func TestObjects(t *testing.T) {
	text := "early"
	o := jsontree.Of("a", 1, "nil", nil, "none", (*jsontree.Object)(nil), "empty", []any{}, "late", late{&text}, "null", json.RawMessage("null"))
	text = "late"
	o.Set("a", 2)
	o.Set("gone", true)
	o.Delete("gone")
	o.Delete("never there")
	o.Merge(jsontree.Of("late", jsontree.Of("x", 1), "n", jsontree.Of("y", 1)))
	o.Merge(jsontree.Of("n", jsontree.Of("y", 2, "z", 3)))
	written, err := jsontree.Indented(o)
	require.NoError(t, err)
	require.Equal(t, "{\n  \"a\": 2,\n  \"late\": {\n    \"x\": 1\n  },\n  \"null\": null,\n  \"n\": {\n    \"y\": 2,\n    \"z\": 3\n  }\n}\n", string(written))
	inside, err := json.Marshal([]any{o.Object("n")})
	require.NoError(t, err)
	require.Equal(t, `[{"y":2,"z":3}]`, string(inside))
	require.Empty(t, o.Text("a"))
	require.Equal(t, "s", jsontree.Of("a", "s").Text("a"))
	require.Nil(t, o.Object("a"))
	_, ok := o.Get("gone")
	require.False(t, ok)
}

func TestFrom(t *testing.T) {
	tree, err := jsontree.From(struct {
		B int
		A []string
	}{1, []string{"x"}})
	require.NoError(t, err)
	require.Equal(t, jsontree.Of("B", json.Number("1"), "A", []any{"x"}), tree)
	_, err = jsontree.From(func() {})
	require.Error(t, err)
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a":[1,{"b":null}]}`, `"\ud800"`, `[[[`, `{"":{"":0}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tree, err := jsontree.Parse([]byte(text))
		if err != nil {
			return
		}
		require.True(t, json.Valid([]byte(text)))
		written, err := jsontree.Append(nil, tree)
		require.NoError(t, err)
		again, err := jsontree.Parse(written)
		require.NoError(t, err)
		require.Equal(t, tree, again)
	})
}
