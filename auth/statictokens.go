package auth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// StaticTokens is a [TokenRepository] of tokens that the program knows when it
// starts: from token to IP restriction, as [ParseIPRestriction] reads it.
//
//	auth.StaticTokens{"my-token": "*", "other-token": "192.0.2.1, 10.0.0.0/8"}
//
// An empty restriction is "*". Give it to an authorization such as [Bearer],
// which reads it once and keeps digests of the tokens alone.
type StaticTokens map[string]string

// Lookup finds a token. It hashes the whole map with every call; the
// authorizations of this package do so once.
func (s StaticTokens) Lookup(ctx context.Context, token string) (Token, bool, error) {
	return s.compile(func(string) error { return nil }).Lookup(ctx, token)
}

// compiled prepares a repository for use. The check tells why a scheme cannot
// carry a token.
func compiled(tokens TokenRepository, check func(token string) error) TokenRepository {
	if static, ok := tokens.(StaticTokens); ok {
		return static.compile(check)
	}
	return tokens
}

func (s StaticTokens) compile(check func(token string) error) *tokenTable {
	table := &tokenTable{entries: make(map[digest]tableEntry, len(s))}
	var mistakes []string
	for token, restriction := range s {
		d := digestOf(token)
		ips, err := ParseIPRestriction(restriction)
		table.entries[d] = tableEntry{d, Token{ID: d.id(), IPs: ips}}
		for _, err := range []error{check(token), err} {
			if err != nil {
				mistakes = append(mistakes, fmt.Sprintf("auth: token with the SHA-256 %s...: %v", d.short(), err))
			}
		}
	}
	if len(mistakes) > 0 {
		slices.Sort(mistakes) // a map has no order
		table.mistakes = errors.New(strings.Join(mistakes, "\n"))
	}
	return table
}

// tokenTable is StaticTokens without the tokens. It is immutable.
type tokenTable struct {
	entries  map[digest]tableEntry
	mistakes error
}

type tableEntry struct {
	digest digest
	token  Token
}

// Lookup does the same work for tokens that exist and for those that do not: an
// unknown one is compared with the zero digest, which no token has.
func (t *tokenTable) Lookup(_ context.Context, token string) (Token, bool, error) {
	d := digestOf(token)
	entry := t.entries[d]
	return entry.token, entry.digest.equal(d), nil
}

func (t *tokenTable) Validate() error { return t.mistakes }
