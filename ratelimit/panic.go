package ratelimit

import (
	"net/http"
	"runtime/debug"

	"github.com/sallyport-go/sallyport/internal/part"
)

// PanicError is the error of a gate in which a part of the program has
// panicked: a key, a limiter of one's own, a storage. Like every fault of the
// program it is answered 500, whatever the value is: it wraps none. What the
// limits before it have said stands beside it. Only http.ErrAbortHandler stays a
// panic.
type PanicError struct {
	Value any    // what the part panicked with
	Stack []byte // where, as debug.Stack writes it: for the log
}

// Error is the value as text, without the stack.
func (e *PanicError) Error() string { return "ratelimit: panic: " + part.Text(e.Value) }

// catch makes a panic the error of the function that defers it.
func catch(err *error) {
	switch v := recover(); v {
	case nil:
	case http.ErrAbortHandler: // net/http cuts the connection
		panic(v)
	default:
		*err = &PanicError{Value: v, Stack: debug.Stack()}
	}
}
