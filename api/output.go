package api

import (
	"fmt"
	"net/http"
)

// An Output is one answer that a handler declares in its [Description]. Package
// handler/output has them for every kind of response. An implementation is
// immutable and safe for concurrent use.
type Output interface {
	// Describe describes the output. It is asked once, when the program is built.
	// The error joins the mistakes of the declaration.
	Describe() (OutputInfo, error)

	// Check returns why an answer is not this output; nil: it fits. Nothing of
	// it reaches a client unless the configuration shows details.
	Check(a *Answer) []string
}

// OutputInfo describes an [Output].
type OutputInfo struct {
	Status      int    // 0: one of success, which each answer chooses
	MediaType   string // "": there is no body
	Description string
	Schema      Schema
	Examples    []Example
	Location    bool // it is a redirect
}

// Answer is an answer as it is sent, byte for byte.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte

	// Partial is an answer that is sent piece by piece, or that is too long to be
	// kept: Body is not the whole of it.
	Partial bool
}

// OutputError is the cause of a [KindOutput] failure: the answer of a handler
// fits none of its outputs. A client sees it where details are shown.
type OutputError struct {
	Status int // of the answer

	// Reasons tell, for each output in its order, why the answer is not that one.
	Reasons [][]string
}

// Error is the reasons in one line, for the log.
func (e *OutputError) Error() string {
	return fmt.Sprintf("the answer with the status %d fits no declared output: %q", e.Status, e.Reasons)
}
