// Package errorhandler makes the answers to what goes wrong: [Default] as plain
// JSON, [ProblemDetails] as RFC 9457 has it, and [Funcs] and [Func] for a program
// with ideas of its own. [Map] says how the errors of a program are answered.
//
// None of them logs, and none shows the cause of a failure to a client unless
// the program runs in debug mode. The header fields of a failure (Allow,
// WWW-Authenticate, Retry-After, RateLimit) are the presenter's.
package errorhandler
