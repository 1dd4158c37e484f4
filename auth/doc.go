// Package auth holds the authorizations that are ready to use: [None] for open
// endpoints, [Bearer] for tokens (RFC 6750), [Basic] for passwords (RFC 7617),
// and [HeaderKey], [QueryKey] and [CookieKey] for API keys. [Any] and [All] make
// one authorization of several, and [Scopes] asks what a caller may do.
//
// Where a token comes from is the business of a [TokenRepository]: [StaticTokens]
// and [Tokens] are those that the program knows when it starts, [TokensFile] those
// of a file, [TokenFunc] is a function of the program's. A token may be bound to
// addresses by an [IPRestriction]. Passwords come from a [PasswordRepository].
//
// Secrets are compared by their digests or by bcrypt, and in constant time. None
// of them is ever part of an identity, an error or a message.
package auth
