package auth_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
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

func TestAll(t *testing.T) {
	ada, bob := api.Identity{Scheme: "bearer", ID: "ada"}, api.Identity{Scheme: "bearer", ID: "bob", Value: 7}
	both := call{[]string{"Bearer single"}, "my-key"}
	unauthorized := func(message, challenge string) error {
		return &api.Refusal{Kind: api.KindUnauthorized, Message: message, Challenge: challenge}
	}
	asked := 0
	tests := []struct {
		name string
		all  api.Authorization
		call call
		want api.Identity
		err  error
	}{
		{"both", auth.All(bearers, keys), both, bob, nil},
		{"both, the other way", auth.All(keys, bearers), both, api.Identity{Scheme: "apikey", ID: "shop"}, nil},
		{"one tells nothing", auth.All(network, bearers), both, bob, nil},
		{"nobody tells", auth.All(network, auth.None()), both, api.Identity{}, nil},
		{"second missing", auth.All(bearers, keys), call{[]string{"Bearer my-token"}, ""}, api.Identity{}, unauthorized("API key is not set", apiKeyChallenge)},
		{"first missing", auth.All(bearers, own{asked: &asked}), call{}, api.Identity{}, unauthorized(noHeader, bare)},
		{"first wrong", auth.All(bearers, own{asked: &asked}), call{[]string{"Bearer x"}, ""}, api.Identity{}, unauthorized(unknownToken, invalidToken)},
		{"the challenge of the scheme", auth.All(network, strange), call{}, api.Identity{}, unauthorized("own is not set", "Own")},
		{"forbidden", auth.All(bearers, outside), call{[]string{"Bearer my-token"}, ""}, ada, outside.err},
		{"forbidden, before anybody is known", auth.All(outside, bearers), both, api.Identity{}, outside.err},
		{"forbidden by who knows him", auth.All(network, banned), both, banned.identity, banned.err},
		{"cannot decide", auth.All(bearers, failing), both, api.Identity{}, failing.err},
		{"one of two and a third", auth.All(auth.Any(bearers, basics), keys), both, bob, nil},
		{"none of two and a third", auth.All(auth.Any(bearers, basics), keys), call{nil, "my-key"}, api.Identity{}, unauthorized(noHeader, bare+", "+basicChallenge)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			identity, err := test.all.Authorize(t.Context(), test.call.request())
			require.Equal(t, test.want, identity)
			require.Equal(t, test.err, err)
			require.Zero(t, asked)
		})
	}
}

func TestAnyAndAllDescribeTheirMembers(t *testing.T) {
	always, never, sometimes, unknown := bearers, auth.None(), own{scheme: api.Scheme{Identifies: api.IdentifiesSometimes}}, own{}
	tests := []struct {
		name     string
		members  []api.Authorization
		any, all api.Identifies
	}{
		{"always", []api.Authorization{always, keys}, api.IdentifiesAlways, api.IdentifiesAlways},
		{"never", []api.Authorization{never, network}, api.IdentifiesNever, api.IdentifiesNever},
		{"always and never", []api.Authorization{always, never}, api.IdentifiesSometimes, api.IdentifiesAlways},
		{"sometimes", []api.Authorization{never, sometimes}, api.IdentifiesSometimes, api.IdentifiesSometimes},
		{"always and sometimes", []api.Authorization{sometimes, always}, api.IdentifiesSometimes, api.IdentifiesAlways},
		{"unknown", []api.Authorization{unknown, never}, api.IdentifiesUnknown, api.IdentifiesUnknown},
		{"unknown and always", []api.Authorization{unknown, always}, api.IdentifiesUnknown, api.IdentifiesAlways},
		{"nobody", nil, api.IdentifiesUnknown, api.IdentifiesUnknown},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.any, auth.Any(test.members...).Scheme().Identifies)
			require.Equal(t, test.all, auth.All(test.members...).Scheme().Identifies)
		})
	}

	require.Equal(t, api.Scheme{
		Name: "any(bearer, apikey)", Challenge: bare + ", " + apiKeyChallenge, Identifies: api.IdentifiesSometimes,
		Any: []api.Scheme{bearers.Scheme(), keys.Scheme(), auth.None().Scheme()},
	}, auth.Any(bearers, keys, auth.None()).Scheme())
	require.Equal(t, api.Scheme{
		Name: "all(any(bearer, bearer), apikey)", Challenge: bare, Identifies: api.IdentifiesAlways,
		All: []api.Scheme{network.Scheme(), auth.Any(bearers, bearers).Scheme(), keys.Scheme()},
	}, auth.All(network, auth.Any(bearers, bearers), keys).Scheme())
}

type panicking struct{ own }

func (panicking) Scheme() api.Scheme { panic("boom") }

// embeds hides what it embeds.
type embeds struct{ api.Authorization }

type endless struct{ own }

