package auth_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/ipdetector"
	"github.com/sallyport-go/sallyport/ratelimit"
)

const (
	noHeader     = "Authorization header HTTP_Authorization is not set"
	badStructure = "Authorization header contains invalid structure"
	otherScheme  = "Authorization header doesn't contain bearer token"
	unknownToken = "Token doesn't exists or isn't active"
	invalidIP    = "Invalid IP"

	bare           = `Bearer realm="api"`
	invalidRequest = `Bearer realm="api", error="invalid_request"`
	invalidToken   = `Bearer realm="api", error="invalid_token"`
)

// request comes from the client with lines of Authorization.
func request(client string, lines ...string) *api.Request {
	hr := httptest.NewRequest(http.MethodGet, "/", nil)
	if lines != nil {
		hr.Header["Authorization"] = lines
	}
	return &api.Request{Request: hr, Limits: ratelimit.Context{Request: hr, Detector: ipdetector.Static(client)}}
}

// hash is the ID of a token that has none of its own.
func hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:16])
}

// lookup is a repository of one function.
type lookup func(ctx context.Context, token string) (auth.Token, bool, error)

func (l lookup) Lookup(ctx context.Context, token string) (auth.Token, bool, error) {
	return l(ctx, token)
}

func TestBearerDescribesItself(t *testing.T) {
	require.Equal(t, api.Scheme{Name: "bearer", Challenge: bare, Identifies: api.IdentifiesAlways, Type: "http"}, // FW-106
		auth.Bearer(auth.StaticTokens{}).Scheme())
	require.Equal(t, api.Scheme{Name: "bearer", Challenge: `Bearer realm="a \"b\" \\c"`, Identifies: api.IdentifiesAlways, Type: "http"},
		auth.Bearer(auth.StaticTokens{}, auth.Realm(`a "b" \c`)).Scheme())
}

func TestBearerAdmitsTheTokensOfItsRepository(t *testing.T) {
	tokens := auth.StaticTokens{
		"my-token":   "*",
		"12345":      "*",
		"0":          "*",
		"abc==":      "*",
		"A-._~+/9":   "*",
		"single":     "34.24.126.44",
		"network":    "192.168.0.0/24",
		"list":       "124.23.12.42,5.6.2.1",
		"empty":      "",
		"long-token": "*",
	}
	tests := []struct {
		name, client, line, token string
	}{
		{"any address", "34.24.126.44", "Bearer my-token", "my-token"},          // TC-006
		{"scheme in mixed case", "34.24.126.44", "bEaReR my-token", "my-token"}, // FW-113, TC-169
		{"several spaces", "34.24.126.44", "Bearer   my-token", "my-token"},     // FW-114
		{"only digits", "34.24.126.44", "Bearer 12345", "12345"},                // FW-140
		{"zero", "34.24.126.44", "Bearer 0", "0"},                               // FW-140
		{"padding", "34.24.126.44", "Bearer abc==", "abc=="},
		{"every kind of character", "34.24.126.44", "Bearer A-._~+/9", "A-._~+/9"},
		{"single address", "34.24.126.44", "Bearer single", "single"}, // TC-011
		{"network", "192.168.0.33", "Bearer network", "network"},      // TC-013
		{"second of a list", "5.6.2.1", "Bearer list", "list"},        // TC-014
		{"empty restriction", "9.9.9.9", "Bearer empty", "empty"},
		{"client without an address", "unix", "Bearer my-token", "my-token"},
	}
	bearer := auth.Bearer(tokens)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			identity, err := bearer.Authorize(t.Context(), request(test.client, test.line))
			require.NoError(t, err)
			require.Equal(t, api.Identity{Scheme: "bearer", ID: hash(test.token)}, identity) // RL-084
		})
	}
}

