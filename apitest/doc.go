// Package apitest holds what [net/http/httptest] does not have for the tests of a
// program with limits: a clock that stands still, a way to use a limit up, and one
// to look at what an answer says about limits.
//
// A presenter is an http.Handler, so everything else is httptest:
//
//	clock := apitest.NewClock()
//	presenter, err := newPresenter(ratelimit.Options{Clock: clock}) // the program's own function
//	...
//	apitest.Exhaust(t, presenter, func() *http.Request { return httptest.NewRequest("GET", "/api/v1/users", nil) })
package apitest
