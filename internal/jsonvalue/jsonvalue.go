// Package jsonvalue reads strict JSON (RFC 8259) into Go values and tells all
// faults of a text at once.
//
// It is stricter than encoding/json: no member twice, no unknown member, names in
// their exact case, valid UTF-8 and whole surrogate pairs, null only where the type
// has a place for it, and integers that keep every digit.
package jsonvalue

// Fault is something wrong with a text or a value in it. No value is quoted; the
// pointer names members as the client has written them.
type Fault struct {
	Pointer string // the place, as a JSON Pointer (RFC 6901); "" is the whole text
	Code    string // "syntax", "duplicate", "unknown", "required", "null", "type", "depth", "enum", or the name of a rule
	Message string
}

// Limits of a text.
type Limits struct {
	Depth int // of arrays and objects in each other; 0 is 100
}

const (
	defaultDepth = 100
	maxFaults    = 100 // further ones are not told: the answer stays small
)

// kind is that of a node.
type kind uint8

const (
	kindNull kind = iota
	kindTrue
	kindFalse
	kindNumber
	kindString
	kindArray
	kindObject
)

// node is a value, or the name of a member, in the text. The nodes of a document
// lie in the order of the text: those of an array behind it, those of an object as
// name, value, name, value.
type node struct {
	start, end uint32 // in the text; a string is without its quotes
	next       uint32 // the node behind the value with all inside; of a name: behind its value
	size       uint32 // of an array or object: how many elements or members
	kind       kind
	escaped    bool // a string with backslashes
}

// Document is a text that has been read. It is immutable and safe for concurrent
// use.
type Document struct {
	data  []byte
	nodes []node
}

// Bytes is the text itself, which must not be changed.
func (d *Document) Bytes() []byte { return d.data }

// raw is the text of a value.
func (d *Document) raw(i uint32) []byte {
	n := &d.nodes[i]
	start, end := n.start, n.end
	if n.kind == kindString {
		start, end = start-1, end+1
	}
	return d.data[start:end:end]
}

// text is what is between the quotes; of a string without escapes it is the string.
func (d *Document) text(i uint32) []byte { return d.data[d.nodes[i].start:d.nodes[i].end] }

// str is the value of a string.
func (d *Document) str(i uint32) string {
	if d.nodes[i].escaped {
		return string(unescape(d.text(i)))
	}
	return string(d.text(i))
}
