package jwt_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	gojwt "github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth/jwt"
)

func TestClaims(t *testing.T) {
	at := func(d time.Duration) json.Number {
		return json.Number(must(json.Marshal(start.Add(d).Unix())))
	}
	half := func(d time.Duration) json.Number { return at(d) + ".5" }
	const s = time.Second
	tests := []struct {
		name    string
		leeway  time.Duration
		changes gojwt.MapClaims
		want    string // "": admitted
	}{
		{"before the expiration", 0, gojwt.MapClaims{"exp": at(s)}, ""},
		{"at the expiration", 0, gojwt.MapClaims{"exp": at(0)}, "The token has expired"},
		{"half a second before", 0, gojwt.MapClaims{"exp": half(0)}, ""},
		{"half a second after", 0, gojwt.MapClaims{"exp": half(-s)}, "The token has expired"},
		{"expired within the leeway", 5 * s, gojwt.MapClaims{"exp": at(-4 * s)}, ""},
		{"expired by the leeway", 5 * s, gojwt.MapClaims{"exp": at(-5 * s)}, "The token has expired"},
		{"expired in 1970", 0, gojwt.MapClaims{"exp": 0}, "The token has expired"},
		{"expired before 1970", 0, gojwt.MapClaims{"exp": -1}, "The token has expired"},
		{"no expiration", 0, gojwt.MapClaims{"exp": nil}, "The token has no expiration time"},
		{"expiration as a text", 0, gojwt.MapClaims{"exp": "1900000000"}, "The token has a date that cannot be read"},
		{"expiration is null", 0, gojwt.MapClaims{"exp": json.RawMessage("null")}, "The token has a date that cannot be read"},
		{"expiration is no number of 64 bits", 0, gojwt.MapClaims{"exp": json.Number("1e400")}, "The token has a date that cannot be read"},
		{"expiration is no time of 64 bits", 0, gojwt.MapClaims{"exp": json.Number("1e30")}, "The token has a date that cannot be read"},
		{"the end of the year 9999", 0, gojwt.MapClaims{"exp": json.Number("253402300799")}, ""},
		{"the year 10000", 0, gojwt.MapClaims{"exp": json.Number("253402300800")}, "The token has a date that cannot be read"},

		{"valid from now", 0, gojwt.MapClaims{"nbf": at(0)}, ""},
		{"not valid yet", 0, gojwt.MapClaims{"nbf": at(s)}, "The token is not valid yet"},
		{"not valid yet by half a second", 0, gojwt.MapClaims{"nbf": half(0)}, "The token is not valid yet"},
		{"not valid yet within the leeway", 5 * s, gojwt.MapClaims{"nbf": at(5 * s)}, ""},
		{"not valid yet beyond the leeway", 5 * s, gojwt.MapClaims{"nbf": at(6 * s)}, "The token is not valid yet"},
		{"not before is no date", 0, gojwt.MapClaims{"nbf": true}, "The token has a date that cannot be read"},

		{"issued now", 0, gojwt.MapClaims{"iat": at(0)}, ""},
		{"issued in the future", 0, gojwt.MapClaims{"iat": at(s)}, "The token was issued in the future"},
		{"issued within the leeway", 30 * s, gojwt.MapClaims{"iat": at(30 * s)}, ""},
		{"issued beyond the leeway", 30 * s, gojwt.MapClaims{"iat": at(31 * s)}, "The token was issued in the future"},
		{"issued is no date", 0, gojwt.MapClaims{"iat": []int{1}}, "The token has a date that cannot be read"},

		{"another issuer", 0, gojwt.MapClaims{"iss": "https://evil.example/"}, "The token is from another issuer"},
		{"the start of the issuer", 0, gojwt.MapClaims{"iss": "https://issuer.example"}, "The token is from another issuer"},
		{"no issuer", 0, gojwt.MapClaims{"iss": nil}, "The token is from another issuer"},
		{"a list of issuers", 0, gojwt.MapClaims{"iss": []string{issuer}}, "The token is from another issuer"},

		{"a list of one audience", 0, gojwt.MapClaims{"aud": []string{audience}}, ""},
		{"a list of audiences", 0, gojwt.MapClaims{"aud": []string{"https://other.example/", audience}}, ""},
		{"the second of our names", 0, gojwt.MapClaims{"aud": "api"}, ""},
		{"another audience", 0, gojwt.MapClaims{"aud": "https://other.example/"}, "The token is for another audience"},
		{"other audiences", 0, gojwt.MapClaims{"aud": []string{"https://other.example/"}}, "The token is for another audience"},
		{"an audience that starts alike", 0, gojwt.MapClaims{"aud": audience + "x"}, "The token is for another audience"},
		{"audiences in a text", 0, gojwt.MapClaims{"aud": audience + " api"}, "The token is for another audience"},
		{"no audience", 0, gojwt.MapClaims{"aud": nil}, "The token is for another audience"},
		{"an empty audience", 0, gojwt.MapClaims{"aud": ""}, "The token is for another audience"},
		{"an empty list", 0, gojwt.MapClaims{"aud": []string{}}, "The token is for another audience"},
		{"an audience that is no text", 0, gojwt.MapClaims{"aud": []any{audience, 1}}, "The token is for another audience"},

		{"no subject", 0, gojwt.MapClaims{"sub": nil}, "The token has no subject"},
		{"an empty subject", 0, gojwt.MapClaims{"sub": ""}, "The token has no subject"},
		{"a subject that is a number", 0, gojwt.MapClaims{"sub": 1}, "The token has no subject"},
		{"half of a character", 0, gojwt.MapClaims{"sub": json.RawMessage(`"\ud800"`)}, "The token has no subject"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			claims := valid(test.changes)
			_, err := authorize(t, config(func(c *jwt.Config) {
				c.Leeway = test.leeway
				c.Audience = []string{audience, "api"}
			}), sign("HS256", secret, claims, nil))
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.Equal(t, invalid(test.want), api.AsRefusal(err))
		})
	}
}

