package jsontree

import (
	"bytes"
	"encoding/json"
)

// Late is a text that is known only when it is written.
type Late interface{ Late() string }

// Append appends the value as JSON in one line, with the characters of HTML as
// they are.
func Append(dst []byte, value any) ([]byte, error) {
	var err error
	switch v := value.(type) {
	case *Object:
		dst = append(dst, '{')
		for i, m := range v.Members {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = Append(dst, m.Name); err != nil {
				return nil, err
			}
			dst = append(dst, ':')
			if dst, err = Append(dst, m.Value); err != nil {
				return nil, err
			}
		}
		return append(dst, '}'), nil
	case []any:
		dst = append(dst, '[')
		for i, item := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = Append(dst, item); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	case Late:
		value = v.Late()
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...), nil
}

// MarshalJSON is Append, so that a tree can stand in other values.
func (o *Object) MarshalJSON() ([]byte, error) { return Append(nil, o) }

// Indented is the value as JSON in lines, indented by two spaces.
func Indented(value any) ([]byte, error) {
	data, err := Append(nil, value)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, data, "", "  "); err != nil {
		return nil, err
	}
	return append(b.Bytes(), '\n'), nil
}
