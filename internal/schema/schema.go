// Package schema checks JSON values by a JSON Schema, of draft 4 to 2020-12.
package schema

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sallyport-go/sallyport/internal/jsonvalue"
)

// location stands for the text of a schema, which has no address of its own.
const location = "schema:///"

// Schema is a compiled schema. It is immutable and safe for concurrent use.
type Schema struct {
	checkers sync.Pool // of *checker, for one check at a time
}

// checker is a compiled schema with the budget that its parts draw on.
type checker struct {
	compiled *jsonschema.Schema
	budget   *budget
}

// What one check may do: apply schemas to each value a few times, and many more
// times altogether, since a schema that refers to itself in two alternatives takes
// twice the work for each level also of good values. It ends at some 70 MB.
const (
	visits        = 50_000
	visitsOfValue = 10
)

// Violation is a rule of the schema that a value breaks.
type Violation struct {
	Pointer string // the place in the value, as a JSON Pointer (RFC 6901); "" is the whole value
	Code    string // the keyword of the schema: "type", "required", "minLength"
	Message string // what holds of a good value; nothing of the checked one is quoted
}

// Compile reads a schema. Its draft is that of "$schema", else 2020-12. Formats
// are asserted, and unknown ones hold of everything. A reference must stay inside
// the text: nothing is ever loaded. The error is a mistake of the program.
func Compile(text []byte) (*Schema, error) {
	document, faults := jsonvalue.Parse(text, jsonvalue.Limits{})
	if len(faults) > 0 {
		errs := make([]error, len(faults))
		for i, f := range faults {
			errs[i] = fmt.Errorf("schema: %w", errors.New(Prefixed(f.Pointer, f.Message)))
		}
		return nil, errors.Join(errs...)
	}
	doc := document.Any()
	if _, v := survey(doc); len(v) > 0 {
		return nil, fmt.Errorf("schema: %s", Prefixed(v[0].Pointer, v[0].Message))
	}
	first, err := newChecker(doc)
	if err != nil {
		return nil, err
	}
	s := &Schema{}
	s.checkers.New = func() any {
		c, err := newChecker(document.Any()) // a tree of its own: compiling keeps parts of it
		if err != nil {
			panic(err) // it has been compiled before
		}
		return c
	}
	s.checkers.Put(first)
	return s, nil
}

func newChecker(doc any) (*checker, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.UseLoader(nowhere{})
	if err := c.AddResource(location, doc); err != nil {
		return nil, mistake(err)
	}
	compiled, err := c.Compile(location)
	if err != nil {
		return nil, mistake(err)
	}
	if loops(compiled) {
		return nil, errors.New("schema: a $ref leads back to itself")
	}
	b := &budget{scoped: scoped(compiled)}
	replaceKeywords(compiled, b)
	return &checker{compiled, b}, nil
}

// mistake says what is wrong with a schema.
func mistake(err error) error {
	var elsewhere *jsonschema.LoadURLError
	if errors.As(err, &elsewhere) {
		return fmt.Errorf("schema: %q is neither in the schema nor one of the drafts 4 to 2020-12, and nothing is loaded", strings.TrimPrefix(elsewhere.URL, location))
	}
	return fmt.Errorf("schema: %s", strings.ReplaceAll(err.Error(), location, ""))
}

// nowhere loads nothing.
type nowhere struct{}

var errNotLoaded = errors.New("nothing is loaded")

func (nowhere) Load(string) (any, error) { return nil, errNotLoaded }

// Check returns the violations of a value that consists of map[string]any, []any,
// [encoding/json.Number] or the numbers of Go, string, bool and nil: the first 100
// that are found, sorted by their place; none stands there twice. A value that
// takes too much work is a violation as a whole.
func (s *Schema) Check(v any) []Violation {
	values, found := survey(v)
	if len(found) > 0 {
		return sorted(found) // the rest of the schema would have to compute with them
	}
	c, ok := s.checkers.Get().(*checker)
	if !ok {
		panic("schema: there is something else in the pool")
	}
	defer s.checkers.Put(c)
	c.budget.reset(visits + visitsOfValue*values)
	defer c.budget.reset(0) // or it would keep the value
	return sorted(c.check(v))
}

func (c *checker) check(v any) (found []Violation) {
	defer func() {
		if e := recover(); e == (exhausted{}) {
			found = []Violation{{Code: "complexity", Message: "is too complicated to be checked"}}
		} else if e != nil {
			panic(e)
		}
	}()
	var failed *jsonschema.ValidationError
	if !errors.As(c.compiled.Validate(v), &failed) {
		return nil
	}
	return violations(failed, nil)
}

func sorted(all []Violation) []Violation {
	slices.SortFunc(all, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(all)
}

// Prefixed is a message with the place in front, below the root: "[Property
// address.zip] must be a string".
func Prefixed(pointer, message string) string {
	if pointer == "" {
		return message
	}
	return "[Property " + unescaper.Replace(pointer[1:]) + "] " + message
}

var unescaper = strings.NewReplacer("/", ".", "~1", "/", "~0", "~")
