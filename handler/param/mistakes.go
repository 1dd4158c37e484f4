package param

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sallyport-go/sallyport/api"
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

func (m *mistakes) err() error { return errors.Join(m.list...) }

var errNil = errors.New("the parameter is nil")

// checkName finds names that no request can have.
func checkName(source api.Source, name string) error {
	switch {
	case name == "":
		return errors.New("it has no name")
	case (source == api.InHeader || source == api.InCookie) && !isToken(name):
		return errors.New("the name cannot be sent: write letters, digits and hyphens")
	case (source == api.InQuery || source == api.InForm || source == api.InFile) && strings.ContainsAny(name, "[]"):
		return errors.New("write the name without brackets, and Multi() for several values")
	}
	return nil
}

// isToken is the syntax of names in headers (RFC 9110, section 5.6.2), and of
// cookies (RFC 6265, section 4.1.1).
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}

// checkMediaTypes finds patterns that no media type fits: "image/png", "image/*",
// "application/*+json" and "*/*" are good ones.
func checkMediaTypes(patterns []string) error {
	var errs []error
	for _, pattern := range patterns {
		kind, subtype, _ := strings.Cut(pattern, "/")
		stars := strings.Count(pattern, "*")
		good := isToken(kind) && isToken(subtype) &&
			(stars == 0 || stars == 1 && strings.HasPrefix(subtype, "*") || pattern == "*/*")
		if !good {
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
