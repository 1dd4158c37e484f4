// Package e2e drives the product from outside, with the tools that its users
// have: browsers, generated clients, validators, processes under faults. It is a
// module of its own, so that none of them reaches a user's module graph.
package e2e
