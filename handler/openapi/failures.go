package openapi

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/jsontree"
	"github.com/sallyport-go/sallyport/internal/part"
)

// failure is an answer of the program around the handler.
type failure struct {
	status      int
	description string
	mediaType   string // "": it is not known
	schema      any
}

// failures are those that an endpoint can have, with the bodies of the error
// handler in use.
func (w *writer) failures(e *api.Endpoint) (list []failure) {
	add := func(kind api.Kind, status int, description string) {
		mediaType, schema := w.errorBody(e, kind)
		list = append(list, failure{status, description, mediaType, schema})
	}
	takesBody := slices.ContainsFunc(e.Inputs, func(in api.Input) bool { return in.In.Body() })
	if len(e.Inputs) > 0 {
		add(api.KindInput, http.StatusBadRequest, "The input is wrong")
	}
	if !open(e.Scheme) {
		add(api.KindUnauthorized, http.StatusUnauthorized, "The credentials are missing or not valid")
	}
	if scoped(e.Scheme) {
		add(api.KindForbidden, http.StatusForbidden, "The caller is known and may not do this")
	}
	if takesBody {
		add(api.KindTooLarge, http.StatusRequestEntityTooLarge, "The body is too large")
		add(api.KindUnsupportedMedia, http.StatusUnsupportedMediaType, "The media type of the body is not taken")
	}
	if len(e.Policies) > 0 {
		add(api.KindRateLimit, http.StatusTooManyRequests, "A rate limit is used up")
	}
	add(api.KindHandler, http.StatusInternalServerError, "Internal server error")
	if slices.ContainsFunc(e.Policies, isClosed) {
		add(api.KindUnavailable, http.StatusServiceUnavailable, "A rate limit cannot be checked")
	}
	for _, status := range e.Description.Failures {
		if !slices.ContainsFunc(list, func(f failure) bool { return f.status == status }) {
			add(kindOf(status), status, http.StatusText(status))
		}
	}
	return list
}

// kindOf is the kind of an error that a handler returns with that status.
func kindOf(status int) api.Kind {
	if status == http.StatusNotFound {
		return api.KindNotFound
	}
	if status < http.StatusInternalServerError {
		return api.KindInput
	}
	return api.KindHandler
}

// errorBody is what the error handler answers to a kind.
func (w *writer) errorBody(e *api.Endpoint, kind api.Kind) (mediaType string, schema any) {
	h := e.ErrorHandler
	if part.IsNil(h) {
		h = w.program.ErrorHandler
	}
	describer, ok := h.(api.ErrorDescriber)
	if !ok {
		return "", nil
	}
	mediaType, told := describer.ErrorSchema(kind)
	if mediaType == "" {
		return "", nil
	}
	if told.JSON == nil && told.Type == nil {
		return mediaType, true
	}
	if told.JSON == nil {
		return mediaType, w.types.Type(told.Type, written)
	}
	return mediaType, named(w.errorName(e, describer, kind, told.JSON))
}

// errorName is the component of an error body. The kinds that look like any other
// failure share it.
func (w *writer) errorName(e *api.Endpoint, describer api.ErrorDescriber, kind api.Kind, schema json.RawMessage) string {
	if name, ok := w.failed[string(schema)]; ok {
		return name
	}
	base := "Error"
	if _, usual := describer.ErrorSchema(api.KindHandler); string(usual.JSON) != string(schema) {
		base = map[api.Kind]string{
			api.KindInput: "InputError", api.KindUnauthorized: "UnauthorizedError", api.KindForbidden: "ForbiddenError",
			api.KindRateLimit: "RateLimitError", api.KindUnavailable: "UnavailableError",
		}[kind]
		if base == "" {
			base = "OtherError"
		}
	}
	name := base
	for n := 2; hasMember(w.schemas, name); n++ {
		name = base + strconv.Itoa(n)
	}
	w.failed[string(schema)] = name
	w.types.Take(name)
	node, err := w.fromJSON(schema, name)
	w.mistake(e, part.Within("the error handler", err))
	if reference, _ := node.(*jsontree.Object); reference == nil || reference.Text("$ref") != referSchemas+name { // else it is defined already
		w.schemas.Set(name, node)
	}
	return name
}
