package main

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"strings"
	"time"
)

// Secrets are kept as their SHA-256, which is enough as they are random. Passwords
// are not, and are kept as bcrypt hashes them.
func digest(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// found makes "it is not there" of sql.ErrNoRows.
func found(err error) (bool, error) {
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

func (s *store) librarian(ctx context.Context, name string) (hash string, ok bool, err error) {
	ok, err = found(s.queries.librarian.QueryRowContext(ctx, name).Scan(&hash))
	return hash, ok, err
}

func (s *store) customer(ctx context.Context, name string) (hash string, c customer, ok bool, err error) {
	c.Name = name
	ok, err = found(s.queries.customer.QueryRowContext(ctx, name).Scan(&hash, &c.Plan))
	return hash, c, ok, err
}

// token finds whose token it is and what it may be used for.
func (s *store) token(ctx context.Context, secret string, now time.Time) (c customer, scopes []string, ok bool, err error) {
	var text string
	ok, err = found(s.queries.token.QueryRowContext(ctx, digest(secret), now.UnixMilli()).Scan(&c.Name, &c.Plan, &text))
	return c, strings.Fields(text), ok, err
}

// addToken adds a token, and removes those of everybody that have expired.
func (s *store) addToken(ctx context.Context, secret, customer string, scopes []string, now, expires time.Time) error {
	return s.inTx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.StmtContext(ctx, s.queries.removeExpiredTokens).ExecContext(ctx, now.UnixMilli()); err != nil {
			return err
		}
		_, err := tx.StmtContext(ctx, s.queries.addToken).ExecContext(ctx, digest(secret), customer, strings.Join(scopes, " "), expires.UnixMilli())
		return err
	})
}

func (s *store) apiKey(ctx context.Context, secret string) (owner string, ok bool, err error) {
	ok, err = found(s.queries.apiKey.QueryRowContext(ctx, digest(secret)).Scan(&owner))
	return owner, ok, err
}
