// Package ending carries the news that a server stops to the requests that it
// would otherwise wait for in vain.
package ending

import "context"

type key struct{}

// With is ctx for the requests of a server that stops when ending ends.
func With(ctx, ending context.Context) context.Context {
	return context.WithValue(ctx, key{}, ending)
}

// Of is the context that ends when the server of ctx stops; nil: nobody tells.
func Of(ctx context.Context) context.Context {
	ending, _ := ctx.Value(key{}).(context.Context)
	return ending
}
