package auth_test

import (
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

func TestAnyKeepsItsMembers(t *testing.T) {
	list := []api.Authorization{bearers, keys}
	either, both := auth.Any(list...), auth.All(list[:1]...)
	list[0] = auth.None()
	for _, a := range []api.Authorization{either, both} {
		_, err := a.Authorize(t.Context(), call{}.request())
		require.Error(t, err)
	}
}

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
