// Package auth holds the authorizations that are ready to use: [None] for open
// endpoints and [Bearer] for tokens (RFC 6750).
//
// Where a token comes from is the business of a [TokenRepository];
// [StaticTokens] is one for tokens that the program knows when it starts. A
// token may be bound to addresses by an [IPRestriction].
//
// Secrets are compared by their digests and in constant time. None of them is
// ever part of an identity, an error or a message.
package auth