func TestWhatIsAdmittedExplicitly(t *testing.T) {
	open := func(c *jwt.Config) {
		c.Issuer, c.AnyIssuer = "", true
		c.Audience, c.AnyAudience = nil, true
		c.AnyLifetime = true
	}
	identity, err := authorize(t, config(open), sign("HS256", secret, gojwt.MapClaims{"sub": "ada"}, nil))
	require.NoError(t, err)
	require.Equal(t, api.Identity{Scheme: "jwt", ID: "#ada", Value: jwt.Claims{"sub": "ada"}}, identity)

	_, err = authorize(t, config(open), sign("HS256", secret, gojwt.MapClaims{"sub": "ada", "iss": 1}, nil))
	require.Equal(t, invalid("The token is from another issuer"), api.AsRefusal(err))
	_, err = authorize(t, config(open), sign("HS256", secret, gojwt.MapClaims{"sub": "ada", "exp": 1}, nil))
	require.Equal(t, invalid("The token has expired"), api.AsRefusal(err))
}

// Numbers are as the issuer wrote them.
func TestNumbersKeepTheirDigits(t *testing.T) {
	identity, err := authorize(t, config(nil), sign("HS256", secret, valid(gojwt.MapClaims{"account": json.Number("9007199254740993")}), nil))
	require.NoError(t, err)
	require.Equal(t, json.Number("9007199254740993"), identity.Value.(jwt.Claims)["account"])
}

