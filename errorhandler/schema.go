package errorhandler

import (
	"encoding/json"

	"github.com/sallyport-go/sallyport/api"
)

var (
	_ api.ErrorDescriber = Default{}
	_ api.ErrorDescriber = ProblemDetails{}
	_ api.ErrorDescriber = Funcs{}
	_ api.ErrorDescriber = Map{}
	_ api.ErrorMapper    = Map{}
)

const (
	mediaTypeJSON    = "application/json"
	mediaTypeProblem = "application/problem+json"
)

const defaultSchema = `{"type":"object","required":["status","message"],"properties":{` +
	`"status":{"type":"string","const":"error"},"message":{"type":"string"},"code":{"type":"string"}}}`

const (
	problemBegin = `{"type":"object","required":["type","status","detail"],"properties":{` +
		`"type":{"type":"string","format":"uri-reference"},"title":{"type":"string"},` +
		`"status":{"type":"integer","minimum":400,"maximum":599},"detail":{"type":"string"},` +
		`"instance":{"type":"string","format":"uri-reference"},"code":{"type":"string"}`
	problemEnd = `}}`

	problemRefusal = `,"limit":{"type":"integer","minimum":0},"retryAfter":{"type":"integer","minimum":1},"policy":{"type":"string"},` +
		`"violated-policies":{"type":"array","items":{"type":"string"}}`

	problemErrors = `,"errors":{"type":"array","items":{"type":"object","required":["detail"],"properties":{` +
		`"detail":{"type":"string"},"code":{"type":"string"},"pointer":{"type":"string","format":"uri-reference"},` +
		`"in":{"type":"string","enum":["path","query","header","cookie","form","body"]},"name":{"type":"string"}}}}`
)

// ErrorSchema describes the answers of every kind, without what debug mode adds.
func (Default) ErrorSchema(api.Kind) (mediaType string, schema api.Schema) {
	return mediaTypeJSON, api.Schema{JSON: json.RawMessage(defaultSchema)}
}

// ErrorSchema describes the answers of a kind, without what debug mode adds.
func (ProblemDetails) ErrorSchema(kind api.Kind) (mediaType string, schema api.Schema) {
	more := ""
	switch kind {
	case api.KindRateLimit:
		more = problemRefusal
	case api.KindInput:
		more = problemErrors
	}
	return mediaTypeProblem, api.Schema{JSON: json.RawMessage(problemBegin + more + problemEnd)}
}

// schemaOf asks an error handler that may not know; nil is [Default].
func schemaOf(h api.ErrorHandler, kind api.Kind) (mediaType string, schema api.Schema) {
	if d, describes := base(h).(api.ErrorDescriber); describes {
		return d.ErrorSchema(kind)
	}
	return "", api.Schema{}
}
