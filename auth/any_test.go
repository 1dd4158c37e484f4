package auth_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
)

// own is an authorization of a program.
type own struct {
	scheme   api.Scheme
	identity api.Identity
	err      error
	asked    *int
}

func (o own) Authorize(context.Context, *api.Request) (api.Identity, error) {
	if o.asked != nil {
		*o.asked++
	}
	return o.identity, o.err
}

func (o own) Scheme() api.Scheme { return o.scheme }

// carrying is one that tells whether a request is for it.
type carrying struct {
	own
	carries bool
}

func (c carrying) Carries(*api.Request) bool { return c.carries }

// wrapper is an authorization around another one.
type wrapper struct{ inner api.Authorization }

func (w wrapper) Authorize(ctx context.Context, r *api.Request) (api.Identity, error) {
	return w.inner.Authorize(ctx, r)
}

func (w wrapper) Scheme() api.Scheme        { return w.inner.Scheme() }
func (w wrapper) Unwrap() api.Authorization { return w.inner }

var (
	bearers  = auth.Bearer(auth.Tokens{"my-token": {ID: "ada", IPs: auth.AnyIP()}, "single": {ID: "bob", IPs: auth.AnyIP(), Value: 7}})
	basics   = auth.Basic(auth.Passwords{"ada": "secret"})
	keys     = auth.HeaderKey("X-API-Key", auth.Tokens{"my-key": {ID: "shop", IPs: auth.AnyIP()}})
	network  = own{scheme: api.Scheme{Identifies: api.IdentifiesNever}}
	outside  = own{scheme: api.Scheme{Identifies: api.IdentifiesNever}, err: api.Forbidden("Not from here")}
	banned   = own{identity: api.Identity{Scheme: "own", ID: "eve"}, err: api.Forbidden("Banned")}
	failing  = own{err: errors.New("no connection")}
	strange  = own{scheme: api.Scheme{Name: "own", Challenge: "Own"}, err: api.Unauthorized("own is not set")}
	strangeX = own{scheme: strange.scheme, err: &api.Refusal{Kind: api.KindUnauthorized, Message: "own is wrong", Challenge: `Own error="x"`}}
)

// call is a request with credentials: lines of Authorization, then an API key.
type call struct {
	authorization []string
	key           string
}

func (c call) request() *api.Request {
	r := request("1.2.3.4", c.authorization...)
	if c.key != "" {
		r.Header.Set("X-API-Key", c.key)
	}
	return r
}

