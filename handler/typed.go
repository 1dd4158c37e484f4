package handler

import (
	"context"
	"errors"
	"reflect"
	"runtime"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/part"
)

// TypedOptions are the options of [TypedWith]. The zero value is that of [Typed].
type TypedOptions struct {
	// AllowUnknownFields skips members of the JSON body that In does not have.
	// Without it they are faults.
	AllowUnknownFields bool

	// RefuseUnknownQuery makes parameters of the query that In does not have faults.
	RefuseUnknownQuery bool

	// AllowMissingContentType takes a JSON body without a Content-Type. It is
	// answered 415 otherwise, because the forms of foreign web pages can send it.
	AllowMissingContentType bool

	MaxDepth int // of arrays and objects in each other in a JSON body; 0: 100

	// Status is that of an answer that is sent as JSON; 0 is 200. Of an [api.Reply],
	// which has its own, documents and checks of answers are told it; 0 is any of
	// success.
	Status int
}

// Typed is a handler made of a function from a struct to an answer. The tags of
// the struct say where its values come from:
//
//	type changeUser struct {
//		ID      int             `path:"id"`
//		DryRun  bool            `query:"dry-run"`
//		Version *string         `header:"X-Version"`
//		Session string          `cookie:"session"`
//		Name    string          `json:"name" validate:"required,max=80"`
//		Email   api.Opt[string] `json:"email" validate:"email"`
//		Caller  api.Identity
//	}
//
// The locations are
//
//	path, query, header, cookie  a parameter
//	form, file                   a field or a file of a form
//	json                         a member of the JSON body
//	body:"json"                  the whole JSON body
//	body:"raw"                   the body as it is, a string or a []byte that is not changed
//
// Every exported field has one of them, or json:"-"; fields of the types
// api.Identity, *api.Request and *http.Request need none and are filled in. Structs
// that are embedded count as if their fields stood in In. What is read from text
// is a boolean, a number, a string, a time, a duration, an
// [encoding.TextUnmarshaler], a pointer to one of them or an [api.Opt], which tell
// whether it was sent, or a list (not in paths and cookies): ids=1&ids=2,
// ids[]=1, and in a header 1, 2. Empty text is not sent, unless it is a string.
// A file is a *multipart.FileHeader or a list of them.
//
// More tags say what a good value is:
//
//	default:"10"            stands in for one that was not sent
//	enum:"asc,desc"         the values that it may have
//	format:"date"           of a time: date-time, date, unix, or a layout of package time
//	validate:"required"     and the other rules of github.com/go-playground/validator
//	maxSize:"1MiB"          of a file
//	accept:"image/*"        the media types of a file or a raw body
//	description, example    for documents
//
// Nothing stands beside the commas of a list; default:"" is the empty one. required
// asks whether a value was sent: 0, false and "" are values. Rules that compare
// fields are asked of values that were sent, when none of them has a fault of its
// own. The type of a file is what the client claims, and text/plain when it claims
// nothing (RFC 7578, section 4.4).
//
// All faults of a request are told at once, as [api.Invalid]. When there are none
// and In has a method Validate() error, it is asked as well; it returns
// api.Invalid(...) to tell the client what is wrong. Another error is answered 400
// with its text in the log alone. An [api.Error] is returned as it is. The
// function is called with a complete In or not at all, and its errors are returned
// untouched.
//
// An Out that is an [api.Response] or an [api.Reply] is sent as it is, struct{} is
// answered 204, and everything else is sent as JSON. A nil pointer without an error
// is a fault of the handler, answered 500. Where answers are checked, status and
// media type have to be those that Out says, of a Reply any status of success;
// [Describe] declares other outputs in its place.
//
// Mistakes in In and Out are found when the program is built.
func Typed[In, Out any](fn func(ctx context.Context, in In) (Out, error)) api.Handler {
	return TypedWith(TypedOptions{}, fn)
}

// TypedWith is [Typed] with options.
func TypedWith[In, Out any](o TypedOptions, fn func(ctx context.Context, in In) (Out, error)) api.Handler {
	t := &typed[In, Out]{fn: fn}
	var mistakes []error
	if fn == nil {
		mistakes = append(mistakes, errors.New("the function is nil"))
	} else {
		t.name = runtime.FuncForPC(reflect.ValueOf(fn).Pointer()).Name()
	}
	if o.MaxDepth < 0 {
		mistakes = append(mistakes, errors.New("MaxDepth is negative"))
	}
	var err error
	if t.plan, err = newPlan(reflect.TypeFor[In](), o); err != nil {
		mistakes = append(mistakes, err)
	}
	if t.out, err = newOut(reflect.TypeFor[Out](), o.Status); err != nil {
		mistakes = append(mistakes, err)
	}
	t.err = part.Within("handler.Typed", errors.Join(mistakes...))
	return t
}

type typed[In, Out any] struct {
	fn   func(ctx context.Context, in In) (Out, error)
	name string // of the function
	plan *plan
	out  out
	err  error
}

// Validate reports the mistakes of the types and of the options.
func (t *typed[In, Out]) Validate() error { return t.err }

// Describe is what the types say, as far as they are right: the mistakes of what
// is left are found at the same time as those of the types.
func (t *typed[In, Out]) Describe() (d api.Description) {
	if t.plan != nil {
		d.Inputs = t.plan.inputs()
	}
	if t.err == nil {
		d.Outputs = t.out.outputs()
	}
	return d
}

func (t *typed[In, Out]) Handle(ctx context.Context, r *api.Request) (api.Response, error) {
	if t.err != nil {
		return nil, t.err
	}
	in := new(In)
	if err := t.plan.bind(r, reflect.ValueOf(in).Elem()); err != nil {
		return nil, err
	}
	v, err := t.fn(ctx, *in)
	if err != nil {
		return nil, err
	}
	return t.out.response(v, t.name)
}
