package openapi_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
)

type ownAuth struct{ scheme api.Scheme }

func (ownAuth) Authorize(context.Context, *api.Request) (api.Identity, error) {
	return api.Identity{}, nil
}
func (a ownAuth) Scheme() api.Scheme { return a.scheme }

func TestSecurity(t *testing.T) { // FW-327, FW-328, TC-222
	tokens := auth.StaticTokens{"t": "*"}
	users := auth.PasswordFunc(func(context.Context, string) (p auth.Password, ok bool, err error) { return p, false, nil })
	bearer, basic := auth.Bearer(tokens), auth.Basic(users)
	header, query, cookie := auth.HeaderKey("X-API-KEY", tokens), auth.QueryKey("api_key", tokens), auth.CookieKey("api-key", tokens)
	for name, tc := range map[string]struct {
		auth     api.Authorization
		security string
		schemes  string
	}{
		"bearer": {bearer, `[{"Bearer":[]}]`, `{"Bearer":{"type":"http","scheme":"bearer"}}`},
		"basic":  {basic, `[{"Basic":[]}]`, `{"Basic":{"type":"http","scheme":"basic"}}`},
		"header": {header, `[{"api_key__header__x_api_key":[]}]`, `{"api_key__header__x_api_key":{"type":"apiKey","in":"header","name":"X-API-KEY"}}`},
		"query":  {query, `[{"api_key__query__api_key":[]}]`, `{"api_key__query__api_key":{"type":"apiKey","in":"query","name":"api_key"}}`},
		"cookie": {cookie, `[{"api_key__cookie__api_key":[]}]`, `{"api_key__cookie__api_key":{"type":"apiKey","in":"cookie","name":"api-key"}}`},
		"none":   {open, `[]`, `null`}, // TC-223
		"any": {auth.Any(auth.Scopes(bearer, "read", "write"), basic), `[{"Bearer":["read","write"]},{"Basic":[]}]`,
			`{"Basic":{"type":"http","scheme":"basic"},"Bearer":{"type":"http","scheme":"bearer"}}`},
		"any with none": {auth.Any(bearer, open), `[{"Bearer":[]},{}]`, `{"Bearer":{"type":"http","scheme":"bearer"}}`},
		"all": {auth.All(auth.Any(bearer, basic), query), `[{"Bearer":[],"api_key__query__api_key":[]},{"Basic":[],"api_key__query__api_key":[]}]`,
			`{"Basic":{"type":"http","scheme":"basic"},"Bearer":{"type":"http","scheme":"bearer"},"api_key__query__api_key":{"type":"apiKey","in":"query","name":"api_key"}}`},
		"JWT":            {ownAuth{api.Scheme{Name: "bearer", Type: "http", BearerFormat: "JWT"}}, `[{"Bearer":[]}]`, `{"Bearer":{"type":"http","scheme":"bearer","bearerFormat":"JWT"}}`},
		"of the program": {ownAuth{api.Scheme{Name: "my HMAC"}}, `[{"My_hmac":[]}]`, `{"My_hmac":{"type":"http","scheme":"my hmac"}}`},
		"without a name": {ownAuth{}, `[{"Custom":[]}]`, `{"Custom":{"type":"http","scheme":"custom"}}`},
		"OAuth":          {ownAuth{api.Scheme{Name: "bearer", Type: "oauth2"}}, `[{"OAuth2":[]}]`, `{"OAuth2":{"type":"oauth2","flows":{}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			whole, op := one(t, api.GET("1", "a"), api.Description{}, tc.auth)
			op.requireJSON(t, tc.security, "get", "security")
			whole.requireJSON(t, tc.schemes, "components", "securitySchemes")
		})
	}
	d := program{register: func(d *sallyport.ApiDecider) { d.AddApi(api.GET("1", "a"), says, open) }}.read(t)
	_, has := d.at("components").(map[string]any)["securitySchemes"]
	require.False(t, has) // TC-223
}
