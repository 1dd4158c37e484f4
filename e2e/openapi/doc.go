// Package openapi holds the OpenAPI documents of the examples against the tools of
// others: validators, linters and generators of clients.
package openapi
