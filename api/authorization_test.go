package api_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
)

func TestAsRefusal(t *testing.T) {
	var typedNil *api.Refusal
	other := errors.New("the database is down")
	for name, row := range map[string]struct {
		err    error
		want   *api.Refusal
		status int
	}{
		"unauthorized":    {api.Unauthorized("Invalid IP"), &api.Refusal{Kind: api.KindUnauthorized, Message: "Invalid IP"}, 401},
		"forbidden":       {api.Forbidden("not yours"), &api.Refusal{Kind: api.KindForbidden, Message: "not yours"}, 403}, // FW-157
		"bad credentials": {api.BadCredentials("two tokens"), &api.Refusal{Kind: api.KindInput, Message: "two tokens"}, 400},
		"with a challenge": {
			&api.Refusal{Kind: api.KindUnauthorized, Message: "expired", Challenge: `Bearer error="invalid_token"`},
			&api.Refusal{Kind: api.KindUnauthorized, Message: "expired", Challenge: `Bearer error="invalid_token"`}, 401,
		},
		"wrapped":           {fmt.Errorf("any: %w", api.Forbidden("not yours")), &api.Refusal{Kind: api.KindForbidden, Message: "not yours"}, 403},
		"joined":            {errors.Join(other, api.Unauthorized("no")), &api.Refusal{Kind: api.KindUnauthorized, Message: "no"}, 401},
		"no error":          {err: nil},
		"another error":     {err: other},
		"a typed nil":       {err: typedNil},
		"wrapped typed nil": {err: errors.Join(typedNil, other)},
	} {
		t.Run(name, func(t *testing.T) {
			got := api.AsRefusal(row.err)
			require.Equal(t, row.want, got)
			if got != nil {
				require.Equal(t, row.status, got.Kind.Status())
				require.EqualError(t, got, got.Message)
			}
		})
	}
}

func TestIdentity(t *testing.T) {
	for _, row := range []struct {
		identity api.Identity
		isZero   bool
		text     string
	}{
		{api.Identity{}, true, ""},
		{api.Identity{Value: "a plan"}, true, ""},
		{api.Identity{Scheme: "basic", ID: "ann"}, false, "basic:ann"},
		{api.Identity{Scheme: "bearer", ID: "ann"}, false, "bearer:ann"},
		{api.Identity{ID: "ann"}, false, ":ann"},
		{api.Identity{Scheme: "basic"}, false, "basic:"},
	} {
		require.Equal(t, row.isZero, row.identity.IsZero())
		require.Equal(t, row.text, row.identity.String())
	}
}
