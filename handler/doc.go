// Package handler holds handlers that are ready to use, and those that make a
// handler of something else: [Func] of a function, [HTTP] of a handler of
// net/http, [Lazy] of a function that builds one when it is needed.
package handler
