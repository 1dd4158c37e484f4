package api

import (
	"encoding/json"
	"reflect"
)

// Describer is a [Handler] that describes itself: to the presenter, which reads
// its parameters and checks its answers, and to everything that documents a
// program. Describe is asked once, when the program is built.
type Describer interface {
	Describe() Description
}

// Description is what a handler says of itself. The zero value says nothing, and
// a handler that says nothing takes what it likes and answers what it likes.
type Description struct {
	Summary     string // one line
	Description string // more than one; CommonMark
	Tags        []string
	Deprecated  bool

	// Params are read and checked by the presenter before the handler is called,
	// which finds their values in [Request.Values]. No two have one name.
	Params []Param

	// Inputs are what the handler reads by itself, for documents alone.
	Inputs []Input

	// Outputs are the answers of the handler, failures aside. The presenter checks
	// answers by them where the configuration says so. None: it may answer anything.
	Outputs []Output

	// Failures are the statuses, 400 to 599, of the errors that the handler itself
	// returns, such as 404 or 409, for documents alone. Their bodies are those of the
	// error handler. What the program around the handler answers need not be said.
	Failures []int
}

// Example is an example of a value.
type Example struct {
	Name  string // "": "default"
	Value any
}

// Schema says what a value looks like. The zero Schema is any value.
type Schema struct {
	JSON json.RawMessage // a JSON Schema, 2020-12 unless it says otherwise
	Type reflect.Type    // the Go type that it is decoded into or encoded from; JSON, where there is one, goes over it
}
