// Package console is the web console of an API: a page that lists its endpoints,
// makes a form for each, sends what is filled in from the browser of the person
// who looks at it, and shows the answer, with what is left of each rate limit.
//
//	decider.AddApi(api.GET("1", "console"), &console.Console{}, auth.None(), ratelimit.Off)
//
// The page, its scripts and the form of each endpoint are all served by this one
// endpoint, so a limit on it counts some twenty requests for a page. Nothing
// comes from another host, nothing is inlined, and the Content-Security-Policy
// allows neither. The server never calls an address by order of the page.
//
// The console tells everything about the API, so think about who may call it. A
// browser can authorize itself for a page by Basic or by a cookie, and by no other
// scheme.
package console
