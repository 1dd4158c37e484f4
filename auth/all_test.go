package auth_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
)

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
