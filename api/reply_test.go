package api_test

import (
	"net/http"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
)

func TestReply(t *testing.T) {
	const mediaJSON = "application/json; charset=utf-8"
	type user struct {
		ID int `json:"id"`
	}
	with := func(h http.Header, name, value string) http.Header {
		h.Set(name, value)
		return h
	}
	for name, row := range map[string]struct {
		reply api.Replier
		body  reflect.Type
		want  answer
	}{
		"zero":         {api.Reply[user]{}, reflect.TypeFor[user](), answer{200, content(mediaJSON, 8), `{"id":0}`}},
		"status":       {api.Reply[[]int]{Status: 202, Body: []int{1}}, reflect.TypeFor[[]int](), answer{202, content(mediaJSON, 3), "[1]"}},
		"header":       {api.Reply[int]{Header: http.Header{"etag": {`"1"`}}, Body: 1}, reflect.TypeFor[int](), answer{200, with(content(mediaJSON, 1), "Etag", `"1"`), "1"}},
		"media type":   {api.Reply[int]{Header: http.Header{"Content-Type": {"application/hal+json"}}}, reflect.TypeFor[int](), answer{200, content("application/hal+json", 1), "0"}},
		"no body":      {api.Reply[struct{}]{Header: http.Header{"A": {"1"}}}, reflect.TypeFor[struct{}](), answer{200, http.Header{"A": {"1"}, "Content-Length": {"0"}}, ""}},
		"no body, 204": {api.Reply[struct{}]{Status: 204}, reflect.TypeFor[struct{}](), answer{204, http.Header{}, ""}},
		"created":      {api.Created("/users/é", user{7}), reflect.TypeFor[user](), answer{201, with(content(mediaJSON, 8), "Location", "/users/%C3%A9"), `{"id":7}`}},
		"anything":     {api.Reply[any]{}, reflect.TypeFor[any](), answer{200, content(mediaJSON, 4), "null"}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, row.want, sent(t, row.reply.Response()))
			typed, ok := row.reply.(interface{ BodyType() reflect.Type })
			require.True(t, ok)
			require.Equal(t, row.body, typed.BodyType())
		})
	}
	require.EqualError(t, api.Reply[struct{}]{Status: 99}.Response().Send(&untouched{t: t}, nil), "api: 99 cannot be the status of a response")
	require.ErrorContains(t, api.Created("/a\r\nB: c", 1).Response().Send(&untouched{t: t}, nil), "api: the header field Location cannot have the value")
}
