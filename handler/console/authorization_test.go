package console_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/handler/console"
)

// own is an authorization of a program.
type own api.Scheme

func (own) Authorize(context.Context, *api.Request) (api.Identity, error) {
	return api.Identity{}, nil
}
func (o own) Scheme() api.Scheme { return api.Scheme(o) }

func TestFieldsOfAuthorizations(t *testing.T) { // FW-368
	tokens := auth.StaticTokens{"t": "*"}
	bearer, header, basic := auth.Bearer(tokens), auth.HeaderKey("X-Key", tokens), auth.Basic(auth.Passwords{})
	var (
		token    = control{Name: "auth:bearer", Kind: "text"}
		user     = control{Name: "auth:basic:user", Kind: "text"}
		password = control{Name: "auth:basic:password", Kind: "password"}
		key      = control{Name: "auth:apiKey:X-Key", Kind: "text"}
		none     = control{Kind: "text", Value: "No authorization - global access", Disabled: true}
		other    = control{Kind: "text", Value: "Has no fields here - send its header fields below if it reads some", Disabled: true}
		choice   = control{Name: "auth:choice", Kind: "select"}
	)
	for name, row := range map[string]struct {
		authorization api.Authorization
		fields        []control
		ways          []string
	}{
		"none":               {auth.None(), []control{none}, []string{"no authorization"}},
		"bearer":             {bearer, []control{token}, []string{"bearer"}},
		"basic":              {basic, []control{user, password}, []string{"basic"}},
		"a key in a header":  {header, []control{key}, []string{"API key X-Key"}},
		"a key in the query": {auth.QueryKey("k", tokens), []control{{Name: "auth:apiKey:k", Kind: "text"}}, []string{"API key k"}},
		"a key in a cookie":  {auth.CookieKey("c", tokens), []control{{Name: "auth:apiKey:c", Kind: "text"}}, []string{"API key c"}},
		"one of them":        {auth.Any(bearer, basic), []control{choice, token, user, password}, []string{"bearer", "basic"}},
		"all of them":        {auth.All(bearer, header), []control{token, key}, []string{"bearer + API key X-Key"}},
		"nested": {
			auth.All(auth.Any(bearer, basic), header), []control{choice, token, key, user, password, key},
			[]string{"bearer + API key X-Key", "basic + API key X-Key"},
		},
		"oauth2":                {own{Name: "login", Type: "oauth2"}, []control{token}, []string{"login"}},
		"another of HTTP":       {own{Name: "hmac", Type: "http"}, []control{{Name: "auth:http:hmac", Kind: "text"}}, []string{"hmac"}},
		"one that says nothing": {own{}, []control{other}, []string{"custom"}},
		"one of its own":        {own{Name: "ip"}, []control{other}, []string{"ip"}},
	} {
		t.Run(name, func(t *testing.T) {
			nodes := form(t, handler.AlwaysOk{}, row.authorization)
			var inside []node
			for i, n := range nodes {
				if n.Attr["id"] != "authorization" {
					continue
				}
				for _, inner := range nodes[i+1:] {
					if inner.depth <= n.depth {
						break
					}
					inside = append(inside, inner)
				}
			}
			fields, _ := controls(inside, "")
			require.Equal(t, row.fields, fields)
			var ways []string
			for i, n := range inside {
				if hasClass("way")(n) {
					ways = append(ways, inside[i+1].Text)
					_, disabled := n.Attr["disabled"]
					require.Equal(t, n.Attr["data-way"] != "0", disabled, "what is not chosen is not sent")
				}
			}
			require.Equal(t, row.ways, ways)
		})
	}
}

func TestAPIKeyTellsItsPlace(t *testing.T) {
	tokens := auth.StaticTokens{"t": "*"}
	for place, a := range map[string]api.Authorization{
		"header": auth.HeaderKey("k", tokens), "query": auth.QueryKey("k", tokens), "cookie": auth.CookieKey("k", tokens),
	} {
		key := where(form(t, handler.AlwaysOk{}, a), func(n node) bool { return n.Attr["name"] == "auth:apiKey:k" })[0]
		require.Equal(t, place, key.Attr["data-in"])
	}
}

func TestScopesAreShown(t *testing.T) {
	scoped := own{Name: "any", Scopes: []string{"read"}, Any: []api.Scheme{
		{Name: "bearer", Type: "http", Scopes: []string{"write"}}, {Name: "basic", Type: "http"},
	}}
	var hints []string
	for _, n := range where(form(t, handler.AlwaysOk{}, scoped), hasClass("hint")) {
		hints = append(hints, n.Text)
	}
	require.Equal(t, []string{"Needs read, write", "Needs read"}, hints)
}

// A choice of choices has an end, however many there are.
func TestManyAlternatives(t *testing.T) {
	either := api.Scheme{Any: []api.Scheme{{Name: "a", Type: "http"}, {Name: "b", Type: "http"}, {Name: "c", Type: "http"}}}
	all := own{All: []api.Scheme{either, either, either, either, either, either, either, either, either, either, either, either}}
	require.Len(t, where(form(t, handler.AlwaysOk{}, all), hasClass("way")), 32)
}

func TestLocksOfTheList(t *testing.T) {
	tokens := auth.StaticTokens{"t": "*"}
	bearer, key := auth.Bearer(tokens), auth.HeaderKey("X-Key", tokens)
	for want, a := range map[string]api.Authorization{
		"authorization bearer":                     bearer,
		"authorization optional: bearer":           auth.Any(bearer, auth.None()),
		"authorization any(bearer, apikey)":        auth.Any(bearer, key),
		"authorization optional: bearer or apikey": auth.Any(bearer, key, auth.None()),
	} {
		d := decider()
		d.AddApi(api.GET("1", "things"), handler.AlwaysOk{}, a)
		require.Contains(t, texts(where(parse(t, page(t, &console.Console{}, d)), hasClass("lock"))), want)
	}
}
