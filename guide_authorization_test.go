package sallyport_test

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
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

// asked sends header fields, in pairs of a name and a value.
func asked(h http.Handler, header ...string) (status int, challenge string) {
	return askedAt(h, "", header...)
}

func askedAt(h http.Handler, query string, header ...string) (status int, challenge string) {
	q := request{path: "/api/v1/reports" + query, header: http.Header{}}
	for i := 0; i < len(header); i += 2 {
		q.header.Add(header[i], header[i+1])
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
	keys := auth.Tokens{"key-1": {ID: "shop", IPs: auth.AnyIP(), Scopes: []string{"reports:read"}}, "key-2": {ID: "lab", IPs: auth.AnyIP()}}
	byHeader := auth.HeaderKey("X-API-Key", keys)
	byQuery := auth.QueryKey("api_key", keys)
	byCookie := auth.CookieKey("api_key", keys)

	either := auth.Any(byHeader, auth.Bearer(keys))
	optional := auth.Any(auth.Bearer(keys), auth.None())
	both := auth.All(byHeader, auth.Bearer(keys))
	readers := auth.Scopes(either, "reports:read")

	orders := auth.All(auth.Scopes(byHeader, "orders"), auth.Bearer(keys))

	const key, token = "X-API-Key", "Authorization"
	for _, row := range []struct {
		name   string
		of     api.Authorization
		query  string
		header []string
		status int
	}{
		{"in the header", byHeader, "", []string{key, "key-1"}, 200},
		{"in the query", byQuery, "?api_key=key-1", nil, 200},
		{"in a cookie", byCookie, "", []string{"Cookie", "api_key=key-1"}, 200},
		{"none", byCookie, "", nil, 401},

		{"either, one", either, "", []string{token, "Bearer key-1"}, 200},
		{"either, a right one behind a wrong one", either, "", []string{key, "x", token, "Bearer key-1"}, 200},
		{"either, none", either, "", nil, 401},
		{"optional, none", optional, "", nil, 200},
		{"optional, wrong", optional, "", []string{token, "Bearer x"}, 401},
		{"both", both, "", []string{key, "key-1", token, "Bearer key-1"}, 200},
		{"both, one", both, "", []string{key, "key-1"}, 401},
		{"reader", readers, "", []string{key, "key-1"}, 200},
		{"no reader", readers, "", []string{key, "key-2"}, 403},
		{"each its own", orders, "", []string{key, "key-1", token, "Bearer key-1"}, 403},
	} {
		status, _ := askedAt(guarded(t, row.of), row.query, row.header...)
		require.Equal(t, row.status, status, row.name)
	}

	presenter := guarded(t, byCookie)
	protected := http.NewCrossOriginProtection().Handler(presenter)

	res := send(protected, request{method: "POST", path: "/api/v1/reports", header: http.Header{"Cookie": {"api_key=key-1"}, "Sec-Fetch-Site": {"cross-site"}}})
	require.Equal(t, 403, res.StatusCode)
}

// The table of addresses in the guide is true.
func TestTheAddressesOfTheGuide(t *testing.T) {
	texts := regexp.MustCompile("`([^`]+)`")
	rows := rowsOf(t, "| entry |")
	require.Len(t, rows, 7)
	for _, row := range rows {
		restriction := mustParse(texts.FindStringSubmatch(row[0])[1])
		for column, allowed := range map[int]bool{1: true, 2: false} {
			for _, ip := range texts.FindAllStringSubmatch(row[column], -1) {
				require.Equal(t, allowed, restriction.Allows(ip[1]), "%s: %s", row[0], ip[1])
			}
		}
	}
}

// The table of refusals in the guide is true.
func TestTheRefusalsOfTheGuide(t *testing.T) {
	tokens := auth.Tokens{"known": {ID: "shop", IPs: auth.AnyIP()}, "near": {ID: "lab", IPs: mustParse("10.0.0.0/8")}}
	basic, bearer, key := auth.Basic(auth.Passwords{"ada": "secret"}), auth.Bearer(tokens), auth.HeaderKey("X-API-Key", tokens)
	down := auth.Bearer(auth.TokenFunc(func(context.Context, string) (auth.Token, bool, error) { return auth.Token{}, false, sql.ErrConnDone }))
	panics := auth.Bearer(auth.TokenFunc(func(context.Context, string) (auth.Token, bool, error) { panic("boom") }))
	type try struct {
		of     api.Authorization
		header []string
	}
	const name = "Authorization"
	tries := [][]try{
		{{basic, nil}, {basic, []string{name, "Basic x"}}, {basic, []string{name, "Basic YWRhOmE="}}},
		{{basic, []string{name, "Basic YWRhOmE=", name, "Basic YWRhOmE="}}},
		{{bearer, nil}, {bearer, []string{name, "Basic YWRhOmE="}}},
		{{bearer, []string{name, "Bearer a b"}}, {bearer, []string{name, "Bearer known", name, "Bearer known"}}},
		{{bearer, []string{name, "Bearer x"}}, {bearer, []string{name, "Bearer near"}}},
		{{key, nil}, {key, []string{"X-Api-Key", "x"}}, {key, []string{"X-Api-Key", "near"}}},
		{{key, []string{"X-Api-Key", "known", "X-Api-Key", "known"}}},
		nil, // TestJWTOfTheGuide
		{{auth.Scopes(bearer, "reports:read"), []string{name, "Bearer known"}}},
		{{auth.Scopes(key, "reports:read"), []string{"X-Api-Key", "known"}}, {auth.Scopes(basic, "reports:read"), []string{name, "Basic YWRhOnNlY3JldA=="}}},
		nil, // below
		{{down, []string{name, "Bearer known"}}, {panics, []string{name, "Bearer known"}}},
	}
	rows := rowsOf(t, "| kind | what")
	require.Len(t, rows, len(tries))
	for i, row := range rows {
		for _, try := range tries[i] {
			status, challenge := asked(guarded(t, try.of), try.header...)
			require.Equal(t, row[2], strconv.Itoa(status), row)
			if strings.HasPrefix(row[3], "`") {
				challenge = "`" + challenge + "`"
			} else {
				require.Contains(t, row[3], "none")
				require.Empty(t, challenge, row)
				continue
			}
			require.Equal(t, row[3], challenge, row)
		}
	}
	status, challenge := asked(guarded(t, auth.Any(basic, key)))
	require.Equal(t, 401, status)
	require.Equal(t, `Basic realm="api", charset="UTF-8", ApiKey realm="api"`, challenge)
}

// rowsOf are the cells of the table in the guide that begins so.
func rowsOf(t *testing.T, begin string) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile("docs/authorization.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(text), "\n"+begin)
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	for _, line := range strings.Split(table, "\n")[2:] {
		var cells []string
		for cell := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
			cells = append(cells, strings.TrimSpace(cell))
		}
		rows = append(rows, cells)
	}
	return rows
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
	status, challenge = asked(guarded(t, members), "Authorization", "Bearer x")
	require.Equal(t, 401, status)
	require.Equal(t, `Bearer realm="api", error="invalid_token", error_description="The token is malformed"`, challenge)
}

// ticket admits whoever shows the ticket of today.
type ticket struct{ today func() string }

func (k ticket) Scheme() api.Scheme {
	return api.Scheme{Name: "ticket", Challenge: `Ticket realm="api"`, Identifies: api.IdentifiesNever}
}

func (k ticket) Authorize(_ context.Context, r *api.Request) (api.Identity, error) {
	sent, want := sha256.Sum256([]byte(r.Header.Get("X-Ticket"))), sha256.Sum256([]byte(k.today()))
	if subtle.ConstantTimeCompare(sent[:], want[:]) != 1 {
		return api.Identity{}, api.Unauthorized("A ticket of today is needed")
	}
	return api.Identity{}, nil
}

func TestTheTicketOfTheGuide(t *testing.T) {
	h := guarded(t, ticket{func() string { return "blue" }})
	for sent, want := range map[string]string{"": `401 Ticket realm="api"`, "red": `401 Ticket realm="api"`, "blue": "200 "} {
		status, challenge := asked(h, "X-Ticket", sent)
		require.Equal(t, want, fmt.Sprintf("%d %s", status, challenge))
	}
}
