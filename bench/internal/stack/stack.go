// Package stack builds the same small API with several frameworks and times its
// answers without a network:
//
//	GET /api/v1/items/{id}
//
// with a bearer token and one limit by address, answered {"id":"42","name":"widget","qty":7}.
package stack

import (
	"net/http"
	"time"
)

// A Stack is one way to build the API.
type Stack struct {
	Name   string
	Fields bool // it tells in the header how many requests are left

	// Build lets every address have so many requests a day.
	Build func(quota int64) (http.Handler, error)
}

// Many cannot be used up, by whatever a run does.
const Many = 1_000_000_000

// Path is that of the request.
const Path = path + "42"

// Fields are the header fields of the request.
func Fields() map[string]string {
	return map[string]string{"Authorization": "Bearer " + token, "Accept": "application/json"}
}

const (
	token     = "s3cr3t-token-0123456789abcdef"
	requestID = "7f0c1d5ce9b34a40"
	day       = 24 * time.Hour
	path      = "/api/v1/items/"
)

// The stacks that rows are about.
const (
	Ours    = "sallyport"
	Default = "sallyport, default configuration"
	Echo    = "echo + its limiter"
	Bare    = "net/http"

	throttledStack = "net/http + throttled"
)

// item is the answer.
type item struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Qty  int    `json:"qty"`
}

func itemOf(id string) item { return item{ID: id, Name: "widget", Qty: 7} }

// All are the stacks, those of Sallyport in front. Bare has neither a token nor a
// limit.
var All = []Stack{
	{Ours, true, func(quota int64) (http.Handler, error) { return buildOurs(lean, quota) }},
	{Default, true, func(quota int64) (http.Handler, error) { return buildOurs(standard, quota) }},
	{throttledStack, true, buildThrottled},
	{"net/http + ulule", true, buildUlule},
	{"httprouter + sethvargo", true, buildSethvargo},
	{"chi + httprate", true, buildChi},
	{"gin + ulule", true, buildGin},
	{"huma + ulule", true, buildHuma},
	{Echo, false, buildEcho},
	{Bare, false, buildBare},
}

// Named is the stack with that name.
func Named(name string) (Stack, bool) {
	for _, s := range All {
		if s.Name == name {
			return s, true
		}
	}
	return Stack{}, false
}
