package rules

import (
	"cmp"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// bound is a limit of a number, or of a length. Those are the rules of most tags:
// they are checked without an allocation.
type bound struct {
	class  class
	signed bool
	holdsN func(order int) bool // of the comparison of the value with the limit
	i      int64                // also the limit of a length
	u      uint64
	f      float64
}

// newBound is nil for the rules that are left to validator.
func newBound(t reflect.Type, part string) *bound {
	name, param, _ := strings.Cut(part, "=")
	b := &bound{class: classOf(t), signed: t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64}
	switch name {
	case "min", "gte":
		b.holdsN = func(order int) bool { return order >= 0 }
	case "max", "lte":
		b.holdsN = func(order int) bool { return order <= 0 }
	case "gt":
		b.holdsN = func(order int) bool { return order > 0 }
	case "lt":
		b.holdsN = func(order int) bool { return order < 0 }
	case "eq", "ne":
		if b.class != list { // as for validator, a number of elements
			return nil
		}
		b.holdsN = func(order int) bool { return (order == 0) == (name == "eq") }
	case "len":
		b.holdsN = func(order int) bool { return order == 0 }
	default:
		return nil
	}
	var err error
	switch {
	case b.class == float:
		b.f, err = strconv.ParseFloat(param, t.Bits())
	case b.class == whole && !b.signed:
		b.u, err = strconv.ParseUint(param, 0, 64)
	case t == reflect.TypeFor[time.Duration]():
		var d time.Duration
		if d, err = time.ParseDuration(param); err == nil {
			b.i = int64(d)
			break
		}
		fallthrough
	case b.class == whole, b.class == text, b.class == list:
		b.i, err = strconv.ParseInt(param, 0, 64)
	default:
		return nil
	}
	if err != nil {
		return nil
	}
	return b
}

func (b *bound) holds(v reflect.Value) bool {
	switch {
	case b.class == text:
		return b.holdsN(cmp.Compare(int64(utf8.RuneCountInString(v.String())), b.i))
	case b.class == list:
		return b.holdsN(cmp.Compare(int64(v.Len()), b.i))
	case b.class == float:
		return b.holdsN(cmp.Compare(v.Float(), b.f))
	case b.signed:
		return b.holdsN(cmp.Compare(v.Int(), b.i))
	default:
		return b.holdsN(cmp.Compare(v.Uint(), b.u))
	}
}
