package storagetest

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

func TestOptionsLeaveScenariosOut(t *testing.T) {
	for _, tc := range []struct {
		name    string
		options Options
		out     []string // the kinds that have fewer scenarios, or none
	}{
		{"none", Options{}, nil},
		{"not atomic", Options{Approximate: true}, []string{"context", "crowd"}},
		{"an own clock", Options{OwnClock: true}, []string{"traffic"}},
		{"scripts", Options{ScriptsOnly: true}, []string{"algorithm", "context", "crowd", "minimum gap", "state"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			all, some := kinds(Options{}), kinds(tc.options)
			maps.DeleteFunc(all, func(kind string, n int) bool { return some[kind] == n })
			require.Equal(t, tc.out, slices.Sorted(maps.Keys(all)))
		})
	}
}

// kinds counts the scenarios by the first word of their names.
func kinds(o Options) map[string]int {
	count := map[string]int{}
	for _, s := range scenarios(o.withDefaults()) {
		kind, _, _ := strings.Cut(s.name, "/")
		count[kind]++
	}
	return count
}

func TestEveryScenarioHasAName(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range scenarios(Options{}.withDefaults()) {
		require.False(t, seen[s.name], s.name)
		seen[s.name] = true
	}
}

func TestStepsAndAlgorithmsOfRandomScenarios(t *testing.T) {
	before, after := kinds(Options{Steps: 1001}), kinds(Options{Steps: 1001, Algorithms: []ratelimit.Algorithm{perLifetime{}}})
	require.Equal(t, 4*3, before["random"])
	require.Equal(t, 5*3, after["random"])
	require.Equal(t, before["crowd"]+2, after["crowd"])
}

// The seed of a failure repeats it, word for word.
func TestASeedRepeatsAFailure(t *testing.T) {
	open := withTake(func(t ratelimit.Take) ratelimit.Take { t.Now = t.Now / 1000 * 1000; return t })
	first := findings(t, open, Options{Steps: 500}, "random/tokenBucket")["random/tokenBucket/0"]
	_, text, found := strings.Cut(first, "to repeat it: storagetest.Options{Seed: ")
	require.True(t, found, first)
	var seed uint64
	_, err := fmt.Sscanf(text, "%v}", &seed)
	require.NoError(t, err)
	require.Equal(t, first, findings(t, open, Options{Steps: 500, Seed: seed}, "random/tokenBucket")["random/tokenBucket/0"])
}

// A storage with its own clock may keep what has expired, and must not forget
// what has not.
func TestAnOwnClockExcusesLittle(t *testing.T) {
	forever := func() ratelimit.Storage {
		s := newStore()
		s.gone = func(entry, ratelimit.Take) bool { return false }
		return s
	}
	never := withSave(func(old, _ entry, _ ratelimit.Outcome, _ ratelimit.Take) entry { return old })
	o := Options{Steps: 500, OwnClock: true}
	require.Empty(t, findings(t, forever, o, ""))
	found := findings(t, never, o, "")
	for _, a := range o.algorithms() {
		require.Contains(t, found, named("random", a)+"/0")
	}
	require.Contains(t, found, "fixed window/counts down and starts again")
}

// A storage that compares and swaps waits for nobody, and tries again for as long
// as others get in its way.
func TestAStorageThatComparesAndSwaps(t *testing.T) {
	open := func() ratelimit.Storage { return newSwapping(math.MaxInt) }
	require.Empty(t, findings(t, open, Options{Steps: 500}, ""))
}
