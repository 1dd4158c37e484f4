package api

import (
	"errors"
	"fmt"
	"time"

	"github.com/sallyport-go/sallyport/internal/httpuri"
)

// Lifecycle tells clients that the endpoints of a version are on their way out. It
// changes nothing but header fields: they go on as before. The zero Lifecycle tells
// nothing.
type Lifecycle struct {
	Deprecated time.Time // since when, or from when on, it should not be used: Deprecation (RFC 9745)
	Sunset     time.Time // when it may cease to answer: Sunset (RFC 8594); not before Deprecated

	// Documentation is the URL of a page about it, of http or https and escaped as
	// RFC 3986 has it: Link with rel="deprecation".
	Documentation string

	// Successor is the version that has the endpoint now: Link with
	// rel="successor-version" (RFC 5829), where that version has one of the same
	// method and path.
	Successor string
}

// IsZero reports whether it tells nothing.
func (l Lifecycle) IsZero() bool { return l == Lifecycle{} }

// Validate reports a Sunset before Deprecated, and a Documentation that is no
// such URL. It does not repeat that, which may hold a password.
func (l Lifecycle) Validate() error {
	var errs []error
	if !l.Deprecated.IsZero() && !l.Sunset.IsZero() && l.Sunset.Before(l.Deprecated) {
		errs = append(errs, errors.New("the Sunset lies before Deprecated (RFC 9745, section 4)"))
	}
	for name, at := range map[string]time.Time{"Deprecated": l.Deprecated, "Sunset": l.Sunset} {
		if year := at.UTC().Year(); !at.IsZero() && (year < 1970 || year > 9999) {
			errs = append(errs, fmt.Errorf("%s is in the year %d: no header field can say so", name, year))
		}
	}
	if l.Documentation != "" && !httpuri.Is(l.Documentation) {
		errs = append(errs, errors.New(`the Documentation: write a URL like "https://dev.example/v1-to-v2", with everything escaped and without a user`))
	}
	return errors.Join(errs...)
}

// Of is the lifecycle of an endpoint of the version that l belongs to.
func (l Lifecycle) Of(a *Api) Lifecycle {
	if !a.Deprecated.IsZero() {
		l.Deprecated = a.Deprecated
	}
	if !a.Sunset.IsZero() {
		l.Sunset = a.Sunset
	}
	if a.Successor != "" {
		l.Successor = a.Successor
	}
	return l
}