func TestBearerRefuses(t *testing.T) {
	tokens := auth.StaticTokens{"my-token": "*", "single": "34.24.126.45", "list": "124.23.12.42,5.6.2.1", "network": "10.0.0.0/8"}
	tests := []struct {
		name, client string
		lines        []string
		want         api.Refusal
	}{
		{"no header", "1.1.1.1", nil, api.Refusal{Kind: api.KindUnauthorized, Message: noHeader, Challenge: bare}}, // FW-110, TC-010
		{"empty header", "1.1.1.1", []string{""}, api.Refusal{Kind: api.KindUnauthorized, Message: noHeader, Challenge: bare}},
		{"three parts, other scheme", "1.1.1.1", []string{"B my-token asd"}, api.Refusal{Kind: api.KindUnauthorized, Message: badStructure, Challenge: bare}}, // FW-111, TC-008
		{"one part, other scheme", "1.1.1.1", []string{"my-token"}, api.Refusal{Kind: api.KindUnauthorized, Message: badStructure, Challenge: bare}},          // FW-111
		{"other scheme", "1.1.1.1", []string{"Bdsdsdssd my-token"}, api.Refusal{Kind: api.KindUnauthorized, Message: otherScheme, Challenge: bare}},           // FW-112, TC-009
		{"other scheme, several spaces", "1.1.1.1", []string{"Basic   dTpw"}, api.Refusal{Kind: api.KindUnauthorized, Message: otherScheme, Challenge: bare}}, // FW-112, FW-395
		{"scheme that starts alike", "1.1.1.1", []string{"Bearer-x my-token"}, api.Refusal{Kind: api.KindUnauthorized, Message: otherScheme, Challenge: bare}},
		{"three parts", "1.1.1.1", []string{"Bearer my-token asd"}, api.Refusal{Kind: api.KindInput, Message: badStructure, Challenge: invalidRequest}}, // FW-111
		{"no token", "1.1.1.1", []string{"Bearer"}, api.Refusal{Kind: api.KindInput, Message: badStructure, Challenge: invalidRequest}},
		{"empty token", "1.1.1.1", []string{"Bearer "}, api.Refusal{Kind: api.KindInput, Message: badStructure, Challenge: invalidRequest}}, // FW-115
		{"no space", "1.1.1.1", []string{"Bearer,my-token"}, api.Refusal{Kind: api.KindInput, Message: badStructure, Challenge: invalidRequest}},
		{"only padding", "1.1.1.1", []string{"Bearer =="}, api.Refusal{Kind: api.KindInput, Message: badStructure, Challenge: invalidRequest}},
		{"two headers", "1.1.1.1", []string{"Bearer my-token", "Bearer my-token"}, api.Refusal{Kind: api.KindInput, Message: badStructure, Challenge: invalidRequest}},
		{"unknown token", "1.1.1.1", []string{"Bearer other"}, api.Refusal{Kind: api.KindUnauthorized, Message: unknownToken, Challenge: invalidToken}}, // FW-106, FW-108, TC-007
		{"start of a token", "1.1.1.1", []string{"Bearer my-toke"}, api.Refusal{Kind: api.KindUnauthorized, Message: unknownToken, Challenge: invalidToken}},
		{"token and more", "1.1.1.1", []string{"Bearer my-token="}, api.Refusal{Kind: api.KindUnauthorized, Message: unknownToken, Challenge: invalidToken}},
		{"token in upper case", "1.1.1.1", []string{"Bearer MY-TOKEN"}, api.Refusal{Kind: api.KindUnauthorized, Message: unknownToken, Challenge: invalidToken}},
		{"other address", "34.24.126.44", []string{"Bearer single"}, api.Refusal{Kind: api.KindUnauthorized, Message: invalidIP, Challenge: invalidToken}}, // FW-109, FW-157, TC-012
		{"not in the list", "5.6.2.2", []string{"Bearer list"}, api.Refusal{Kind: api.KindUnauthorized, Message: invalidIP, Challenge: invalidToken}},      // TC-015
		{"not in the network", "11.0.0.1", []string{"Bearer network"}, api.Refusal{Kind: api.KindUnauthorized, Message: invalidIP, Challenge: invalidToken}},
		{"client without an address", "unix", []string{"Bearer network"}, api.Refusal{Kind: api.KindUnauthorized, Message: invalidIP, Challenge: invalidToken}},
	}
	bearer := auth.Bearer(tokens)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			identity, err := bearer.Authorize(t.Context(), request(test.client, test.lines...))
			require.Equal(t, api.Identity{}, identity)
			require.Equal(t, &test.want, api.AsRefusal(err))
		})
	}
}

func TestBearerReadsNoTokenFromTheQuery(t *testing.T) {
	hr := httptest.NewRequest(http.MethodGet, "/?access_token=my-token", nil)
	_, err := auth.Bearer(auth.StaticTokens{"my-token": "*"}).Authorize(t.Context(), &api.Request{Request: hr})
	require.Equal(t, &api.Refusal{Kind: api.KindUnauthorized, Message: noHeader, Challenge: bare}, api.AsRefusal(err))
}

