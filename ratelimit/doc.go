// Package ratelimit limits how often something may happen.
//
// A [Policy] says how many requests are admitted in which interval, counted by
// which [Key] and decided by which [Algorithm]. Its counters are kept by a
// [Storage], in memory unless another one is set. A [Limiter] is a policy at
// work, several of them in a [Chain], or one of your own.
//
// Programs on Sallyport's presenter give their policies to its configuration and
// need nothing else of this package. Any other net/http program takes [Middleware]:
//
//	perIP, err := ratelimit.NewSlidingWindow("perIp", 100, time.Minute, ratelimit.IP, ratelimit.Options{})
//	...
//	limit, err := ratelimit.Middleware(perIP, ratelimit.MiddlewareOptions{})
//	...
//	http.ListenAndServe(":8080", limit(mux))
//
// And what is no HTTP at all asks a Limiter itself.
//
// # What it promises
//
// No more is admitted than the algorithm says, whatever the concurrency; a
// refusal is not counted and tells the shortest wait after which the request is
// admitted; a clock that goes back mints no quota. All arithmetic is in integers,
// so every storage decides the same.
//
// The package depends on the standard library alone.
package ratelimit
