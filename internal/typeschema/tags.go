package typeschema

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/sallyport-go/sallyport/internal/jsontree"
	"github.com/sallyport-go/sallyport/internal/textvalue"
)

// annotate adds what is said beside a value: a description, an example, and what
// stands in for a value that was not sent.
func annotate(node *jsontree.Object, t reflect.Type, tag reflect.StructTag, d Direction) {
	if text := tag.Get("description"); text != "" {
		node.Set("description", text)
	}
	format := ""
	if d == Read { // encoding/json writes every time alike
		format = tag.Get("format")
	}
	if text, ok := tag.Lookup("default"); ok && d == Read {
		if value, ok := parseText(plain(t), format, text); ok {
			node.Set("default", value)
		}
	}
	if text, ok := tag.Lookup("example"); ok {
		if value, ok := parseText(plain(t), format, text); ok {
			node.Set("examples", []any{value})
		}
	}
}

// parseText reads a tag as a value: a text as in a query, several with commas
// between them for a list, and JSON for the rest.
func parseText(t reflect.Type, format, text string) (value any, ok bool) {
	if codec, err := textvalue.New(t, format); err == nil {
		v := reflect.New(t).Elem()
		if !codec.Set(v, text) {
			return nil, false
		}
		return scalarValue(v, codec, text), true
	}
	if t.Kind() == reflect.Slice && !isBytes(t, Read) && !strings.HasPrefix(text, "[") {
		texts, err := textvalue.Split(text)
		list := make([]any, len(texts))
		for i := range texts {
			if list[i], ok = parseText(plain(t.Elem()), format, texts[i]); !ok {
				return nil, false
			}
		}
		return list, err == nil
	}
	if isBytes(t, Read) {
		return text, true
	}
	tree, err := jsontree.Parse([]byte(text))
	return tree, err == nil
}

// scalarValue is a value that was read from a text, as JSON has it.
func scalarValue(v reflect.Value, codec *textvalue.Codec, text string) any {
	switch kind := v.Kind(); {
	case kind == reflect.Bool:
		return v.Bool()
	case v.Type() == durationType:
		return text
	case kind >= reflect.Int && kind <= reflect.Float64, codec.Expected() == "integer":
		return json.Number(codec.Text(v))
	}
	return text
}

// enumerate writes the only values there are.
func enumerate(node *jsontree.Object, t reflect.Type, tr traits) {
	if tr.enum == "" {
		return
	}
	if list, ok := parseText(reflect.SliceOf(t), tr.format, tr.enum); ok {
		node.Set("enum", list)
	}
}
