// Package standards holds the program against the standards it speaks: inputs
// with the answers that the RateLimit draft, RFC 9110, RFC 9651, RFC 9457 and
// others give, as data. It has no code but its test.
package standards
