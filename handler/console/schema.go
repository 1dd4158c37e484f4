package console

import (
	"net/http"
	"reflect"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/part"
	"github.com/sallyport-go/sallyport/internal/typeschema"
)

// schemaText is the JSON Schema of a body; "": none is known.
func schemaText(input api.Input) string {
	text := input.Schema.JSON
	if text == nil && input.Schema.Type != nil && input.In == api.InJSON {
		err := part.Ask(func() error { text = typeschema.Standalone(input.Schema.Type, typeschema.Read, filled...); return nil })
		if err != nil { // a type that describes itself may panic
			return ""
		}
	}
	return indented(text)
}

// filled are the types that a typed handler fills in itself.
var filled = []reflect.Type{reflect.TypeFor[api.Identity](), reflect.TypeFor[*api.Request](), reflect.TypeFor[*http.Request]()}
