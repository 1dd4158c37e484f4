package sallyport_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/ratelimit"
)

type panickingKey struct{ ratelimit.Key }

func (panickingKey) NeedsIdentity() bool { panic("boom") }

// named is an algorithm with this name; "": one that panics.
type namedAlgorithm string

func (a namedAlgorithm) Name() string {
	if a == "" {
		panic("boom")
	}
	return string(a)
}

func (namedAlgorithm) Step(ratelimit.State, ratelimit.Take) ratelimit.Outcome {
	return ratelimit.Outcome{}
}

// invalidLimiter panics when it is asked for its mistakes.
type invalidLimiter struct{ ratelimit.Limiter }

func (invalidLimiter) Validate() error { panic("boom") }

func TestPartsAreAskedBeforeTheFileIs(t *testing.T) {
	const grammar = " is no name: letters, digits, _, - and . only"
	parts := sallyport.Parts{
		Algorithms: map[string]ratelimit.Algorithm{"a": namedAlgorithm(""), "b": namedAlgorithm("a:b\n"), "c": namedAlgorithm("tokenBucket"), "": minimumGap{}},
		Keys:       map[string]ratelimit.Key{"k": panickingKey{ratelimit.IP}, "a b": ratelimit.IPKey(48)},
		Limiters:   map[string]ratelimit.Limiter{"l": invalidLimiter{own}, "é": own},
		Storages:   map[string]sallyport.StorageFunc{"s\n": openCounters},
	}
	want := []string{
		`Parts.Algorithms."": ""` + grammar,
		"Parts.Algorithms.a: it panics: boom",
		`Parts.Algorithms.b: name "a:b\n": letters and digits only`,
		`Parts.Algorithms.c: name "tokenBucket" is that of a built-in one: they would read each other's counters`,
		`Parts.Keys."a b": "a b"` + grammar,
		"Parts.Keys.k: it panics: boom",
		"Parts.Limiters.l: it panics: boom",
		`Parts.Limiters."é": "é"` + grammar,
		`Parts.Storages."s\n": "s\n"` + grammar,
	}
	// What uses a faulty part is not told again.
	for _, file := range []string{
		"{}",
		"rateLimits: {x: {limit: 1, interval: 1, key: k, algorithm: a}, y: l}\ndefaults: {rateLimit: [x, l]}",
	} {
		require.Equal(t, want, mistakes(t, file, parts), file)
	}
}

func TestMistakesOfPartsInTheirPlacesOfTheFile(t *testing.T) {
	fast, err := ratelimit.NewFixedWindow("fast", 1, ratelimit.MinInterval, nil, ratelimit.Options{})
	require.NoError(t, err)
	parts := sallyport.Parts{Limiters: map[string]ratelimit.Limiter{"quick": fast}}
	list := mistakes(t, "rateLimits:\n  slow: quick\ndebug: 1", parts)
	require.Len(t, list, 2)
	require.Regexp(t, "^rateLimits.slow: line 2, column 9: .*fast", list[0])
	require.Equal(t, "debug: line 3, column 8: 1: write true or false", list[1])
	require.Len(t, parse(t, "rateLimits: {fast: quick}", parts).RateLimits, 1)
	require.Len(t, mistakes(t, "defaults: {rateLimit: [quick, quick]}", parts), 1)
}
