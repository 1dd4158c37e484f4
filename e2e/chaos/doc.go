// Chaos breaks things around the product and measures what is left of its
// promises: Redis that dies, floods of keys, clocks that jump, hostile HTTP,
// forged credentials, stops under load. Everything runs against the real thing,
// on ports that the kernel picks.
//
//	go run ./chaos -short          # all scenarios, under 8 minutes
//	go run ./chaos -run '^redis/'  # some of them
//	go run ./chaos -out FILE       # the table for docs/reliability.md
//
// It runs in the directory of the module, prints a line of CSV for each scenario
// (name, promise, what was measured, ok or broken) and exits with 1 when a
// promise is broken.
package main
