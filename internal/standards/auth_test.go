package standards_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
)

// RFC 6750, RFC 7617, RFC 9110 (section 11)
var authentication = map[string]runner{
	"auth/bearer_parse": func(t *testing.T, input json.RawMessage) any {
		var asked []string
		knowsAll := lookup(func(token string) (auth.Token, bool, error) {
			asked = append(asked, token)
			return auth.Token{IPs: auth.AnyIP()}, true, nil
		})
		r := &api.Request{Request: request("192.0.2.1:1")}
		r.Header["Authorization"] = decode[struct{ Authorization []string }](t, input).Authorization
		_, err := auth.Bearer(knowsAll).Authorize(t.Context(), r)
		if err == nil {
			require.Len(t, asked, 1)
			return answer{"result": "token", "token": asked[0]}
		}
		require.Empty(t, asked)
		refusal := api.AsRefusal(err)
		require.NotNil(t, refusal)
		switch refusal.Challenge {
		case `Bearer realm="api", error="invalid_request"`:
			require.Equal(t, api.KindInput, refusal.Kind)
			return answer{"result": "invalid_request"}
		case `Bearer realm="api"`:
			require.Equal(t, api.KindUnauthorized, refusal.Kind)
			if refusal.Message == "Authorization header doesn't contain bearer token" {
				return answer{"result": "other_scheme"}
			}
			return answer{"result": "no_credentials"}
		default:
			return answer{"result": refusal.Challenge}
		}
	},
	"auth/bearer_challenge": func(t *testing.T, input json.RawMessage) any {
		in := decode[struct {
			Reason, Description string
			Realm               *string
		}](t, input)
		var options []auth.Option
		if in.Realm != nil {
			options = append(options, auth.Realm(*in.Realm))
		}
		expired := lookup(func(string) (auth.Token, bool, error) {
			if in.Description == "" {
				return auth.Token{}, false, nil
			}
			return auth.Token{}, false, api.Unauthorized(in.Description)
		})
		h := program{authorization: auth.Bearer(expired, options...)}.start(t)
		var c call
		switch in.Reason {
		case "no_credentials":
		case "token in query":
			if send(t, h, call{query: "access_token=token"}).status == http.StatusUnauthorized {
				return answer{"default": "refuse"}
			}
			return answer{"default": "admit"}
		case "scope":
			scope := decode[struct{ Scope string }](t, input).Scope
			tokens := auth.Tokens{"expired": {IPs: auth.AnyIP()}} // known, but without a scope
			h = program{authorization: auth.Scopes(auth.Bearer(tokens, options...), scope)}.start(t)
			c.header = http.Header{"Authorization": {"Bearer expired"}}
		default: // the token is not valid
			c.header = http.Header{"Authorization": {"Bearer expired"}}
		}
		res := send(t, h, c)
		challenge := res.field("Www-Authenticate")
		if in.Reason == "description charset" {
			sent := parameterOf(challenge, "error_description")
			require.Regexp(t, `^"[\x20-\x21\x23-\x5B\x5D-\x7E]+"$`, sent)
			return answer{"description_allowed": sent == `"`+in.Description+`"`}
		}
		return answer{"status": res.status, "www_authenticate": challenge}
	},
	"auth/basic_parse": func(t *testing.T, input json.RawMessage) any {
		type pair struct{ user, password string }
		var asked []pair
		knowsAll := auth.VerifyWith(auth.PasswordFunc(func(_ context.Context, user string) (auth.Password, bool, error) {
			asked = append(asked, pair{user: user})
			return auth.Password{Hash: "hash"}, true, nil
		}), func(password, _ string) (bool, error) {
			asked[0].password = password
			return true, nil
		})
		h := program{authorization: auth.Basic(knowsAll)}.start(t)
		line := decode[struct{ Authorization string }](t, input).Authorization
		res := send(t, h, call{header: http.Header{"Authorization": {line}}})
		if res.status == http.StatusOK {
			require.Len(t, asked, 1)
			return answer{"ok": true, "user": asked[0].user, "password": asked[0].password}
		}
		require.Empty(t, asked)
		require.Equal(t, http.StatusUnauthorized, res.status)
		require.Equal(t, `Basic realm="api", charset="UTF-8"`, res.field("Www-Authenticate"))
		return answer{"ok": false}
	},
	"auth/basic_challenge": func(t *testing.T, input json.RawMessage) any {
		realm := decode[struct{ Realm string }](t, input).Realm
		h := program{authorization: auth.Basic(auth.Passwords{}, auth.Realm(realm))}.start(t)
		return answer{"www_authenticate": send(t, h, call{}).field("Www-Authenticate")}
	},
	"auth/auth_rule/several schemes accepted": func(t *testing.T, _ json.RawMessage) any {
		both := auth.Any(auth.Basic(auth.Passwords{}), auth.Bearer(auth.StaticTokens{}))
		lines := send(t, program{authorization: both}.start(t), call{}).header.Values("Www-Authenticate")
		require.Equal(t, []string{`Basic realm="api", charset="UTF-8", Bearer realm="api"`}, lines)
		return answer{"www_authenticate_lines": lines}
	},
	"auth/auth_rule/API key auth failure": func(t *testing.T, _ json.RawMessage) any {
		var statuses []int
		for _, a := range []api.Authorization{
			auth.HeaderKey("X-API-Key", auth.StaticTokens{}), auth.QueryKey("api_key", auth.StaticTokens{}), auth.CookieKey("api_key", auth.StaticTokens{}),
		} {
			h := program{authorization: a}.start(t)
			for _, c := range []call{{}, {header: http.Header{"X-Api-Key": {"x"}, "Cookie": {"api_key=x"}}, query: "api_key=x"}} {
				res := send(t, h, c)
				require.NotEmpty(t, res.field("Www-Authenticate"))
				statuses = append(statuses, res.status)
			}
		}
		require.Len(t, slices.Compact(statuses), 1)
		return answer{"status": statuses[0], "must_have": "WWW-Authenticate"}
	},
	// The work is counted by a function that verifies; that of bcrypt is a matter
	// of package auth.
	"auth/auth_rule/unknown user vs bad password": func(t *testing.T, _ json.RawMessage) any {
		verified := 0
		users := auth.VerifyWith(auth.Passwords{"ada": "hash"}, func(string, string) (bool, error) {
			verified++
			return false, nil
		})
		h := program{authorization: auth.Basic(users)}.start(t)
		try := func(user string) (reply, int) {
			verified = 0
			credentials := base64.StdEncoding.EncodeToString([]byte(user + ":guess"))
			res := send(t, h, call{header: http.Header{"Authorization": {"Basic " + credentials}}})
			res.header.Del("X-Request-Id")
			return res, verified
		}
		known, work := try("ada")
		unknown, same := try("eve")
		return answer{"same_status_body_and_work": work > 0 && work == same && reflect.DeepEqual(known, unknown)}
	},
	"auth/auth_rule/duplicate auth-param name in one challenge": func(t *testing.T, _ json.RawMessage) any {
		repeats := func(challenge string) bool {
			names := map[string]bool{}
			for _, p := range parameters(challenge) {
				if names[p.name] {
					return true
				}
				names[p.name] = true
			}
			return false
		}
		return answer{"valid": slices.ContainsFunc(challenges(t), repeats)}
	},
	"auth/auth_rule/realm written as token": func(t *testing.T, _ json.RawMessage) any {
		return answer{"sender_may": slices.ContainsFunc(challenges(t), func(challenge string) bool {
			return !strings.HasPrefix(parameterOf(challenge, "realm"), `"`)
		})}
	},
	"auth/auth_rule/valid credential, not authorised": func(t *testing.T, _ json.RawMessage) any { //nolint:misspell // as the vector spells it
		known := lookup(func(string) (auth.Token, bool, error) { return auth.Token{}, false, api.Forbidden("not yours") })
		res := send(t, program{authorization: auth.Bearer(known)}.start(t), call{header: http.Header{"Authorization": {"Bearer token"}}})
		return answer{"status": res.status}
	},
	// How long a comparison takes cannot be seen from here. What can be seen is
	// that a secret is kept as its digest, which has one length.
	"auth/auth_rule/compare secrets": func(t *testing.T, input json.RawMessage) any {
		in := decode[struct {
			Stored int `json:"stored_len"`
			Given  int `json:"given_len"`
		}](t, input)
		secret := strings.Repeat("k", in.Stored)
		bearer := auth.Bearer(auth.StaticTokens{secret: "*"})
		try := func(token string) (api.Identity, error) {
			r := &api.Request{Request: request("192.0.2.1:1")}
			r.Header.Set("Authorization", "Bearer "+token)
			return bearer.Authorize(t.Context(), r)
		}
		identity, err := try(secret)
		require.NoError(t, err)
		_, err = try(secret[:in.Given])
		digest := sha256.Sum256([]byte(secret))
		return answer{"given_admitted": err == nil, "known_by_digest": identity.ID == hex.EncodeToString(digest[:16])}
	},
}

