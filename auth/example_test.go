package auth_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http/httptest"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/ipdetector"
	"github.com/sallyport-go/sallyport/ratelimit"
)

func ExampleBearer() {
	bearer := auth.Bearer(auth.StaticTokens{
		"my-token":    "*",          // from everywhere
		"other-token": "10.0.0.0/8", // from one network
	}, auth.Realm("reports"))

	for _, header := range []string{"Bearer my-token", "Bearer other-token", "Bearer guess"} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Authorization", header)
		identity, err := bearer.Authorize(context.Background(), &api.Request{
			Request: r,
			Limits:  ratelimit.Context{Request: r, Detector: ipdetector.RemoteAddr{}},
		})
		fmt.Println(identity, err)
	}
	// Output:
	// bearer:fece50d2287f7245aea5819b75f95ee8 <nil>
	//  Invalid IP
	//  Token doesn't exists or isn't active
}

// accounts is a repository of one's own, by the SHA-256 of the tokens.
type accounts map[[sha256.Size]byte]account

type account struct {
	user string
	ips  *string // NULL: disabled
}

func (a accounts) Lookup(_ context.Context, token string) (auth.Token, bool, error) {
	found, ok := a[sha256.Sum256([]byte(token))]
	if !ok {
		return auth.Token{}, false, nil
	}
	var ips auth.IPRestriction
	if found.ips != nil {
		var err error
		if ips, err = auth.ParseIPRestriction(*found.ips); err != nil {
			return auth.Token{}, false, fmt.Errorf("accounts: %s: %w", found.user, err)
		}
	}
	return auth.Token{ID: found.user, IPs: ips}, true, nil
}

func ExampleTokenRepository() {
	home := "192.0.2.0/24"
	bearer := auth.Bearer(accounts{
		sha256.Sum256([]byte("token-of-ann")): {"ann", &home},
		sha256.Sum256([]byte("token-of-bob")): {"bob", nil},
	})

	for _, token := range []string{"token-of-ann", "token-of-bob"} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Authorization", "Bearer "+token)
		identity, err := bearer.Authorize(context.Background(), &api.Request{
			Request: r,
			Limits:  ratelimit.Context{Request: r, Detector: ipdetector.RemoteAddr{}},
		})
		fmt.Println(identity, err)
	}
	// Output:
	// bearer:ann <nil>
	//  Invalid IP
}
