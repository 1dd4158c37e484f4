package api

import "fmt"

// A Param is a parameter that a handler declares in its [Description]. Package
// handler/param has them for every part of a request. An implementation is
// immutable and safe for concurrent use.
type Param interface {
	// Input describes the parameter. It is asked once, when the program is
	// built. The error joins the mistakes of the declaration.
	Input() (Input, error)

	// Read finds the value in a request; nil stands for a parameter that was not
	// sent and has no default. Faults of the value are an [Error] with Fields, see
	// [Invalid]: they are collected over all parameters. Any other error ends the
	// request at once, as an error of the handler would.
	Read(r *Request) (any, error)
}

// Source is the part of a request that an [Input] is taken from.
type Source string

// The sources. Raw and JSON are the whole body.
const (
	InPath   Source = "path"
	InQuery  Source = "query"
	InHeader Source = "header"
	InCookie Source = "cookie"
	InForm   Source = "form"
	InFile   Source = "file"
	InRaw    Source = "raw"
	InJSON   Source = "json"
)

// Body reports whether the source is the body, or a part of it.
func (s Source) Body() bool {
	switch s {
	case InForm, InFile, InRaw, InJSON:
		return true
	}
	return false
}

// Input describes one value that a handler takes from a request.
type Input struct {
	In          Source
	Name        string
	Description string
	Required    bool
	Multi       bool      // it takes several values
	Type        string    // of each value: "integer", "boolean", "float", "string", "date-time" ...; "": as it is sent
	Schema      Schema    // of each value; of a body; the JSON of several values is that of their list
	MediaTypes  []string  // of a body or a file; nil: those of the source
	MaxSize     int64     // bytes of each file; 0: no bound but that of the whole body
	Default     any       // nil: there is none
	Allowed     []Allowed // nil: every value of the type
	Examples    []Example
}

// Allowed is a value that a parameter may have.
type Allowed struct {
	Value       any
	Description string
}

// Values are the values of the declared parameters, in their order.
type Values []Value

// Value is the value of one parameter; nil: it was not sent and has no default.
type Value struct {
	Name  string
	Value any
}

// Get returns the value of the parameter, or nil.
func (v Values) Get(name string) any {
	for i := range v {
		if v[i].Name == name {
			return v[i].Value
		}
	}
	return nil
}

// ParamValue is the value of a declared parameter in the type that it has. ok is
// false when the parameter was not sent and has no default. It panics when no
// parameter of that name and type was declared: that is a fault of the program.
func ParamValue[T any](r *Request, name string) (value T, ok bool) {
	for i := range r.Values {
		if r.Values[i].Name != name {
			continue
		}
		if r.Values[i].Value == nil {
			return value, false
		}
		if value, ok = r.Values[i].Value.(T); ok {
			return value, true
		}
		panic(fmt.Sprintf("api: the parameter %q is a %T, not a %T", name, r.Values[i].Value, value))
	}
	panic(fmt.Sprintf("api: the parameter %q was not read: the handler's description does not have it", name))
}
