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
		"without a kind":    {err: &api.Refusal{Message: "the password of the database is wrong"}},
		"of another kind":   {err: &api.Refusal{Kind: api.KindRateLimit, Message: "slow down"}},
		"of no kind":        {err: &api.Refusal{Kind: 255, Message: "no"}},
		"a challenge that splits the answer": {
			&api.Refusal{Kind: api.KindUnauthorized, Message: "no", Challenge: "Bearer realm=\"a\"\r\nSet-Cookie: a=b"},
			&api.Refusal{Kind: api.KindUnauthorized, Message: "no"}, 401,
		},
		"a challenge without a scheme": {
			&api.Refusal{Kind: api.KindForbidden, Message: "no", Challenge: `realm="api"`},
			&api.Refusal{Kind: api.KindForbidden, Message: "no"}, 403,
		},
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
		{api.Identity{Scheme: "a", ID: "b:c"}, false, "a:b:c"},
		{api.Identity{Scheme: "a:b", ID: "c"}, false, "a%3Ab:c"},
		{api.Identity{Scheme: "a%3Ab", ID: "c"}, false, "a%253Ab:c"},
		{api.Identity{Scheme: "a", ID: "50%"}, false, "a:50%"},
	} {
		require.Equal(t, row.isZero, row.identity.IsZero())
		require.Equal(t, row.text, row.identity.String())
	}
}

func TestNoTwoCallersAreOne(t *testing.T) {
	callers := map[string]api.Identity{}
	parts := []string{"", ":", "%", "%3A", "%25", "a", "a:", ":a", "a:b", "a%3Ab", "b", "%3", "A"}
	for _, scheme := range parts {
		for _, id := range parts {
			caller := api.Identity{Scheme: scheme, ID: id}
			other, found := callers[caller.String()]
			require.False(t, found, "%#v and %#v", caller, other)
			callers[caller.String()] = caller
		}
	}
}

func TestTheTextOfAnIdentityIsOneAllocation(t *testing.T) {
	caller := api.Identity{Scheme: "bearer", ID: "0123456789abcdef0123456789abcdef"}
	require.InDelta(t, 1, testing.AllocsPerRun(100, func() { _ = caller.String() }), 0)
}

func TestMistakesOfSchemes(t *testing.T) {
	const wrong = ": write the name of a scheme and its parameters, without control characters"
	for _, row := range []struct {
		scheme api.Scheme
		want   string // "": none
	}{
		{api.Scheme{}, ""},
		{api.Scheme{Name: "bearer", Challenge: `Bearer realm="api"`, Identifies: api.IdentifiesAlways}, ""},
		{api.Scheme{Challenge: "Negotiate"}, ""},
		{api.Scheme{Challenge: "Negotiate, Basic realm=\"é\",\tcharset=\"UTF-8\""}, ""},
		{api.Scheme{Challenge: "Bearer realm=\"a\"\r\nSet-Cookie: a=b"}, `challenge "Bearer realm=\"a\"\r\nSet-Cookie: a=b"` + wrong},
		{api.Scheme{Challenge: "Bearer\x00"}, `challenge "Bearer\x00"` + wrong},
		{api.Scheme{Challenge: "Bearer a=\x7f"}, `challenge "Bearer a=\x7f"` + wrong},
		{api.Scheme{Challenge: " "}, `challenge " "` + wrong},
		{api.Scheme{Challenge: "Bearer "}, `challenge "Bearer "` + wrong},
		{api.Scheme{Challenge: `realm="api"`}, `challenge "realm=\"api\""` + wrong},
		{api.Scheme{Identifies: api.IdentifiesAlways + 1}, "Identifies 4 is none of the constants"},
		{api.Scheme{Challenge: "\n", Identifies: 255}, `challenge "\n"` + wrong + "\nIdentifies 255 is none of the constants"},
	} {
		if err := row.scheme.Validate(); row.want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, row.want)
		}
	}
}
