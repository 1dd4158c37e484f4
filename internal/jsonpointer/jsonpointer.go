// Package jsonpointer writes JSON Pointers (RFC 6901), which name a value inside
// a JSON document.
package jsonpointer

import (
	"net/url"
	"strings"
)

var escaper = strings.NewReplacer("~", "~0", "/", "~1")

// New is the pointer to the value that tokens lead to from the top of the
// document, such as "/items/0/id". Each is the name of a member or an index; no
// token at all is the whole document, "".
func New(tokens ...string) string {
	var pointer strings.Builder
	for _, token := range tokens {
		pointer.WriteByte('/')
		pointer.WriteString(escaper.Replace(token))
	}
	return pointer.String()
}

// Bounds of what a client's own names make an answer say.
const (
	MaxToken  = 256  // a longer name ends a bounded pointer at the object that holds it
	MaxLength = 1024 // of a bounded pointer
)

// Bounded is the pointer, or that to the deepest value on its way that can be told
// shortly.
func Bounded(tokens ...string) string {
	var pointer strings.Builder
	for _, token := range tokens {
		if len(token) > MaxToken {
			break
		}
		if token = New(token); pointer.Len()+len(token) > MaxLength {
			break
		}
		pointer.WriteString(token)
	}
	return pointer.String()
}

// Fragment is the pointer as the fragment of a URI, "#/a~1b" (RFC 6901, section 6).
func Fragment(pointer string) string {
	u := url.URL{Fragment: pointer}
	return "#" + u.EscapedFragment()
}
