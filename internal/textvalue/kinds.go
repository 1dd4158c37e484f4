package textvalue

import (
	"reflect"
	"strconv"
	"strings"
)

// kindCodec is that of the kinds that are written as one word; nil for others.
func kindCodec(t reflect.Type) *Codec {
	bits := 0
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64:
		bits = t.Bits()
	}
	switch t.Kind() {
	case reflect.Bool:
		return &Codec{
			expected: "boolean",
			read:     readBool,
			write:    func(v reflect.Value) string { return strconv.FormatBool(v.Bool()) },
		}
	case reflect.String:
		return &Codec{
			expected: "string",
			read:     func(dst reflect.Value, text string) bool { dst.SetString(text); return true },
			write:    reflect.Value.String,
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return &Codec{
			expected: "integer",
			read: func(dst reflect.Value, text string) bool {
				n, ok := parseInt(text, bits)
				if ok {
					dst.SetInt(n)
				}
				return ok
			},
			write: func(v reflect.Value) string { return strconv.FormatInt(v.Int(), 10) },
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return &Codec{
			expected: "integer",
			read: func(dst reflect.Value, text string) bool {
				n, err := strconv.ParseUint(text, 10, bits)
				if err == nil {
					dst.SetUint(n)
				}
				return err == nil
			},
			write: func(v reflect.Value) string { return strconv.FormatUint(v.Uint(), 10) },
		}
	case reflect.Float32, reflect.Float64:
		return &Codec{
			expected: "float",
			read: func(dst reflect.Value, text string) bool {
				if strings.Trim(text, "0123456789+-.eE") != "" { // NaN, Inf, hexadecimal, underscores
					return false
				}
				f, err := strconv.ParseFloat(text, bits)
				if err == nil {
					dst.SetFloat(f)
				}
				return err == nil
			},
			write: func(v reflect.Value) string { return strconv.FormatFloat(v.Float(), 'g', -1, bits) },
		}
	}
	return nil
}

// parseInt is strconv's for the base 10 without the sign "+".
func parseInt(text string, bits int) (int64, bool) {
	if strings.HasPrefix(text, "+") {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, bits)
	return n, err == nil
}

func readBool(dst reflect.Value, text string) bool {
	switch {
	case text == "1" || isWord(text, "true"):
		dst.SetBool(true)
	case text == "0" || isWord(text, "false"):
		dst.SetBool(false)
	default:
		return false
	}
	return true
}

// isWord ignores the case of ASCII alone: Unicode would take "falſe", too.
func isWord(text, word string) bool {
	return len(text) == len(word) && strings.EqualFold(text, word)
}
