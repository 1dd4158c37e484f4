package api_test

import (
	"database/sql"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
)

func TestErrorsOfHandlers(t *testing.T) {
	for _, tc := range []struct {
		name string
		err  error
		want api.Error
		text string
	}{
		{"not found", api.NotFound("user"), api.Error{Status: 404, Message: "There is no such user"}, "There is no such user"},
		{"a value", api.Error{Status: 409, Message: "taken"}, api.Error{Status: 409, Message: "taken"}, "taken"},
		{"a pointer", &api.Error{Status: 409, Message: "taken"}, api.Error{Status: 409, Message: "taken"}, "taken"},
		{"with a code", api.Error{Status: 409, Code: "user.taken", Message: "taken"}, api.Error{Status: 409, Code: "user.taken", Message: "taken"}, "taken"},
		{"without a message", api.Error{Status: 409}, api.Error{Status: 409}, "Conflict"},
		{"with faults", many(2), many(2), `Bad Request; query "a\n0": required; query "a\n1": required`},
		{"with many faults", many(7), many(7), `Bad Request; query "a\n0": required; query "a\n1": required; query "a\n2": required; query "a\n3": required; query "a\n4": required; 2 more`},
		{"with a cause", api.Error{Status: 404, Message: "gone", Err: sql.ErrNoRows}, api.Error{Status: 404, Message: "gone", Err: sql.ErrNoRows}, "gone: sql: no rows in result set"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, ok := api.AsError(fmt.Errorf("store: %w", tc.err))
			require.True(t, ok)
			require.Equal(t, tc.want, got)
			require.EqualError(t, tc.err, tc.text)
		})
	}
	require.ErrorIs(t, api.Error{Status: 404, Err: sql.ErrNoRows}, sql.ErrNoRows)

	for name, err := range map[string]error{"nil": nil, "another": sql.ErrNoRows} {
		_, ok := api.AsError(err)
		require.False(t, ok, name)
	}
}

// many is wrong input with names that a client has made up.
func many(n int) api.Error {
	var faults []api.FieldError
	for i := range n {
		faults = append(faults, api.FieldError{In: "query", Name: fmt.Sprintf("a\n%d", i), Code: "required", Message: "Field is required"})
	}
	e, _ := api.AsError(api.Invalid(faults...))
	return e
}

func TestTheKindOfAStatus(t *testing.T) {
	for status, want := range map[int]api.Kind{
		400: api.KindInput, 401: api.KindUnauthorized, 403: api.KindForbidden, 404: api.KindNotFound,
		405: api.KindMethodNotAllowed, 406: api.KindNotAcceptable, 408: api.KindInput, 409: api.KindInput,
		413: api.KindTooLarge, 414: api.KindURITooLong, 415: api.KindUnsupportedMedia, 422: api.KindInput, 499: api.KindInput,
		500: api.KindHandler, 502: api.KindHandler, 599: api.KindHandler,
		429: api.KindInput,   // no limit of the presenter is used up
		503: api.KindHandler, // no limit of the presenter fails closed
	} {
		require.Equal(t, want, api.KindOf(status), status)
		if want != api.KindInput && want != api.KindHandler {
			require.Equal(t, status, want.Status())
		}
	}
}