func (e endless) Unwrap() api.Authorization { return e }

func TestAnyAndAllReportTheMistakesOfTheirMembers(t *testing.T) {
	broken := auth.Bearer(auth.StaticTokens{}, auth.Realm("é"))
	tests := []struct {
		name          string
		authorization api.Authorization
		want          []string
	}{
		{"none", auth.Any(bearers, auth.All(network, keys), auth.None()), nil},
		{"empty", auth.Any(), []string{"auth: Any has no members"}},
		{"empty All", auth.All(), []string{"auth: All has no members"}},
		{"nil", auth.Any(nil, bearers, (*own)(nil)), []string{"auth: Any: member 1 is nil", "auth: Any: member 3 is a nil *auth_test.own"}},
		{"members", auth.All(bearers, broken), []string{"auth: All: member 2: auth: the realm is not printable ASCII"}},
		{"wrapped", auth.Any(wrapper{wrapper{broken}}), []string{"auth: Any: member 1: auth: the realm is not printable ASCII"}},
		{"nested", auth.Any(auth.All(nil), auth.Scopes(broken, "a")), []string{
			"auth: Any: member 1: auth: All: member 1 is nil", "auth: Any: member 2: auth: the realm is not printable ASCII"}},
		{"scheme", auth.Any(own{scheme: api.Scheme{Identifies: 9}}, panicking{}), []string{
			"auth: Any: member 1: Identifies 9 is none of the constants", "auth: Any: member 2: it panics: boom"}},
		{"embedded", auth.Any(wrapper{&embeds{broken}}, bearers), []string{
			"auth: Any: member 1: *auth_test.embeds embeds an api.Authorization, so the mistakes of that one would be lost: give it a method Unwrap() api.Authorization"}},
		{"without an end", auth.All(endless{}), []string{"auth: All: member 1: Unwrap never ends"}},
		{"open in front", auth.Any(auth.None(), bearers), []string{"auth: Any: member 1 admits everybody, so those behind it are never asked"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := test.authorization.(interface{ Validate() error }).Validate()
			if test.want == nil {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, strings.Join(test.want, "\n"))
		})
	}
	for _, a := range []api.Authorization{auth.Any(), auth.All(), auth.Any(nil, bearers), auth.All(bearers, nil)} {
		identity, err := a.Authorize(t.Context(), call{[]string{"Bearer my-token"}, ""}.request())
		require.Error(t, err)
		require.Nil(t, api.AsRefusal(err))
		require.Equal(t, api.Identity{}, identity)
	}
}

// The members are those that were given.
func TestAnyKeepsItsMembers(t *testing.T) {
	list := []api.Authorization{bearers, keys}
	either, both := auth.Any(list...), auth.All(list[:1]...)
	list[0] = auth.None()
	for _, a := range []api.Authorization{either, both} {
		_, err := a.Authorize(t.Context(), call{}.request())
		require.Error(t, err)
	}
}

// The presenter finds the mistakes of members, and sends their challenges.
func TestAnyInAPresenter(t *testing.T) {
	build := func(a api.Authorization) (*sallyport.Presenter, error) {
		d := sallyport.NewApiDecider(sallyport.Config{})
		d.AddApi(api.NewEndpointIdentifier(http.MethodGet, "1", "users", ""), handler.AlwaysOk{}, a)
		return sallyport.NewPresenter(d)
	}
	_, err := build(auth.Scopes(auth.Any(bearers, auth.Bearer(nil)), "a b"))
	require.ErrorContains(t, err, "auth: Any: member 2: auth: there is no token repository")
	require.ErrorContains(t, err, "auth: Scopes: scope 1 cannot be granted")
	_, err = build(auth.Scopes(&embeds{bearers}, "a"))
	require.ErrorContains(t, err, "the authorization *auth_test.embeds embeds an api.Authorization, so the mistakes of that one would be lost")

	presenter, err := build(auth.Any(bearers, keys))
	require.NoError(t, err)
	w := httptest.NewRecorder()
	presenter.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/v1/users", nil))
	require.Equal(t, 401, w.Code)                                                                   // peer-fw 70
	require.Equal(t, bare+", "+apiKeyChallenge, strings.Join(w.Header()["Www-Authenticate"], ", ")) // FW-106
}

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

func ExampleAll() {
	both := auth.All(
		auth.Bearer(auth.Tokens{"my-token": {ID: "ada", IPs: auth.AnyIP()}}),
		auth.HeaderKey("X-API-Key", auth.Tokens{"my-key": {ID: "shop-7", IPs: auth.AnyIP()}}),
	)

	r := request("192.0.2.1", "Bearer my-token")
	fmt.Println(both.Authorize(context.Background(), r))
	r.Header.Set("X-API-Key", "my-key")
	fmt.Println(both.Authorize(context.Background(), r))
	// Output:
	//  API key is not set
	// bearer:ada <nil>
}
