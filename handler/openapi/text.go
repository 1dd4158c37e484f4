package openapi

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/jsontree"
	"github.com/sallyport-go/sallyport/internal/typeschema"
)

// textSchema is the schema of a value that is read from text: a parameter, or a
// field of a form. Several are an array of such values.
func textSchema(input api.Input) *jsontree.Object {
	schema := given(input)
	value := schema
	switch {
	case schema == nil:
		value = valueSchema(input)
		if schema = value; input.Multi {
			schema = jsontree.Of("type", "array", "items", value)
		}
	case input.Multi:
		if items := schema.Object("items"); items != nil {
			value = items
		}
	}
	var allowed []any
	for _, a := range input.Allowed {
		allowed = append(allowed, textValue(a.Value, input))
	}
	value.Add("enum", allowed)
	if input.Default != nil {
		schema.Set("default", textValue(input.Default, input))
	}
	return schema
}

// given is the JSON Schema that the input brings along; nil without one.
func given(input api.Input) *jsontree.Object {
	tree, err := jsontree.Parse(input.Schema.JSON)
	if err != nil {
		return nil
	}
	schema, _ := tree.(*jsontree.Object)
	return schema
}

var timeType = reflect.TypeFor[time.Time]()

// valueSchema is that of one value.
func valueSchema(input api.Input) *jsontree.Object {
	schema := &jsontree.Object{}
	switch input.Type {
	case "integer", "boolean", "string":
		schema.Set("type", input.Type)
	case "float", "number":
		schema.Set("type", "number")
	case "date-time", "date", "duration":
		schema.Set("type", "string")
		if input.Type != "duration" { // Go's is not that of ISO 8601
			schema.Set("format", input.Type)
		}
	default:
		schema.Set("type", "string")
	}
	if input.Type == "" || input.Type == "string" || input.Schema.Type == nil || input.Schema.Type == timeType {
		return schema
	}
	tree, err := jsontree.Parse(typeschema.Text(input.Schema.Type, nil, ""))
	if own, ok := tree.(*jsontree.Object); ok && err == nil && own.Text("type") == schema.Text("type") { // it may say more, such as the range of an int8
		return own
	}
	return schema
}

// textValue is a value as JSON, in the form of the text that a client sends.
func textValue(v any, input api.Input) any {
	if list := reflect.ValueOf(v); input.Multi && list.Kind() == reflect.Slice {
		values := []any{}
		for i := range list.Len() {
			values = append(values, textValue(list.Index(i).Interface(), input))
		}
		return values
	}
	switch v := v.(type) {
	case time.Time:
		return timeValue(v, input.Type)
	case time.Duration:
		return v.String()
	case encoding.TextMarshaler:
		if text, err := v.MarshalText(); err == nil {
			return string(text)
		}
	}
	if tree, err := jsontree.From(v); err == nil {
		return tree
	}
	return fmt.Sprint(v)
}

// timeValue writes a time in its format, which the word for its type tells.
func timeValue(t time.Time, word string) any {
	switch word {
	case "date":
		return t.Format(time.DateOnly)
	case "integer":
		return json.Number(strconv.FormatInt(t.Unix(), 10))
	}
	if quoted, ok := strings.CutPrefix(word, "time in the layout "); ok {
		if layout, err := strconv.Unquote(quoted); err == nil {
			return t.Format(layout)
		}
	}
	return t.Format(time.RFC3339Nano)
}

// textOf is a value as a client sends it.
func textOf(v any, input api.Input) string {
	switch v := textValue(v, input).(type) {
	case string:
		return v
	default:
		return fmt.Sprint(v)
	}
}

func textExamples(input api.Input) []api.Example {
	examples := make([]api.Example, len(input.Examples))
	for i, e := range input.Examples {
		examples[i] = api.Example{Name: e.Name, Value: textValue(e.Value, input)}
	}
	return examples
}

// addExamples writes one example as it is, and several with their names.
func addExamples(to *jsontree.Object, examples []api.Example) {
	if len(examples) == 1 {
		to.Set("example", exampleValue(examples[0].Value))
		return
	}
	named := &jsontree.Object{}
	for _, e := range examples {
		name := e.Name
		if name == "" {
			name = "default"
		}
		key := name
		for n := 2; hasMember(named, key); n++ {
			key = name + strconv.Itoa(n)
		}
		named.Set(key, jsontree.Of("value", exampleValue(e.Value)))
	}
	if len(named.Members) > 0 {
		to.Set("examples", named)
	}
}

func hasMember(o *jsontree.Object, name string) bool {
	_, ok := o.Get(name)
	return ok
}

// exampleValue is a value as a tree; what JSON does not have is left as a text.
func exampleValue(v any) any {
	if tree, err := jsontree.From(v); err == nil {
		if tree == nil {
			return json.RawMessage("null")
		}
		return tree
	}
	return fmt.Sprint(v)
}
