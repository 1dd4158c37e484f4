// Package api holds the words that every part of Sallyport shares: what an
// endpoint is, what handles it, who may call it, what goes in and what comes
// out. It decides nothing; the root package does.
package api
