package param

import (
	"sync"

	"github.com/sallyport-go/sallyport/api"
)

// Choice is an allowed value with its description.
type Choice[T any] struct {
	Value       T
	Description string
}

// defaultExample is the name of an example that is given none.
const defaultExample = "default"

// declaration is what was said of a parameter of one or several values.
type declaration[T any] struct {
	source      api.Source
	name        string
	multi       bool
	required    bool
	description string
	format      string
	def         []T // nil: there is none; the one of a Value
	choices     []Choice[T]
	restricted  bool // there are allowed values, be it none
	examples    []example[T]
	each, whole string // rules of each value, and of the list

	once sync.Once
	plan plan[T]
}

type example[T any] struct {
	name   string
	values []T
}

func (d *declaration[T]) setDefault(values ...T) { d.def = append([]T{}, values...) }

// allow describes each value by its text, which the plan knows.
func (d *declaration[T]) allow(values []T) {
	d.restricted = true
	for _, v := range values {
		d.choices = append(d.choices, Choice[T]{Value: v})
	}
}

func (d *declaration[T]) choose(choices []Choice[T]) {
	d.restricted = true
	d.choices = append(d.choices, choices...)
}

func (d *declaration[T]) addExample(name string, values []T) {
	d.examples = append(d.examples, example[T]{name, append([]T{}, values...)})
}

func addRules(all *string, rules string) {
	if *all != "" && rules != "" {
		*all += ","
	}
	*all += rules
}

// made is the plan, made at the first call.
func (d *declaration[T]) made() *plan[T] {
	d.once.Do(func() { d.plan = makePlan(d) })
	return &d.plan
}

func (d *declaration[T]) missing() error { return d.fault("required", "Field is required") }

func (d *declaration[T]) fault(code, message string) error {
	return api.Invalid(api.FieldError{In: string(d.source), Name: d.name, Code: code, Message: message})
}
