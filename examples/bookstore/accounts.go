package main

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// customer and librarian are the Values of identities: who calls. An API key has
// the name of its owner alone.
type (
	customer  struct{ Name, Plan string }
	librarian struct{ Name string }
)

// byPlan gives customers of the plan gold ten times the usual limit.
func byPlan(usual int64) func(*ratelimit.Context) int64 {
	return func(rc *ratelimit.Context) int64 {
		if c, ok := rc.Subject.(customer); ok && c.Plan == "gold" {
			return 10 * usual
		}
		return 0 // the usual one
	}
}

// librarian, customer, token and apiKey are the repositories of the authorizations.

func (s *shop) librarian(ctx context.Context, name string) (auth.Password, bool, error) {
	hash, ok, err := s.store.librarian(ctx, name)
	return auth.Password{Hash: hash, Value: librarian{name}}, ok, err
}

func (s *shop) customer(ctx context.Context, name string) (auth.Password, bool, error) {
	hash, c, ok, err := s.store.customer(ctx, name)
	return auth.Password{Hash: hash, Value: c}, ok, err
}

func (s *shop) token(ctx context.Context, secret string) (auth.Token, bool, error) {
	c, scopes, ok, err := s.store.token(ctx, secret, s.now())
	// The ID is the customer's, so all of his tokens share his limits.
	return auth.Token{ID: c.Name, IPs: auth.AnyIP(), Value: c, Scopes: scopes}, ok, err
}

func (s *shop) apiKey(ctx context.Context, secret string) (auth.Token, bool, error) {
	owner, ok, err := s.store.apiKey(ctx, secret)
	return auth.Token{ID: owner, IPs: auth.AnyIP()}, ok, err
}

const tokenLife = 12 * time.Hour

// login may ask for less than the customer may do.
type login struct {
	Scopes []string `json:"scopes" validate:"min=1,unique,dive,oneof=orders:read orders:write"`
	Caller api.Identity
}

type loggedIn struct {
	Token   string    `json:"token"`
	Expires time.Time `json:"expires"`
	Scopes  []string  `json:"scopes"`
}

// login changes a password for a token, which is cheap to check and does not last.
// The authorization has compared the password before it comes here.
func (s *shop) login(ctx context.Context, in login) (loggedIn, error) {
	c, ok := in.Caller.Value.(customer)
	if !ok {
		return loggedIn{}, errNoCustomer
	}
	now := s.now().UTC().Truncate(time.Second)
	out := loggedIn{Token: rand.Text(), Expires: now.Add(tokenLife), Scopes: in.Scopes}
	if out.Scopes == nil {
		out.Scopes = []string{"orders:read", "orders:write"}
	}
	return out, s.store.addToken(ctx, out.Token, c.Name, out.Scopes, now, out.Expires)
}

// errNoCustomer is a fault of the program: the authorization admits customers alone.
var errNoCustomer = errors.New("the caller is no customer")
