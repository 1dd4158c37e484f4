package main

import (
	"context"
	"crypto/sha256"
	"net/http"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// account is what a token proves about its owner, besides who it is.
type account struct{ tenant, plan string }

// tenant is the key: whoever has an account with the same tenant shares a
// counter. It looks at what the authorization has proved and at no header, which
// a client could change with every request.
var tenant = ratelimit.IdentityKeyFunc(func(_ context.Context, rc *ratelimit.Context) (string, bool, error) {
	a, ok := rc.Subject.(account)
	return a.tenant, ok, nil
})

// limitOfPlan is the limit of a tenant by its plan.
func limitOfPlan(rc *ratelimit.Context) int64 {
	if a, ok := rc.Subject.(account); ok && a.plan == "gold" {
		return 6
	}
	return 0 // the usual Limit
}

// accounts has an account for each token. Anna works for two tenants.
var accounts = repository{
	digest("anna-at-acme"):   {ID: "anna", IPs: auth.AnyIP(), Value: account{"acme", "silver"}},
	digest("ben-at-acme"):    {ID: "ben", IPs: auth.AnyIP(), Value: account{"acme", "silver"}},
	digest("anna-at-globex"): {ID: "anna", IPs: auth.AnyIP(), Value: account{"globex", "gold"}},
}

// repository finds tokens by their SHA-256, as a table of a database would.
type repository map[[sha256.Size]byte]auth.Token

// Lookup implements auth.TokenRepository.
func (r repository) Lookup(_ context.Context, token string) (auth.Token, bool, error) {
	t, ok := r[digest(token)]
	return t, ok, nil
}

func digest(token string) [sha256.Size]byte { return sha256.Sum256([]byte(token)) }

var whoami = handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
	a, _ := r.Identity.Value.(account)
	return api.JSON(http.StatusOK, map[string]string{"user": r.Identity.ID, "tenant": a.tenant}), nil
})
