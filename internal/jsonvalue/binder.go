package jsonvalue

import "reflect"

// Options of a binder.
type Options struct {
	AllowUnknown bool   // skip members that the type does not have
	TagName      string // the struct tag with the names of members; "" is "json"
}

// Field is a field of an outer struct that is bound as a member.
type Field struct {
	Index  []int // from the outer struct
	Struct reflect.StructField
}

// Binder is the plan by which documents are read into values of one Go type. It
// is immutable and safe for concurrent use.
//
// Members are found by their exact names, those of embedded structs as in
// encoding/json. A struct tag beside the name says more of a member:
//
//	validate:"required,min=1"  see package rules; a missing member has no rules
//	default:"5"                the value of a missing member; for lists "a,b" or JSON, "" is empty; for objects JSON
//	enum:"a,b"                 the allowed values, of a list those of its elements
//	format:"date"              how a time.Time is written, see package textvalue
//
// Integers are written as digits alone. A value of type any gets a [json.Number],
// which keeps the digits of large integers. A type with a method UnmarshalJSON reads
// itself, null included; one with UnmarshalText reads a string. time.Duration is
// "1m30s", or the whole number of nanoseconds that encoding/json writes. Null is for
// pointers, any, [json.RawMessage] and the optional types that [rules.Optional]
// knows.
type Binder struct {
	root   value
	absent *preset // of a missing text
}

// NewBinder makes the plan of t. The error joins all mistakes of the type: kinds
// that JSON cannot fill, members with the same name, and tags that do not fit.
func NewBinder(t reflect.Type, o Options) (*Binder, error) {
	c := newCompiler(o)
	root := c.value(t, traits{}, typeName(t))
	if err := c.err(); err != nil {
		return nil, err
	}
	return &Binder{root: root}, nil
}

// NewValueBinder makes the plan of a value that is a field itself, such as the
// whole body of a request: the tags of the field say of it what those of a member
// say. "required" and the rules about other fields are left to the caller.
func NewValueBinder(t reflect.Type, tag reflect.StructTag, o Options) (*Binder, error) {
	c := newCompiler(o)
	var m member
	c.tagged(&m, t, tag, "", typeName(t))
	if err := c.err(); err != nil {
		return nil, err
	}
	return &Binder{root: m.value, absent: m.absent}, nil
}

// NewStructBinder makes the plan of an object of these members alone; Bind gets the
// outer struct. A rule about another field must name one of these fields.
func NewStructBinder(fields []Field, o Options) (*Binder, error) {
	c := newCompiler(o)
	plan := &structPlan{}
	c.object(plan, fields, "")
	if err := c.err(); err != nil {
		return nil, err
	}
	return &Binder{root: value{plan: plan}}, nil
}

// Bind reads the document into dst, which is settable, of the binder's type and
// zero, and returns all faults in the order of the document, up to a hundred, where
// it stops; the missing members of an object follow those that are there. With a
// fault dst is partly filled. The value keeps nothing of the document.
//
// The rules of a value run when it has been read without a fault, those that compare
// two fields when both have. The limits of a list or map stand before the faults of
// its elements; of one that breaks them the first hundred elements are looked at.
func (b *Binder) Bind(d *Document, dst reflect.Value) []Fault {
	s := state{d: d}
	s.faults.d = d
	s.faults.path = s.buffer[:0]
	b.root.bind(&s, 0, dst)
	return s.faults.list
}

// Default puts the value of the tag "default" of [NewValueBinder] into dst, which is
// zero; it is false, and does nothing, when there is none.
func (b *Binder) Default(dst reflect.Value) bool {
	if b.absent == nil {
		return false
	}
	b.absent.set(dst)
	return true
}

// state is one run of Bind.
type state struct {
	d      *Document
	faults faults
	report func(code, message string)
	buffer [8]step // of the path
}

// reporter is the method fault as one function for all checks.
func (s *state) reporter() func(code, message string) {
	if s.report == nil {
		s.report = s.fault
	}
	return s.report
}

func (s *state) fault(code, message string) { s.faults.add(s.d.nodes, code, message) }

// wrong tells that a value is not of the type that the word names. Null has its own
// fault.
func (s *state) wrong(i uint32, word string) {
	if s.d.nodes[i].kind == kindNull {
		s.fault("null", "must not be null")
		return
	}
	s.fault("type", "Value has invalid type. Expected "+word+".")
}

// plan reads the value at a node into dst, or tells why not.
type plan interface {
	bind(s *state, i uint32, dst reflect.Value)
}
