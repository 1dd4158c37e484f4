package errorhandler

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/part"
)

// Map tells how the errors of a program are answered, so that its handlers
// return them as they are. Base makes the answers.
//
// The first rule that knows an error counts. Only errors that handlers and their
// responses return are looked up, and of these only those without an
// [api.Error] in them: what a gate, the authorization, the input, a panic or the
// end of the request has said stays as it is. In the log, and for errors.Is and
// errors.As in the error handler, an error stays the one that was returned. One
// that is mapped to 4xx is no failure of the server and is not logged as one.
//
// The zero value is [Default]. It is safe for concurrent use when its rules are.
type Map struct {
	Base  api.ErrorHandler // nil: Default
	Rules []Rule
}

// Rule is one rule of a [Map], which [Is] and [As] make.
type Rule struct {
	target  error        // of Is
	kind    reflect.Type // of As
	matches func(error) bool
	answer  func(error) api.Error
	mistake error
}

// Is answers the errors that are target, as errors.Is tells it.
func Is(target error, answer api.Error) Rule {
	r := Rule{
		target:  target,
		matches: func(err error) bool { return errors.Is(err, target) },
		answer: func(error) api.Error {
			a := answer // error handlers may write into what they get
			a.Fields, a.Header = slices.Clone(a.Fields), maps.Clone(a.Header)
			return a
		},
	}
	if part.IsNil(target) {
		r.mistake = errors.New("Is has no error to look for")
	} else if answer.Status < 400 || answer.Status > 599 {
		r.mistake = fmt.Errorf("the status %d of %q is no failure: write 400 to 599", answer.Status, part.Text(target))
	}
	return r
}

// As answers the errors with an E in them, as errors.As finds it. The function
// gets the E, which is no nil pointer, and is safe for concurrent use. An answer
// with a status outside 400 to 599 leaves the error a 500.
func As[E error](answer func(E) api.Error) Rule {
	r := Rule{
		kind:    reflect.TypeFor[E](),
		matches: func(err error) bool { e, ok := errors.AsType[E](err); return ok && !part.IsNil(e) },
		answer:  func(err error) api.Error { e, _ := errors.AsType[E](err); return answer(e) },
	}
	if answer == nil {
		r.mistake = fmt.Errorf("As has no function for %s", r.kind)
	}
	return r
}

// MapError is the answer of the first rule that knows the error.
func (m Map) MapError(err error) (e api.Error, ok bool) {
	for _, r := range m.Rules {
		if r.matches(err) {
			return r.answer(err), true
		}
	}
	return api.Error{}, false
}

// HandleError leaves the answer to Base. By then, the error is mapped.
func (m Map) HandleError(ctx context.Context, r *api.Request, f *api.Failure) api.Response {
	return base(m.Base).HandleError(ctx, r, f)
}

// ErrorSchema is Base's.
func (m Map) ErrorSchema(kind api.Kind) (mediaType string, schema api.Schema) {
	return schemaOf(m.Base, kind)
}

// Unwrap is Base, which may map further errors.
func (m Map) Unwrap() api.ErrorHandler { return m.Base }

// Validate reports the mistakes of Base and of the rules, among them those that
// never apply as a rule before them takes their errors.
func (m Map) Validate() error {
	errs := []error{part.Validate("errorhandler.Map: Base", m.Base)}
	for i, r := range m.Rules {
		errs = append(errs, part.Within(fmt.Sprintf("errorhandler.Map: rule %d", i+1), m.mistake(i, r)))
	}
	return errors.Join(errs...)
}

func (m Map) mistake(i int, r Rule) error {
	switch {
	case r.matches == nil:
		return errors.New("it is empty: make it with Is or As")
	case r.mistake != nil:
		return r.mistake
	}
	for j, before := range m.Rules[:i] {
		if before.mistake == nil && before.matches != nil && before.covers(r) {
			return fmt.Errorf("it never applies: rule %d takes its errors", j+1)
		}
	}
	return nil
}

// covers reports whether a rule leaves nothing to one behind it.
func (r Rule) covers(later Rule) bool {
	if later.target != nil {
		return r.matches(later.target)
	}
	return r.kind != nil && later.kind.AssignableTo(r.kind)
}

func base(h api.ErrorHandler) api.ErrorHandler {
	if h == nil {
		return Default{}
	}
	return h
}
