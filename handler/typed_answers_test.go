package handler_test

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler"
)

type user struct {
	Name string `json:"name"`
}

type teapot struct{ name string }

func (*teapot) Status() int { return 418 }
func (p *teapot) Send(w http.ResponseWriter, _ *http.Request) error {
	w.WriteHeader(418)
	_, err := io.WriteString(w, p.name)
	return err
}

// answers is what a handler answers with the value and the error.
func answers[Out any](t *testing.T, o handler.TypedOptions, v Out, failure error) (status int, body string, err error) {
	t.Helper()
	h := handler.TypedWith(o, func(context.Context, struct{}) (Out, error) { return v, failure })
	require.NoError(t, h.(interface{ Validate() error }).Validate())
	r := get("/", nil)
	response, err := h.Handle(t.Context(), r)
	if err != nil || response == nil {
		require.Nil(t, response)
		return 0, "", err
	}
	w := httptest.NewRecorder()
	if err = response.Send(w, r.Request); err != nil {
		require.Empty(t, w.Body)
		return 0, "", err
	}
	require.Equal(t, response.Status(), w.Code)
	return w.Code, w.Body.String(), nil
}

func TestTypedAnswers(t *testing.T) {
	type row struct {
		status int
		body   string
		err    string
	}
	made := func(status int, body string, err error) row {
		if err != nil {
			return row{status, body, err.Error()}
		}
		return row{status, body, ""}
	}
	var none handler.TypedOptions
	failed := errors.New("pq: no route to host")
	nilOf := func(kind string) string {
		return "handler.Typed: the handler github.com/sallyport-go/sallyport/handler_test.answers[...].func1 returned a nil " + kind + " and no error"
	}
	for name, r := range map[string][2]row{
		"a struct":                {made(answers(t, none, user{"Ann"}, nil)), {200, `{"name":"Ann"}`, ""}},
		"a pointer":               {made(answers(t, none, &user{"Ann"}, nil)), {200, `{"name":"Ann"}`, ""}},
		"a status":                {made(answers(t, handler.TypedOptions{Status: 202}, user{"Ann"}, nil)), {202, `{"name":"Ann"}`, ""}},
		"a nil list":              {made(answers(t, none, []user(nil), nil)), {200, `[]`, ""}},
		"a nil map":               {made(answers(t, none, map[string]user(nil), nil)), {200, `{}`, ""}},
		"any":                     {made(answers[any](t, none, 7, nil)), {200, `7`, ""}},
		"any that is a reply":     {made(answers[any](t, none, api.Created("/7", 7), nil)), {201, `7`, ""}},
		"nothing":                 {made(answers(t, none, struct{}{}, nil)), {204, ``, ""}},
		"a response":              {made(answers(t, none, api.Text(203, "hi"), nil)), {203, `hi`, ""}},
		"a type of a response":    {made(answers(t, none, &teapot{"tea"}, nil)), {418, `tea`, ""}},
		"a reply":                 {made(answers(t, none, api.Reply[user]{Status: 203}, nil)), {203, `{"name":""}`, ""}},
		"a reply without body":    {made(answers(t, none, api.Reply[struct{}]{Status: 202}, nil)), {202, ``, ""}},
		"an error":                {made(answers(t, none, user{"Ann"}, failed)), {0, "", "pq: no route to host"}},  // peer-fw 53
		"a nil pointer":           {made(answers[*user](t, none, nil, nil)), {0, "", nilOf("*handler_test.user")}}, // peer-fw 64
		"a nil any":               {made(answers[any](t, none, nil, nil)), {0, "", nilOf("interface {}")}},
		"a nil pointer in any":    {made(answers[any](t, none, (*user)(nil), nil)), {0, "", nilOf("interface {}")}},
		"a nil response type":     {made(answers[*teapot](t, none, nil, nil)), {0, "", nilOf("*handler_test.teapot")}},
		"a nil response":          {made(answers[api.Response](t, none, nil, nil)), {}},
		"a value that is no JSON": {made(answers(t, none, math.NaN(), nil)), {0, "", "api: encode the response: json: unsupported value: NaN"}}, // peer-fw 62
	} {
		require.Equal(t, r[1], r[0], name)
	}
}

func TestTypedReturnsErrorsUntouched(t *testing.T) {
	for _, failure := range []error{errPrivate, api.NotFound("user"), &api.Error{Status: 409}} {
		_, err := handler.Typed(func(context.Context, struct{}) (user, error) { return user{}, failure }).Handle(t.Context(), get("/", nil))
		require.Equal(t, failure, err)
	}
}

func TestTypedHandsTheContextOn(t *testing.T) {
	r := get("/", nil)
	_, err := handler.Typed(func(ctx context.Context, _ struct{}) (struct{}, error) {
		require.Same(t, r, api.RequestFrom(ctx))
		return struct{}{}, nil
	}).Handle(r.Context(), r)
	require.NoError(t, err)
}