// Of claims with one name the last counts (RFC 7519, section 4), and names are
// compared exactly.
func TestClaimsThatStandTwice(t *testing.T) {
	const claims = `{"sub":"eve","SUB":"eve","iss":"` + issuer + `","aud":"` + audience + `","exp":%d,"exp":%d,"sub":"ada","Sub":"eve"}`
	past, future := start.Add(-time.Minute).Unix(), start.Add(time.Minute).Unix()
	identity, err := authorize(t, config(nil), raw(`{"alg":"HS256"}`, fmt.Sprintf(claims, past, future)))
	require.NoError(t, err)
	require.Equal(t, issuer+"#ada", identity.ID)
	_, err = authorize(t, config(nil), raw(`{"alg":"HS256"}`, fmt.Sprintf(claims, future, past)))
	require.Equal(t, invalid("The token has expired"), api.AsRefusal(err))
}

// Two callers never have one ID, whatever their issuers call them.
func TestIdentitiesAreApart(t *testing.T) {
	pairs := [][2]string{
		{"a", "b:c"}, {"a:b", "c"},
		{"a", "b#c"}, {"a#b", "c"}, {"a%23b", "c"}, {"a%2523b", "c"},
		{"", "a#b"}, {"", "#"}, {"#", ""}, {"a", "%23"}, {"a%", "23"},
	}
	seen := map[string][2]string{}
	for _, pair := range pairs {
		if pair[1] == "" {
			continue // refused
		}
		identity, err := authorize(t, config(func(c *jwt.Config) { c.Issuer, c.AnyIssuer = "", true }),
			sign("HS256", secret, valid(gojwt.MapClaims{"iss": pair[0], "sub": pair[1]}), nil))
		require.NoError(t, err)
		require.NotContains(t, seen, identity.ID)
		seen[identity.ID] = pair
	}
}

func TestScopes(t *testing.T) {
	tests := []struct {
		name     string
		claims   gojwt.MapClaims
		admitted bool
	}{
		{"a text", gojwt.MapClaims{"scope": "reports:read reports:write"}, true},
		{"more than required, in another order", gojwt.MapClaims{"scope": "x reports:write y reports:read"}, true},
		{"a list", gojwt.MapClaims{"scp": []string{"reports:write", "reports:read"}}, true},
		{"scp as a text", gojwt.MapClaims{"scp": "reports:write reports:read"}, true},
		{"scope as a list", gojwt.MapClaims{"scope": []string{"reports:write", "reports:read"}}, true},
		{"none", nil, false},
		{"one is missing", gojwt.MapClaims{"scope": "reports:read"}, false},
		{"scope goes before scp", gojwt.MapClaims{"scope": "reports:read", "scp": []string{"reports:write"}}, false},
		{"part of a scope", gojwt.MapClaims{"scope": "reports:read reports:writer"}, false},
		{"a scope is part of it", gojwt.MapClaims{"scope": "reports:read xreports:write"}, false},
		{"in capitals", gojwt.MapClaims{"scope": "reports:read REPORTS:WRITE"}, false},
		{"divided by a tab", gojwt.MapClaims{"scope": "reports:read\treports:write"}, false},
		{"divided by commas", gojwt.MapClaims{"scope": "reports:read,reports:write"}, false},
		{"several in one entry", gojwt.MapClaims{"scp": []string{"reports:read reports:write"}}, false},
		{"an entry is no text", gojwt.MapClaims{"scp": []any{"reports:write", "reports:read", 1}}, false},
		{"neither text nor list", gojwt.MapClaims{"scope": map[string]bool{"reports:read": true, "reports:write": true}}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			identity, err := authorize(t, config(func(c *jwt.Config) {
				c.Scopes = []string{"reports:read", "reports:write"}
			}), sign("HS256", secret, valid(test.claims), nil))
			require.Equal(t, "jwt:"+issuer+"#ada", identity.String())
			if test.admitted {
				require.NoError(t, err)
				return
			}
			require.Equal(t, &api.Refusal{
				Kind: api.KindForbidden, Message: "The token lacks a scope that is required",
				Challenge: bare + `, error="insufficient_scope", error_description="The token lacks a scope that is required", scope="reports:read reports:write"`,
			}, api.AsRefusal(err))
		})
	}
}
