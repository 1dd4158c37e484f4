// Package sfv reads and writes structured fields for HTTP (RFC 9651): Items and
// Lists with all eight types of bare items. Dictionaries have no user here.
//
// Reading is strict, as the RFC demands: one fault, and nothing of the field
// counts. Writing is strict, too: what has no textual form is an error, so no
// text from outside can break out of a field.
//
// All functions are safe for concurrent use.
package sfv

// MaxInteger is the largest Integer; the smallest is -MaxInteger (section 3.3.1).
const MaxInteger = 999_999_999_999_999

// List is a List (section 3.1). An empty one has no textual form: the field is
// left out.
type List []Member

// Member is a member of a [List]: an [Item] or an [InnerList].
type Member interface {
	appendMember(dst []byte) ([]byte, error)
}

// InnerList is an Inner List (section 3.1.1): Items that share parameters.
type InnerList struct {
	Items  []Item
	Params Params
}

// Item is an Item (section 3.3): a value and its parameters.
type Item struct {
	Value  Value // required
	Params Params
}

// Params are Parameters (section 3.1.2), in their order.
type Params []Param

// Param is one parameter.
type Param struct {
	Key   string // starts with a-z or "*", goes on with a-z, 0-9, "_", "-", "." and "*"
	Value Value  // required; Boolean(true) is written as the bare key
}

// Get returns the value of the parameter, or nil when there is none of that key.
func (ps Params) Get(key string) Value {
	for i := range ps {
		if ps[i].Key == key {
			return ps[i].Value
		}
	}
	return nil
}

// set keeps the first position and the last value of a repeated key.
func (ps Params) set(key string, v Value) Params {
	for i := range ps {
		if ps[i].Key == key {
			ps[i].Value = v
			return ps
		}
	}
	return append(ps, Param{key, v})
}

// Value is a bare item (section 3.3): one of the types below.
type Value interface {
	appendValue(dst []byte) ([]byte, error)
}

// Integer is a whole number within -MaxInteger to MaxInteger.
type Integer int64

// Decimal is a number of thousandths within -MaxInteger to MaxInteger:
// Decimal(1500) is 1.5.
type Decimal int64

// String is printable ASCII.
type String string

// Token starts with a letter or "*" and goes on with the characters of an HTTP
// token, ":" and "/".
type Token string

// Bytes is a Byte Sequence.
type Bytes []byte

// Boolean is true or false.
type Boolean bool

// Date is the seconds since the Unix epoch, within -MaxInteger to MaxInteger.
type Date int64

// DisplayString is text in UTF-8.
type DisplayString string