// One authorization serves many requests at a time, each with its own answer.
func TestBearerServesRequestsConcurrently(t *testing.T) {
	tokens := auth.StaticTokens{}
	for i := range 8 {
		tokens["token-"+strconv.Itoa(i)] = "*"
	}
	bearer := auth.Bearer(tokens)
	var wg sync.WaitGroup
	for token := range tokens {
		wg.Go(func() {
			for range 50 {
				identity, err := bearer.Authorize(t.Context(), request("1.2.3.4", "Bearer "+token))
				if err != nil || identity.ID != hash(token) {
					t.Errorf("%s: identity %v, error %v", token, identity, err)
				}
				_, err = bearer.Authorize(t.Context(), request("1.2.3.4", strings.ToUpper(token)))
				if err == nil || err.Error() != badStructure {
					t.Errorf("%s: error %v", token, err) // FW-096
				}
			}
		})
	}
	wg.Wait()
}

func TestBearerReportsEveryMistake(t *testing.T) {
	tests := []struct {
		name   string
		bearer api.Authorization
		want   []string
	}{
		{"none", auth.Bearer(auth.StaticTokens{"my-token": "*", "other": ""}, auth.Realm("my api")), nil},
		{"no tokens", auth.Bearer(auth.StaticTokens{}), nil},
		{"repository that has nothing to say", auth.Bearer(knowsNone), nil},
		{"no repository, realm", auth.Bearer(nil, auth.Realm("a\nb")),
			[]string{"auth: the realm is not printable ASCII", "auth: there is no token repository"}},
		{"a nil function as repository", auth.Bearer(lookup(nil)), []string{"auth: the token repository is a nil auth_test.lookup"}},
		{"a nil pointer to a repository", auth.Bearer((*brokenRepository)(nil)), []string{"auth: the token repository is a nil *auth_test.brokenRepository"}},
		{"a nil pointer to tokens", auth.Bearer((*auth.StaticTokens)(nil)), []string{"auth: the token repository is a nil *auth.StaticTokens"}},
		{"a nil map of tokens", auth.Bearer(auth.StaticTokens(nil)), nil},
		{"embedded tokens", auth.Bearer(withRevoked{StaticTokens: auth.StaticTokens{"my-token": "x"}}), []string{
			"auth: token with the SHA-256 " + hash("my-token")[:8] + "...: the IP restriction has entries that are neither an address nor a prefix: number 1"}},
		{"a pointer to tokens", auth.Bearer(&auth.Tokens{"my-token": {}}), []string{
			"auth: token with the SHA-256 " + hash("my-token")[:8] + "...: IPs is missing, so it could be used from nowhere: write auth.AnyIP()"}},
		{"the token as ID", auth.Bearer(auth.Tokens{"my-token": {ID: "my-token", IPs: auth.AnyIP()}}), []string{
			"auth: token with the SHA-256 " + hash("my-token")[:8] + "...: the ID is the token itself, which would stand in logs"}},
		{"nil options", auth.Bearer(auth.StaticTokens{}, nil, auth.Realm("é"), nil),
			[]string{"auth: option 1 is nil", "auth: option 3 is nil", "auth: the realm is not printable ASCII"}},
		{"realm", auth.Bearer(auth.StaticTokens{}, auth.Realm("é")), []string{"auth: the realm is not printable ASCII"}},
		{"repository with a mistake", auth.Bearer(brokenRepository{}), []string{"tokens: no connection"}},
		{"tokens", auth.Bearer(auth.StaticTokens{"": "*", "my token": "10.0.0.0/33", "my-token": "1.2.3.4 my-secret,x/8"}), []string{
			"auth: token with the SHA-256 5a1b0ea6...: no client can send it: it is no b64token (RFC 6750, section 2.1)",
			"auth: token with the SHA-256 5a1b0ea6...: the IP restriction has entries that are neither an address nor a prefix: number 1",
			"auth: token with the SHA-256 e3b0c442...: it is empty",
			"auth: token with the SHA-256 fece50d2...: the IP restriction has entries that are neither an address nor a prefix: number 2, 3",
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			part, ok := test.bearer.(interface{ Validate() error })
			require.True(t, ok)
			err := part.Validate()
			if test.want == nil {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, strings.Join(test.want, "\n"))
			for _, secret := range []string{"my token", "my-token", "my-secret"} {
				require.NotContains(t, err.Error(), secret)
			}
		})
	}
}

// knowsNone is a repository without tokens.
var knowsNone = lookup(func(context.Context, string) (auth.Token, bool, error) { return auth.Token{}, false, nil })

type brokenRepository struct{ lookup }

func (brokenRepository) Validate() error { return errors.New("tokens: no connection") }

func TestAStaticTokenCostsNoAllocation(t *testing.T) {
	bearer := auth.Bearer(auth.StaticTokens{"my-token": "10.0.0.0/8, 1.2.3.4"})
	r, ctx := request("1.2.3.4", "Bearer my-token"), t.Context()
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = bearer.Authorize(ctx, r) }))
}
