// Package redisstorage keeps the counters of rate limits in Redis, so that every
// server of a program counts together.
//
//	storage, err := redisstorage.Open("redis://localhost:6379", redisstorage.Options{})
//	...
//	sallyport.Config{RateLimiting: ratelimit.Options{Storage: storage}, ...}
//
// [New] takes a go-redis client that the program has already: one server,
// Sentinel, Cluster or Ring. [NewEvaluator] takes anything that runs a script.
//
// Decisions are made by a script in Redis, one after the other, with the same
// integer arithmetic as in Go. All limits of a gate that stand one behind the
// other are one call on a single server. A call whose outcome is unknown is never
// sent again, so nothing is counted twice. The time is that of the program's
// clock; Redis is never asked for its own.
package redisstorage
