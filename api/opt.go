package api

import (
	"encoding/json"
	"reflect"
)

// Opt is a value that may be missing, null, or there: what a PATCH has to tell
// apart. The zero Opt is missing.
//
//	type changeUser struct {
//		Name  string           `json:"name"`
//		Email api.Opt[string] `json:"email"` // missing: leave it; null: remove it
//	}
//
// In an answer write `json:",omitzero"`, so that a missing one is left out;
// without it, it is written as null.
type Opt[T any] struct {
	Set   bool // it was sent, be it null
	Null  bool // it was sent as null
	Value T    // zero unless it is Set and not Null
}

// Some is an Opt with a value.
func Some[T any](v T) Opt[T] { return Opt[T]{Set: true, Value: v} }

// Null is an Opt that is null.
func Null[T any]() Opt[T] { return Opt[T]{Set: true, Null: true} }

// Get returns the value; ok is false when it is missing or null.
func (o Opt[T]) Get() (value T, ok bool) { return o.Value, o.Set && !o.Null }

// IsZero reports whether it is missing. encoding/json asks it for omitzero.
func (o Opt[T]) IsZero() bool { return !o.Set }

// OptionalType is the type of the value.
func (Opt[T]) OptionalType() reflect.Type { return reflect.TypeFor[T]() }

// MarshalJSON writes the value, or null without one.
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if v, ok := o.Get(); ok {
		return json.Marshal(v)
	}
	return []byte("null"), nil
}

// UnmarshalJSON reads a value or null.
func (o *Opt[T]) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*o = Null[T]()
		return nil
	}
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	*o = Some(v)
	return nil
}
