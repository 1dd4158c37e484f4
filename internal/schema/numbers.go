package schema

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/sallyport-go/sallyport/internal/jsonpointer"
)

// maxDigits bounds the numbers that are computed with, exactly: "1e1000000" is
// nine bytes and takes milliseconds. A float64 ends at 308.
const maxDigits = 400

// numbers finds the numbers that are too long to compute with.
func numbers(at []string, v any, found []Violation) []Violation {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			found = numbers(append(at, name), member, found)
		}
	case []any:
		for i, item := range v {
			switch item.(type) { // texts need no place
			case map[string]any, []any, json.Number:
				found = numbers(append(at, strconv.Itoa(i)), item, found)
			}
		}
	case json.Number:
		if tooLong(v.String()) {
			found = append(found, Violation{jsonpointer.New(at...), "number", "must be a number of at most " + strconv.Itoa(maxDigits) + " digits"})
		}
	}
	return found
}

func tooLong(number string) bool {
	if len(number) > maxDigits {
		return true
	}
	i := strings.IndexAny(number, "eE")
	if i < 0 {
		return false
	}
	exponent, err := strconv.Atoi(number[i+1:])
	return err != nil || exponent > maxDigits || exponent < -maxDigits
}
