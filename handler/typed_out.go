package handler

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/part"
)

// out is how values of one type are answered.
type out struct {
	kind    reflect.Type
	status  int
	sends   bool // it is an api.Response
	replies bool // it is an api.Replier
	empty   bool // it is struct{}
	nilable bool
}

var (
	responseType = reflect.TypeFor[api.Response]()
	replierType  = reflect.TypeFor[api.Replier]()
	emptyType    = reflect.TypeFor[struct{}]()
)

func newOut(t reflect.Type, status int) (out, error) {
	o := out{kind: t, status: status, empty: t == emptyType,
		sends: t.Implements(responseType), replies: t.Implements(replierType)}
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Func:
		o.nilable = true
	}
	switch {
	case (o.sends || o.empty) && status != 0:
		return o, fmt.Errorf("the answer %s has a status of its own: Status says another", t)
	case o.sends, o.empty, o.replies && status == 0:
		return o, nil
	case o.replies && (status < 200 || status > 299):
		return o, fmt.Errorf("%d is no status of success", status)
	case o.replies:
		return o, nil
	case t.Kind() == reflect.Func, t.Kind() == reflect.Chan, t.Kind() == reflect.Complex64, t.Kind() == reflect.Complex128:
		return o, fmt.Errorf("the answer is a %s, which is no JSON", t)
	case reflect.PointerTo(t).Implements(responseType), reflect.PointerTo(t).Implements(replierType):
		return o, fmt.Errorf("the answer is a %s, but it is *%s that says how it is sent", t, t)
	case status == 0:
		o.status = http.StatusOK
	case status < 200 || status > 299:
		return o, fmt.Errorf("%d is no status of success", status)
	case status == http.StatusNoContent, status == http.StatusResetContent:
		return o, errors.New("an answer with this Status has no body: let the function return struct{}")
	}
	return o, nil
}

// response answers with what the function named name returned.
func (o *out) response(v any, name string) (api.Response, error) {
	switch {
	case o.empty:
		return api.NoContent(), nil
	case o.nilable && part.IsNil(v):
		if o.sends && o.kind.Kind() == reflect.Interface && v == nil {
			return nil, nil // the presenter tells
		}
		return nil, fmt.Errorf("handler.Typed: the handler %s returned a nil %s and no error", name, o.kind)
	}
	switch v := v.(type) {
	case api.Response:
		return v, nil
	case api.Replier:
		return v.Response(), nil
	}
	return api.JSON(o.status, v), nil
}

// outputs are what documents say of the answer. One that chooses its status itself
// may have any one of success, unless the options name it; a response that does
// not tell the type of its body may be anything.
func (o *out) outputs() []api.Output {
	s := success{status: o.status, body: o.kind}
	switch {
	case o.empty:
		return []api.Output{success{status: http.StatusNoContent}}
	case o.sends, o.replies:
		told, ok := reflect.Zero(o.kind).Interface().(interface{ BodyType() reflect.Type })
		if !ok || o.nilable {
			return nil
		}
		s = success{status: o.status, body: told.BodyType()}
		if s.body == emptyType {
			s.body = nil
		}
	case o.kind.Kind() == reflect.Interface:
		return nil
	}
	return []api.Output{s}
}