func TestAny(t *testing.T) {
	const all = `Bearer realm="api", Basic realm="api", charset="UTF-8", ApiKey realm="api"`
	three := auth.Any(bearers, basics, keys)
	nested := auth.Any(auth.Any(bearers, basics), wrapper{keys})
	unauthorized := func(message, challenge string) error {
		return &api.Refusal{Kind: api.KindUnauthorized, Message: message, Challenge: challenge}
	}
	ada, shop := api.Identity{Scheme: "bearer", ID: "ada"}, api.Identity{Scheme: "apikey", ID: "shop"}
	tests := []struct {
		name string
		any  api.Authorization
		call call
		want api.Identity
		err  error
	}{
		{"first", three, call{[]string{"Bearer my-token"}, ""}, ada, nil},
		{"second", three, call{[]string{basic("ada", "secret")}, ""}, api.Identity{Scheme: "basic", ID: "ada"}, nil},
		{"third", three, call{nil, "my-key"}, shop, nil},
		{"first of two", three, call{[]string{"Bearer my-token"}, "my-key"}, ada, nil},
		{"right behind wrong", three, call{[]string{"Bearer other"}, "my-key"}, shop, nil},
		{"no credentials", three, call{}, api.Identity{}, unauthorized(noHeader, all)},
		{"of another scheme", three, call{[]string{"Digest x"}, ""}, api.Identity{}, unauthorized(otherScheme, all)},
		{"wrong token", three, call{[]string{"Bearer other"}, ""}, api.Identity{}, unauthorized(unknownToken, invalidToken)},
		{"wrong password", three, call{[]string{basic("ada", "x")}, ""}, api.Identity{}, unauthorized(wrongPassword, basicChallenge)},
		{"wrong key", three, call{nil, "x"}, api.Identity{}, unauthorized(unknownToken, apiKeyChallenge)},
		{"wrong password and key", three, call{[]string{basic("ada", "x")}, "x"}, api.Identity{}, unauthorized(wrongPassword, basicChallenge)},
		{"malformed", three, call{[]string{"Bearer a b"}, ""}, api.Identity{}, &api.Refusal{Kind: api.KindInput, Message: badStructure, Challenge: invalidRequest}},
		{"two fields of a scheme that is none", three, call{[]string{"X y", "X y"}, ""}, api.Identity{}, &api.Refusal{Kind: api.KindInput, Message: badStructure, Challenge: invalidRequest}},

		{"nested, none", nested, call{}, api.Identity{}, unauthorized(noHeader, all)},
		{"nested, wrong key", nested, call{nil, "x"}, api.Identity{}, unauthorized(unknownToken, apiKeyChallenge)},
		{"nested, wrong password", nested, call{[]string{basic("ada", "x")}, ""}, api.Identity{}, unauthorized(wrongPassword, basicChallenge)},
		{"nested, right", nested, call{nil, "my-key"}, shop, nil},

		{"optional, none", auth.Any(bearers, auth.None()), call{}, api.Identity{}, nil},
		{"optional, right", auth.Any(bearers, auth.None()), call{[]string{"Bearer my-token"}, ""}, ada, nil},
		{"optional, wrong", auth.Any(bearers, auth.None()), call{[]string{"Bearer other"}, ""}, api.Identity{}, unauthorized(unknownToken, invalidToken)},

		{"cannot decide", auth.Any(bearers, failing, keys), call{nil, "my-key"}, api.Identity{}, failing.err},
		{"cannot decide, but one admits before", auth.Any(keys, failing), call{nil, "my-key"}, shop, nil},
		{"forbidden stops", auth.Any(banned, keys), call{nil, "my-key"}, banned.identity, banned.err},
		{"forbidden without credentials", auth.Any(outside, keys), call{nil, "my-key"}, shop, nil},
		{"forbidden and nothing", auth.Any(outside, keys), call{}, api.Identity{}, unauthorized("API key is not set", apiKeyChallenge)},
		{"all forbidden", auth.Any(outside, outside), call{}, api.Identity{}, outside.err},
		{"a challenge that tells of credentials", auth.Any(keys, strangeX), call{}, api.Identity{}, strangeX.err},
		{"a challenge that does not", auth.Any(keys, strange), call{}, api.Identity{}, unauthorized("API key is not set", `ApiKey realm="api", Own`)},
		{"own that carries", auth.Any(keys, carrying{strange, true}), call{}, api.Identity{}, unauthorized("own is not set", "Own")},
		{"own that carries none", auth.Any(keys, carrying{strangeX, false}), call{}, api.Identity{}, unauthorized("API key is not set", `ApiKey realm="api", Own`)},
		{"of All", auth.Any(auth.All(network, bearers), keys), call{[]string{"Bearer other"}, ""}, api.Identity{}, unauthorized(unknownToken, invalidToken)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			identity, err := test.any.Authorize(t.Context(), test.call.request())
			require.Equal(t, test.want, identity)
			require.Equal(t, test.err, err)
		})
	}
}

// embeds hides what it embeds.
// The members are those that were given.
// The presenter finds the mistakes of members, and sends their challenges.
func ExampleAny() {
	either := auth.Any(
		auth.Bearer(auth.Tokens{"my-token": {ID: "ada", IPs: auth.AnyIP()}}),
		auth.HeaderKey("X-API-Key", auth.Tokens{"my-key": {ID: "shop-7", IPs: auth.AnyIP()}}),
	)

	r := request("192.0.2.1")
	r.Header.Set("X-API-Key", "my-key")
	fmt.Println(either.Authorize(context.Background(), r))

	_, err := either.Authorize(context.Background(), request("192.0.2.1"))
	fmt.Println(api.AsRefusal(err).Challenge)
	// Output:
	// apikey:shop-7 <nil>
	// Bearer realm="api", ApiKey realm="api"
}
