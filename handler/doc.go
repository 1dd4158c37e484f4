// Package handler holds handlers that are ready to use, and those that make a
// handler of something else: [Typed] of a function from a struct to an answer,
// [Func] of a function that reads the request itself, [HTTP] of a handler of
// net/http, [Lazy] of a function that builds one when it is needed. [Describe]
// gives a handler parameters, outputs and texts; packages handler/param and
// handler/output have the parts of a description.
package handler
