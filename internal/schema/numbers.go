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

// survey counts the values in one, and finds the numbers that are too long to
// compute with.
func survey(v any) (values int, found []Violation) {
	var s surveyor
	s.visit(v)
	return s.values, s.found
}

type surveyor struct {
	path   []step
	values int
	found  []Violation
}

// step leads to a member, or to an element where it has no name.
type step struct {
	name  string
	index int // -1: it is a member
}

func (s *surveyor) visit(v any) {
	s.values++
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			s.enter(step{name, -1}, member)
		}
	case []any:
		for i, item := range v {
			s.enter(step{"", i}, item)
		}
	case json.Number:
		if tooLong(v.String()) && len(s.found) < maxViolations {
			s.found = append(s.found, Violation{s.pointer(), "number", "must be a number of at most " + strconv.Itoa(maxDigits) + " digits"})
		}
	}
}

func (s *surveyor) enter(to step, v any) {
	s.path = append(s.path, to)
	s.visit(v)
	s.path = s.path[:len(s.path)-1]
}

func (s *surveyor) pointer() string {
	tokens := make([]string, len(s.path))
	for i, p := range s.path {
		if tokens[i] = p.name; p.index >= 0 {
			tokens[i] = strconv.Itoa(p.index)
		}
	}
	return jsonpointer.Bounded(tokens...)
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
