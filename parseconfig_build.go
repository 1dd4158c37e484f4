package sallyport

import (
	"fmt"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// fileEndpoint is what a configuration file says for an endpoint.
type fileEndpoint struct {
	name string         // api.EndpointIdentifier.Name
	rule ratelimit.Rule // nil: nothing
	at   position
}

// fileEndpoints finds the endpoints of the file, and reports the entries that
// name none, or more than one.
func (b *builder) fileEndpoints() {
	registered := map[string][]entry{}
	for _, e := range b.decider.entries {
		name := e.api.Endpoint.Name()
		registered[name] = append(registered[name], e)
	}
	names := sortedKeys(registered)
	b.file = map[string]fileEndpoint{}
	for _, f := range b.config.endpoints {
		b.file[f.name] = f
		b.report("sallyport: config: "+f.at.String(), b.onlyOne(f.name, registered[f.name], names))
	}
}

// onlyOne expects the endpoints that are called by the name, and the names that
// there are.
func (b *builder) onlyOne(name string, entries []entry, known []string) error {
	if len(entries) == 0 {
		return unknownName("endpoint", name, known)
	}
	first := entries[0]
	for _, other := range entries[1:] {
		if other.api.Endpoint != first.api.Endpoint {
			return fmt.Errorf("two endpoints are called %s: %q, registered at %s, and %q, registered at %s: set their limits in the program",
				name, first.api.Endpoint, b.place(first), other.api.Endpoint, b.place(other))
		}
	}
	return nil
}
