package jwt_test

import (
	"context"
	"errors"
	"testing"

	gojwt "github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/auth/jwt"
)

func TestScopesBesideAValue(t *testing.T) {
	a := jwt.New(config(func(c *jwt.Config) {
		c.Value = func(context.Context, jwt.Claims) (any, error) { return &user{"ada"}, nil }
	}))
	r := request("Bearer " + sign("HS256", secret, valid(gojwt.MapClaims{"scope": "a b"}), nil))
	for scope, admitted := range map[string]bool{"a": true, "b": true, "a b": false, "c": false} {
		for _, asking := range []api.Authorization{auth.Scopes(a, scope), auth.Scopes(auth.Any(a), scope)} {
			identity, err := asking.Authorize(t.Context(), r)
			require.Equal(t, admitted, err == nil, scope)
			require.Equal(t, &user{"ada"}, identity.Value)
		}
	}
}

type user struct{ name string }

func TestValueOfTheIdentity(t *testing.T) {
	down := errors.New("the database is down")
	known := api.Identity{Scheme: "jwt", ID: issuer + "#ada"}
	tests := []struct {
		name     string
		value    any
		err      error
		identity api.Identity
		refusal  *api.Refusal
	}{
		{"a user", &user{"ada"}, nil, api.Identity{Scheme: known.Scheme, ID: known.ID, Value: &user{"ada"}}, nil},
		{"nobody any more", nil, api.Unauthorized("Gone"), api.Identity{}, &api.Refusal{Kind: api.KindUnauthorized, Message: "Gone", Challenge: bare + `, error="invalid_token"`}},
		{"his own challenge", nil, &api.Refusal{Kind: api.KindUnauthorized, Message: "Gone", Challenge: "Other"}, api.Identity{}, &api.Refusal{Kind: api.KindUnauthorized, Message: "Gone", Challenge: "Other"}},
		{"one who may not", nil, api.Forbidden("Not paid"), known, &api.Refusal{Kind: api.KindForbidden, Message: "Not paid"}},
		{"cannot tell", nil, down, api.Identity{}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			identity, err := authorize(t, config(func(c *jwt.Config) {
				c.Value = func(_ context.Context, claims jwt.Claims) (any, error) {
					require.Equal(t, "ada", claims["sub"])
					return test.value, test.err
				}
			}), sign("HS256", secret, valid(nil), nil))
			require.Equal(t, test.identity, identity)
			if test.refusal == nil {
				require.ErrorIs(t, err, test.err)
			}
			require.Equal(t, test.refusal, api.AsRefusal(err))
		})
	}
}
