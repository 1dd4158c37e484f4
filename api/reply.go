package api

import (
	"net/http"
	"reflect"
)

// Replier is a value that a response is made of. A typed handler that returns one
// answers with its response.
type Replier interface {
	Response() Response
}

// Reply is what a typed handler returns to answer with another status or with
// header fields. The zero Reply is 200 with the zero body.
type Reply[T any] struct {
	Status int         // 0: 200
	Header http.Header // more fields of the answer, see [WithHeader]
	Body   T           // as JSON; none at all when T is struct{}
}

// Response is the answer.
func (p Reply[T]) Response() Response {
	status := p.Status
	if status == 0 {
		status = http.StatusOK
	}
	response := Response(empty(status))
	if p.BodyType() != reflect.TypeFor[struct{}]() {
		response = JSON(status, p.Body)
	}
	if len(p.Header) == 0 {
		return response
	}
	return WithHeader(response, p.Header)
}

// BodyType is the type of the body; struct{} is none.
func (Reply[T]) BodyType() reflect.Type { return reflect.TypeFor[T]() }

// Created answers 201 with v and the location of what was created (RFC 9110,
// section 15.3.2).
func Created[T any](location string, v T) Reply[T] {
	return Reply[T]{Status: http.StatusCreated, Header: http.Header{"Location": {escapeLocation(location)}}, Body: v}
}
