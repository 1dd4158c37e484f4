package sallyport_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/auth/jwt"
)

// What docs/authorization.md shows.

// guarded is a program of one endpoint behind an authorization.
func guarded(t *testing.T, a api.Authorization) http.Handler {
	t.Helper()
	decider := sallyport.NewApiDecider(sallyport.Config{})
	decider.AddApi(api.GET("1", "reports"), ok, a)
	presenter, err := sallyport.NewPresenter(decider)
	require.NoError(t, err)
	return presenter
}

func asked(h http.Handler, header ...string) (status int, challenge string) {
	q := request{path: "/api/v1/reports", header: http.Header{}}
	for i := 0; i < len(header); i += 2 {
		q.header.Set(header[i], header[i+1])
	}
	res := send(h, q)
	return res.StatusCode, res.Header.Get("Www-Authenticate")
}

func TestPasswordsOfTheGuide(t *testing.T) {
	hash, err := bcrypt.GenerateFromPassword([]byte("secret"), bcrypt.MinCost)
	require.NoError(t, err)
	users := auth.Passwords{
		"ada": string(hash), // bcrypt
	}
	librarians := auth.Basic(users, auth.Realm("library"))

	h := guarded(t, librarians)
	status, challenge := asked(h)
	require.Equal(t, 401, status)
	require.Equal(t, `Basic realm="library", charset="UTF-8"`, challenge)
	status, _ = asked(h, "Authorization", "Basic YWRhOnNlY3JldA==")
	require.Equal(t, 200, status)
}

func TestTokensOfTheGuide(t *testing.T) {
	tokens := auth.Tokens{
		"9f86d081": {ID: "shop", IPs: auth.AnyIP(), Scopes: []string{"reports:read"}},
		"60303ae2": {ID: "warehouse", IPs: mustParse("10.0.0.0/8, 2001:db8::/32")},
	}
	partners := auth.Bearer(tokens)

	readers := auth.Scopes(partners, "reports:read")

	status, _ := asked(guarded(t, partners), "Authorization", "Bearer 9f86d081")
	require.Equal(t, 200, status)
	status, _ = asked(guarded(t, partners), "Authorization", "Bearer 60303ae2") // from 192.0.2.1
	require.Equal(t, 401, status)
	status, _ = asked(guarded(t, readers), "Authorization", "Bearer 9f86d081")
	require.Equal(t, 200, status)

	tokens["60303ae2"] = auth.Token{ID: "warehouse", IPs: auth.AnyIP()}
	status, challenge := asked(guarded(t, auth.Scopes(auth.Bearer(tokens), "reports:read")), "Authorization", "Bearer 60303ae2")
	require.Equal(t, 403, status)
	require.Equal(t, `Bearer realm="api", error="insufficient_scope", scope="reports:read"`, challenge)
}

func mustParse(text string) auth.IPRestriction {
	restriction, err := auth.ParseIPRestriction(text)
	if err != nil {
		panic(err)
	}
	return restriction
}

func TestKeysOfTheGuide(t *testing.T) {
	keys := auth.StaticTokens{"key-1": "*"}
	byHeader := auth.HeaderKey("X-API-Key", keys)
	either := auth.Any(byHeader, auth.Bearer(keys))

	for _, h := range []http.Handler{guarded(t, byHeader), guarded(t, either)} {
		status, _ := asked(h, "X-API-Key", "key-1")
		require.Equal(t, 200, status)
		status, _ = asked(h)
		require.Equal(t, 401, status)
	}
	status, _ := asked(guarded(t, either), "Authorization", "Bearer key-1")
	require.Equal(t, 200, status)
}

func TestTheRepositoryOfTheGuide(t *testing.T) {
	db := &database{digestOf("t-1"): {owner: "shop", plan: "gold", ips: "*"}}

	tokens := auth.TokenFunc(func(ctx context.Context, token string) (auth.Token, bool, error) {
		row, err := db.tokenByDigest(ctx, digestOf(token)) // never look for the token itself
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return auth.Token{}, false, nil // 401
		case err != nil:
			return auth.Token{}, false, err // 500: nobody can tell
		}
		ips, err := auth.ParseIPRestriction(row.ips)
		if err != nil {
			return auth.Token{}, false, err
		}
		return auth.Token{ID: row.owner, IPs: ips, Value: plan(row.plan)}, true, nil
	})

	h := guarded(t, auth.Bearer(tokens))
	status, _ := asked(h, "Authorization", "Bearer t-1")
	require.Equal(t, 200, status)
	status, _ = asked(h, "Authorization", "Bearer t-2")
	require.Equal(t, 401, status)
}

type plan string

type tokenRow struct{ owner, plan, ips string }

// database stands for a table of tokens.
type database map[string]tokenRow

func (d *database) tokenByDigest(_ context.Context, digest string) (tokenRow, error) {
	if row, ok := (*d)[digest]; ok {
		return row, nil
	}
	return tokenRow{}, sql.ErrNoRows
}

func digestOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

func TestTheFileOfTheGuide(t *testing.T) {
	t.Setenv("APP_KEY", "a key of the application")
	path := filepath.Join(t.TempDir(), "tokens.json")
	require.NoError(t, os.WriteFile(path, []byte(blocks(t, "docs/authorization.md", "json")[0]), 0o600))

	tokens := auth.TokensFile(path, nil)
	partners := auth.Bearer(tokens, auth.HashKey([]byte(os.Getenv("APP_KEY"))))

	status, _ := asked(guarded(t, partners), "Authorization", "Bearer my-token")
	require.Equal(t, 200, status)
}

func TestJWTOfTheGuide(t *testing.T) {
	keys := jwt.JWKS(jwt.JWKSConfig{URL: "https://issuer.example/.well-known/jwks.json"})
	members := jwt.New(jwt.Config{
		Algorithms: []string{"ES256", "RS256"},
		Keys:       keys,
		Issuer:     "https://issuer.example/",
		Audience:   []string{"https://api.example.com"},
	})

	status, challenge := asked(guarded(t, members))
	require.Equal(t, 401, status)
	require.Equal(t, `Bearer realm="api"`, challenge)
}

// ticket admits whoever shows the ticket of today.
type ticket struct{ today func() string }

func (k ticket) Scheme() api.Scheme {
	return api.Scheme{Name: "ticket", Challenge: `Ticket realm="api"`, Identifies: api.IdentifiesNever}
}

func (k ticket) Authorize(_ context.Context, r *api.Request) (api.Identity, error) {
	switch sent := r.Header.Get("X-Ticket"); {
	case sent == "":
		return api.Identity{}, api.Unauthorized("A ticket is needed")
	case sent != k.today():
		return api.Identity{}, api.Forbidden("That is not the ticket of today")
	}
	return api.Identity{}, nil
}

func TestTheTicketOfTheGuide(t *testing.T) {
	h := guarded(t, ticket{func() string { return "blue" }})
	for sent, want := range map[string]string{"": `401 Ticket realm="api"`, "red": "403 ", "blue": "200 "} {
		status, challenge := asked(h, "X-Ticket", sent)
		require.Equal(t, want, fmt.Sprintf("%d %s", status, challenge))
	}
}