// lookup is a token repository as a function.
type lookup func(token string) (auth.Token, bool, error)

func (l lookup) Lookup(_ context.Context, token string) (auth.Token, bool, error) { return l(token) }

// challenges are those of all the ways in which programs refuse credentials.
func challenges(t *testing.T) (all []string) {
	t.Helper()
	described := lookup(func(token string) (auth.Token, bool, error) {
		return auth.Token{}, false, api.Unauthorized(token + `", realm="x", error="y`)
	})
	for _, a := range []api.Authorization{
		auth.Bearer(auth.StaticTokens{"token": "10.0.0.1"}),
		auth.Bearer(auth.StaticTokens{}, auth.Realm(`api", realm=api, error="x`)),
		auth.Bearer(described, auth.Realm("api")),
		auth.Basic(auth.Passwords{"user": "other"}, auth.Realm(`api", realm=api`)),
		auth.HeaderKey("X-API-Key", auth.StaticTokens{}, auth.Realm(`api", realm=api`)),
		unchallenged{},
	} {
		h := program{authorization: a}.start(t)
		for _, lines := range [][]string{nil, {"Basic dXNlcg=="}, {"Bearer a b"}, {"Bearer token"}, {"Bearer token", "Bearer token"}} {
			sent := send(t, h, call{header: http.Header{"Authorization": lines}}).header.Values("Www-Authenticate")
			require.Len(t, sent, 1)
			all = append(all, sent...)
		}
	}
	return all
}

// unchallenged is an authorization of one's own that brings no challenge.
type unchallenged struct{}

func (unchallenged) Authorize(context.Context, *api.Request) (api.Identity, error) {
	return api.Identity{}, api.Unauthorized("no")
}

func (unchallenged) Scheme() api.Scheme { return api.Scheme{} }

// authParam is an auth-param (RFC 9110, section 11.2): its value is a token or a
// quoted-string.
var authParam = regexp.MustCompile(`([\w-]+)=("(?:[^"\\]|\\.)*"|[^",\s]+)`)

type parameter struct{ name, value string }

// parameters takes a challenge apart. The values are as they were sent.
func parameters(challenge string) (list []parameter) {
	for _, m := range authParam.FindAllStringSubmatch(challenge, -1) {
		list = append(list, parameter{strings.ToLower(m[1]), m[2]})
	}
	return list
}

// parameterOf is the value as it was sent, or "".
func parameterOf(challenge, name string) string {
	for _, p := range parameters(challenge) {
		if p.name == name {
			return p.value
		}
	}
	return ""
}
