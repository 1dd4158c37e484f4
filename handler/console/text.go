package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/part"
	"github.com/sallyport-go/sallyport/internal/textvalue"
)

// valueText is a value as a client sends it. valueType is the word for its type.
func valueText(valueType string, value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case []byte:
		return string(v)
	}
	v := reflect.ValueOf(value)
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	for _, format := range []string{"", "date", "unix"} { // only times have formats
		codec, err := textvalue.New(v.Type(), format)
		if err == nil && codec.CanWrite() && codec.Expected() == valueType {
			if text, ok := written(codec, v); ok {
				return text
			}
		}
	}
	return fmt.Sprint(value)
}

// written is the text of a value whose own method may panic.
func written(codec *textvalue.Codec, v reflect.Value) (text string, ok bool) {
	err := part.Ask(func() error { text = codec.Text(v); return nil })
	return text, err == nil
}

// bodyText is a value as it stands in a body.
func bodyText(input api.Input, value any) string {
	var text []byte
	switch v := value.(type) {
	case json.RawMessage:
		text = v
	case []byte:
		text = v
	case string:
		if text = []byte(v); input.In == api.InJSON && !isComposite(text) {
			text, _ = json.Marshal(v) // a text can be encoded
		}
	default:
		err := part.Ask(func() (err error) { text, err = json.Marshal(value); return err })
		if err != nil {
			return ""
		}
	}
	if input.In != api.InJSON {
		return string(text)
	}
	return indented(text)
}

// isComposite reports whether text is an object or a list of JSON, as examples are
// often written.
func isComposite(text []byte) bool {
	trimmed := bytes.TrimSpace(text)
	return len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') && json.Valid(trimmed)
}

func indented(text []byte) string {
	var out bytes.Buffer
	if json.Indent(&out, text, "", "    ") != nil {
		return string(text)
	}
	return out.String()
}
