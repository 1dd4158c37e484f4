package api

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
)

// Error is an error of a handler that says how it is answered, in the format of
// the program's error handler. Every other error is answered 500 without its
// text, but for what reading the body returned: that is the client's fault and
// answered 413, 408 or 400, also inside an Error.
type Error struct {
	Status  int    // 400 to 599; anything else is a 500 without the Message
	Message string // for the client; "": the usual one of the status

	// Code names the error for programs, "user.taken". It stays what it is when
	// the Message changes. "" is none.
	Code string

	// Fields are the faults of the input, each for the client.
	Fields []FieldError

	// Header is added to the answer, such as Accept to a 415. Its Allow and
	// WWW-Authenticate replace those of the presenter.
	Header http.Header

	// Err is the cause, for the log alone: errors.Is and errors.As reach it.
	Err error
}

// NotFound is the Error with status 404 for something that is not there:
// NotFound("user") says "There is no such user".
func NotFound(what string) error {
	return Error{Status: http.StatusNotFound, Message: "There is no such " + what}
}

// Invalid is the Error with status 400 for faults of the input.
func Invalid(faults ...FieldError) error {
	return Error{Status: http.StatusBadRequest, Fields: faults}
}

// Error is the message and, for the log, the faults of the input and the cause.
func (e Error) Error() string {
	text := e.Message
	if text == "" {
		text = http.StatusText(e.Status)
	}
	for i, f := range e.Fields {
		if i == loggedFields {
			text += fmt.Sprintf("; %d more", len(e.Fields)-i)
			break
		}
		text += fmt.Sprintf("; %s %q: %s", f.In, f.Name, cmp.Or(f.Code, f.Message))
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// loggedFields is how many faults of the input stand in the text of an Error.
const loggedFields = 5

// Unwrap is the cause.
func (e Error) Unwrap() error { return e.Err }

// AsError returns the Error in err; ok is false when there is none in it.
func AsError(err error) (e Error, ok bool) {
	if errors.As(err, &e) {
		return e, true
	}
	var p *Error
	if errors.As(err, &p) {
		return *p, true
	}
	return Error{}, false
}

// KindOf is the kind of a failure that a handler answers with that status: one
// of the request that bears the status, else KindInput for 4xx, and KindHandler
// for everything else. It is never the kind of a gate that the presenter keeps,
// which says more than a status: a handler's 429 is no limit that is used up,
// and its 503 none that fails closed. The presenter calls it.
func KindOf(status int) Kind {
	switch status {
	case http.StatusUnauthorized:
		return KindUnauthorized
	case http.StatusForbidden:
		return KindForbidden
	case http.StatusNotFound:
		return KindNotFound
	case http.StatusMethodNotAllowed:
		return KindMethodNotAllowed
	case http.StatusNotAcceptable:
		return KindNotAcceptable
	case http.StatusRequestEntityTooLarge:
		return KindTooLarge
	case http.StatusRequestURITooLong:
		return KindURITooLong
	case http.StatusUnsupportedMediaType:
		return KindUnsupportedMedia
	}
	if status >= 400 && status < 500 {
		return KindInput
	}
	return KindHandler
}
