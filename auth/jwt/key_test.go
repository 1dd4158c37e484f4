package jwt_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth/jwt"
)

func TestStaticKeysAreFoundByTheirID(t *testing.T) {
	id := func(id string) map[string]any { return map[string]any{"kid": id} }
	one := []jwt.Key{{Key: &rsaKey.PublicKey}}
	named := []jwt.Key{{ID: "a", Key: &rsaKey.PublicKey}}
	two := []jwt.Key{{ID: "a", Key: &rsaKey.PublicKey}, {ID: "b", Key: &otherRSAKey.PublicKey}, {ID: "c", Key: &p256.PublicKey}}
	tests := []struct {
		name      string
		keys      []jwt.Key
		algorithm string
		key       any
		header    map[string]any
		want      string // "": admitted
	}{
		{"one key, no ID", one, "RS256", rsaKey, nil, ""},
		{"one key, any ID", one, "RS256", rsaKey, id("x"), ""},
		{"a named key, no ID", named, "RS256", rsaKey, nil, ""},
		{"a named key, its ID", named, "RS256", rsaKey, id("a"), ""},
		{"a named key, another ID", named, "RS256", rsaKey, id("A"), "The key of the token is unknown"},
		{"the first", two, "RS256", rsaKey, id("a"), ""},
		{"the second", two, "RS256", otherRSAKey, id("b"), ""},
		{"another one's ID", two, "RS256", otherRSAKey, id("a"), "The signature of the token is wrong"},
		{"unknown", two, "RS256", rsaKey, id("x"), "The key of the token is unknown"},
		{"a choice", two, "RS256", rsaKey, nil, "The key of the token is unknown"},
		{"the only one of its kind", two, "ES256", p256, nil, ""},
		{"a key of another kind", two, "ES256", p256, id("a"), "The key of the token is unknown"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := authorize(t, config(func(c *jwt.Config) {
				c.Algorithms = []string{"RS256", "ES256"}[:1+len(test.keys)/2]
				c.Keys = jwt.Static(test.keys...)
			}), sign(test.algorithm, test.key, valid(nil), test.header))
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.Equal(t, invalid(test.want), api.AsRefusal(err))
		})
	}
}

// What a key source returns is looked at, too, and that it cannot tell is no
// refusal.
func TestKeySources(t *testing.T) {
	down := errors.New("the source is down")
	tests := []struct {
		name    string
		key     any
		err     error
		refusal *api.Refusal
		want    string // of the error; "": admitted
	}{
		{"the key", &rsaKey.PublicKey, nil, nil, ""},
		{"unknown", nil, jwt.ErrUnknownKey, invalid("The key of the token is unknown"), "The key of the token is unknown"},
		{"down", nil, down, nil, "auth: look up the token: jwt: get the key: the source is down"},
		{"a key of another kind", edPublic, nil, invalid("The key of the token is unknown"), "The key of the token is unknown"},
		{"a secret", secret, nil, invalid("The key of the token is unknown"), "The key of the token is unknown"},
		{"a weak key", &weakRSAKey.PublicKey, nil, nil, "auth: look up the token: jwt: the key source jwt_test.source returned a key that is not accepted: an RSA key of 1024 bits is not accepted: it has 2048 to 8192"},
		{"nothing", nil, nil, nil, "auth: look up the token: jwt: the key source jwt_test.source returned a key that is not accepted: it is nil"},
		{"a private key", rsaKey, nil, nil, "auth: look up the token: jwt: the key source jwt_test.source returned a key that is not accepted: it is a private key: give the public one"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := authorize(t, config(func(c *jwt.Config) {
				c.Algorithms = []string{"RS256"}
				c.Keys = source(func(_ context.Context, id, algorithm string) (any, error) {
					require.Equal(t, [2]string{"a", "RS256"}, [2]string{id, algorithm})
					return test.key, test.err
				})
			}), sign("RS256", rsaKey, valid(nil), map[string]any{"kid": "a"}))
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, test.want)
			require.Equal(t, test.refusal, api.AsRefusal(err))
		})
	}
}
