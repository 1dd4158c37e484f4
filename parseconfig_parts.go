package sallyport

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/sallyport-go/sallyport/internal/part"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// withParts adds the parts of a program to the built-in ones of their kind.
func withParts[T any](r *fileReader, kind string, parts map[string]T, mistakes func(T) error, builtIn map[string]T) map[string]T {
	known := maps.Clone(builtIn)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		at := value{path: joinPath(joinPath("Parts", kind), name)}
		_, taken := builtIn[name]
		if !taken {
			r.canBeName(at, name)
		}
		switch {
		case taken:
			r.fault(at, "there is a built-in one with this name")
		case part.IsNil(parts[name]):
			r.fault(at, "it is nil")
		default:
			r.report(at, mistakes(parts[name]))
		}
		known[name] = parts[name]
	}
	return known
}

func anyMistakes[T any](p T) error { return part.Mistakes(p) }

// algorithmMistakes are those that any policy with this algorithm would have.
func algorithmMistakes(a ratelimit.Algorithm) error {
	return mistakesWithin(ratelimit.Policy{Algorithm: a, Limit: 1, Interval: time.Second})
}

// keyMistakes are those that any policy with this key would have.
func keyMistakes(k ratelimit.Key) error {
	return mistakesWithin(ratelimit.Policy{Key: k, Limit: 1, Interval: time.Second})
}

// mistakesWithin are those of the one part of a policy, without its field in
// front, which the path of the part says.
func mistakesWithin(p ratelimit.Policy) error {
	var errs []error
	for _, err := range part.Flatten(part.Ask(p.Validate)) {
		if inner := errors.Unwrap(err); inner != nil {
			err = inner
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
