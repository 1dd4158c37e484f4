// Package jsontree holds JSON as a tree whose objects keep the order of their
// members, so that a document that is read, changed and written stays readable.
//
// The values of a tree are *Object, []any, string, [json.Number], bool and nil. What
// is written may also hold whatever else encoding/json writes, and a [Late] text.
package jsontree

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Object is a JSON object. The zero Object is empty. It is not safe for concurrent
// use.
type Object struct {
	Members []Member
}

// Member is a member of an [Object].
type Member struct {
	Name  string
	Value any
}

// Of is an object of members: name, value, name, value. A value that is a nil
// *Object, an empty []any or an untyped nil is left out.
func Of(namesAndValues ...any) *Object {
	o := &Object{}
	for i := 0; i+1 < len(namesAndValues); i += 2 {
		name, _ := namesAndValues[i].(string)
		o.Add(name, namesAndValues[i+1])
	}
	return o
}

// Add appends a member, unless the value is a nil *Object, an empty []any or nil.
func (o *Object) Add(name string, value any) {
	switch v := value.(type) {
	case nil:
		return
	case *Object:
		if v == nil {
			return
		}
	case []any:
		if len(v) == 0 {
			return
		}
	}
	o.Set(name, value)
}

// Set replaces the value of a member, or appends one. A nil is written as null.
func (o *Object) Set(name string, value any) {
	if i := o.index(name); i >= 0 {
		o.Members[i].Value = value
		return
	}
	o.Members = append(o.Members, Member{name, value})
}

// Get is the value of a member; ok is false without it.
func (o *Object) Get(name string) (value any, ok bool) {
	if i := o.index(name); i >= 0 {
		return o.Members[i].Value, true
	}
	return nil, false
}

// Text is a member that is a text, else "".
func (o *Object) Text(name string) string {
	value, _ := o.Get(name)
	text, _ := value.(string)
	return text
}

// Object is a member that is an object, else nil.
func (o *Object) Object(name string) *Object {
	value, _ := o.Get(name)
	object, _ := value.(*Object)
	return object
}

// Delete removes a member.
func (o *Object) Delete(name string) {
	if i := o.index(name); i >= 0 {
		o.Members = slices.Delete(o.Members, i, i+1)
	}
}

func (o *Object) index(name string) int {
	return slices.IndexFunc(o.Members, func(m Member) bool { return m.Name == name })
}

// Merge puts the members of other over those of o: objects member by member, and
// anything else as a whole.
func (o *Object) Merge(other *Object) {
	for _, m := range other.Members {
		over, ok := m.Value.(*Object)
		if own := o.Object(m.Name); ok && own != nil {
			own.Merge(over)
		} else {
			o.Set(m.Name, m.Value)
		}
	}
}

// Parse reads one JSON value. A repeated member is an error.
func Parse(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	value, err := parse(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something stands behind the JSON value")
	}
	return value, nil
}

func parse(d *json.Decoder) (any, error) {
	token, err := next(d)
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		o := &Object{}
		for d.More() {
			name, err := next(d)
			if err != nil {
				return nil, err
			}
			value, err := parse(d)
			if err != nil {
				return nil, err
			}
			text, _ := name.(string)
			if o.index(text) >= 0 {
				return nil, fmt.Errorf("the member %q stands twice", text)
			}
			o.Members = append(o.Members, Member{text, value})
		}
		_, err = next(d)
		return o, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			value, err := parse(d)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err = next(d)
		return list, err
	}
	return token, nil
}

// next is the next token of a value that is not complete.
func next(d *json.Decoder) (json.Token, error) {
	token, err := d.Token()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return token, err
}

// From is any value that encoding/json writes as a tree.
func From(v any) (any, error) {
	data, err := Append(nil, v)
	if err != nil {
		return nil, err
	}
	return Parse(data)
}
