// Package console drives the web console of handler/console in a real browser. Its
// tests need chromium and curl.
package console
