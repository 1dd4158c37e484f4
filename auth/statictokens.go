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

// Tokens is [StaticTokens] for programs that know more of a token: whose it is,
// what he may, his plan.
//
//	auth.Tokens{"my-token": {ID: "ada", IPs: auth.AnyIP(), Value: plan("paid")}}
//
// A token without IPs could be used from nowhere, and is a mistake, as is an ID
// that is the token.
type Tokens map[string]Token

// Lookup finds a token. It hashes the whole map with every call; the
// authorizations of this package do so once.
func (s StaticTokens) Lookup(ctx context.Context, token string) (Token, bool, error) {
	return s.compile(anyToken, nil).Lookup(ctx, token)
}

// Lookup finds a token, as that of [StaticTokens] does.
func (s Tokens) Lookup(ctx context.Context, token string) (Token, bool, error) {
	return s.compile(anyToken, nil).Lookup(ctx, token)
}

// Validate reports restrictions that cannot be read. An authorization asks for
// more: that its scheme can carry the tokens.
func (s StaticTokens) Validate() error { return s.compile(anyToken, nil).Validate() }

// Validate reports tokens that could be used from nowhere, as that of
// [StaticTokens] does.
func (s Tokens) Validate() error { return s.compile(anyToken, nil).Validate() }

func anyToken(string) error { return nil }

// compiled reads static tokens. The types are named, as a repository that embeds
// one of them may find its tokens in another way.
func compiled(tokens TokenRepository, check func(token string) error, hashKey []byte) TokenRepository {
	switch static := tokens.(type) {
	case StaticTokens:
		return static.compile(check, hashKey)
	case *StaticTokens:
		return static.compile(check, hashKey)
	case Tokens:
		return static.compile(check, hashKey)
	case *Tokens:
		return static.compile(check, hashKey)
	default:
		return tokens
	}
}

func (s StaticTokens) compile(check func(token string) error, hashKey []byte) *tokenTable {
	table := newTokenTable(len(s), hashKey)
	for token, restriction := range s {
		ips, err := ParseIPRestriction(restriction)
		d := digestOf(token)
		table.add(d, Token{ID: d.id(hashKey), IPs: ips}, check(token), checkNoDigest(token), err)
	}
	return table.finish()
}

var errNowhere = errors.New("IPs is missing, so it could be used from nowhere: write auth.AnyIP()")

func (s Tokens) compile(check func(token string) error, hashKey []byte) *tokenTable {
	table := newTokenTable(len(s), hashKey)
	for token, t := range s {
		var err error
		if !t.IPs.enabled() {
			err = errNowhere
		}
		d := digestOf(token)
		if t.ID == "" {
			t.ID = d.id(hashKey)
		}
		t.Scopes = slices.Clone(t.Scopes)
		table.add(d, t, check(token), checkNoDigest(token), err, checkID(t.ID, d), checkScopes(t.Scopes))
	}
	return table.finish()
}

// checkNoDigest refuses what stands in a file for a token: whoever has read it
// there could send it.
func checkNoDigest(token string) error {
	if _, hashed, err := readTokenDigest(token); hashed && err == nil {
		return errors.New("it is the digest of a token, as auth.TokensFile reads it: write the token")
	}
	return nil
}

var errTokenAsID = errors.New("the ID is the token itself, which would stand in logs")

// checkID refuses to name a caller by his secret.
func checkID(id string, d digest) error {
	if digestOf(id).equal(d) {
		return errTokenAsID
	}
	return nil
}

// tokenTable is static tokens without the tokens. It is immutable once it is
// finished.
type tokenTable struct {
	hashKey  []byte // hides the tokens in the mistakes; nil: none
	entries  map[digest]tableEntry
	mistakes []error
}

type tableEntry struct {
	digest digest
	token  Token
}

func newTokenTable(n int, hashKey []byte) *tokenTable {
	return &tokenTable{hashKey: hashKey, entries: make(map[digest]tableEntry, n)}
}

func (t *tokenTable) add(d digest, token Token, mistakes ...error) {
	t.entries[d] = tableEntry{d, token}
	for _, err := range mistakes {
		if err != nil {
			t.mistakes = append(t.mistakes, fmt.Errorf("auth: token with the %s...: %w", d.short(t.hashKey), err))
		}
	}
}

// finish brings the mistakes into an order, which a map has not.
func (t *tokenTable) finish() *tokenTable {
	slices.SortFunc(t.mistakes, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return t
}

// Lookup does the same work for tokens that exist and for those that do not: an
// unknown one is compared with the zero digest, which no token has.
func (t *tokenTable) Lookup(_ context.Context, token string) (Token, bool, error) {
	d := digestOf(token)
	entry := t.entries[d]
	return entry.token, entry.digest.equal(d), nil
}

func (t *tokenTable) Validate() error { return errors.Join(t.mistakes...) }
