// Package scope carries what authorizations tell each other about scopes: one that
// knows a token tells what it grants, and one around it asks. That goes through
// the context and not by the identity, whose Value is the program's, so it gets
// through wrappers of others, too.
package scope

import (
	"context"
	"sync"
)

// Valid is the syntax of a scope-token in RFC 6749, section 3.3.
func Valid(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' || s[i] == '"' || s[i] == '\\' {
			return false
		}
	}
	return s != ""
}

// Grants are what was granted on the way to an authorization that asks. They are
// safe for concurrent use. The methods of nil, when nobody asks, do nothing.
type Grants struct {
	mu        sync.Mutex
	list      []grant
	challenge string
}

type grant struct {
	scheme, id string
	scopes     []string
}

type key struct{}

// Asked are the grants of an authorization around that asks; nil: there is none.
func Asked(ctx context.Context) *Grants {
	g, _ := ctx.Value(key{}).(*Grants)
	return g
}

// Ask is a context whose grants are told to g.
func Ask(ctx context.Context) (asking context.Context, g *Grants) {
	g = &Grants{}
	return context.WithValue(ctx, key{}, g), g
}

// Add grants scopes to an identity.
func (g *Grants) Add(scheme, id string, scopes []string) {
	if g == nil || len(scopes) == 0 {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.list = append(g.list, grant{scheme, id, scopes})
}

// Of are the scopes of an identity: what another one was granted is not held.
func (g *Grants) Of(scheme, id string) (scopes []string) {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, entry := range g.list {
		if entry.scheme == scheme && entry.id == id {
			scopes = append(scopes, entry.scopes...)
		}
	}
	return scopes
}

// Take adds what one of several authorizations has granted, whose identity counts.
// The challenge is that of its bearer scheme, unless one inside of it has told its
// own; "" is none.
func (g *Grants) Take(from *Grants, challenge string) {
	if g == nil || from == nil {
		return
	}
	from.mu.Lock()
	list, told := from.list, from.challenge
	from.mu.Unlock()
	if told == "" {
		told = challenge
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.list = append(g.list, list...)
	g.challenge = told
}

// Challenge is that of the bearer scheme that was taken last; "" is none.
func (g *Grants) Challenge() string {
	if g == nil {
		return ""
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.challenge
}
