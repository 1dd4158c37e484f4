package param

import (
	"strings"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/jsonvalue"
	"github.com/sallyport-go/sallyport/internal/schema"
)

// Bounds of what one body can make an answer say: names are a client's own, and
// a list of a million elements can be wrong a million times.
const (
	maxFaults  = 100
	maxPointer = 256
)

// inBody are the faults of a body, each with its place in front of the message.
func inBody(found []jsonvalue.Fault) error {
	fields := make([]api.FieldError, 0, min(len(found), maxFaults))
	for _, f := range found[:min(len(found), maxFaults)] {
		at := shorten(f.Pointer)
		fields = append(fields, api.FieldError{In: "body", Name: at, Code: f.Code, Message: schema.Prefixed(at, f.Message)})
	}
	return api.Invalid(fields...)
}

// shorten is the pointer itself, or to what is around when it is too long.
func shorten(pointer string) string {
	if len(pointer) <= maxPointer {
		return pointer
	}
	return pointer[:strings.LastIndexByte(pointer[:maxPointer], '/')]
}
