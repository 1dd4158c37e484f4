package param

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/httptoken"
	"github.com/sallyport-go/sallyport/internal/mediatype"
	"github.com/sallyport-go/sallyport/internal/part"
)

// mistakes are those of one declaration.
type mistakes struct {
	what string // the parameter
	list []error
}

// add takes an error, or nothing of nil.
func (m *mistakes) add(err error) {
	if err != nil {
		m.list = append(m.list, fmt.Errorf("%s: %w", m.what, err))
	}
}

func (m *mistakes) addf(format string, args ...any) { m.add(fmt.Errorf(format, args...)) }

// ask makes what asks the methods of a type, which may panic.
func (m *mistakes) ask(f func()) { m.add(part.Ask(func() error { f(); return nil })) }

func (m *mistakes) err() error { return errors.Join(m.list...) }

var errNil = errors.New("the parameter is nil")

// checkName finds names that no request can have.
func checkName(source api.Source, name string) error {
	switch {
	case name == "":
		return errors.New("it has no name")
	case (source == api.InHeader || source == api.InCookie) && !httptoken.Is(name):
		return errors.New("the name cannot be sent: write letters, digits and hyphens")
	case (source == api.InQuery || source == api.InForm || source == api.InFile) && strings.ContainsAny(name, "[]"):
		return errors.New("write the name without brackets, and Multi() for several values")
	}
	return nil
}

// checkMediaTypes finds patterns that no media type fits.
func checkMediaTypes(patterns []string) error {
	var errs []error
	for _, pattern := range patterns {
		if !mediatype.Valid(pattern) {
			errs = append(errs, fmt.Errorf(`media type %q: write "image/png" or "image/*", without parameters`, pattern))
		}
	}
	return errors.Join(errs...)
}

// faults are those of one parameter in one request; none stands there twice.
type faults struct {
	in, name string
	list     []api.FieldError
}

func (f *faults) add(code, message string) {
	for _, known := range f.list {
		if known.Code == code && known.Message == message {
			return
		}
	}
	f.list = append(f.list, api.FieldError{In: f.in, Name: f.name, Code: code, Message: message})
}

func (f *faults) err() error {
	if len(f.list) == 0 {
		return nil
	}
	return api.Invalid(f.list...)
}
