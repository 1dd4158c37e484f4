// Package storagetest tests implementations of [ratelimit.Storage] and
// [ratelimit.KeyValue]. One call of [Run] in a test of the storage is all:
//
//	package mystorage_test
//
//	import (
//		"testing"
//
//		"github.com/sallyport-go/sallyport/ratelimit"
//		"github.com/sallyport-go/sallyport/ratelimit/storagetest"
//
//		"example.org/mystorage"
//	)
//
//	func TestStorage(t *testing.T) {
//		open := func(t testing.TB) ratelimit.Storage {
//			s := mystorage.New(t.TempDir())
//			t.Cleanup(func() { _ = s.Close() })
//			return s
//		}
//		storagetest.Run(t, open, storagetest.Options{})
//	}
//
// A [ratelimit.KeyValue] is tested as what [ratelimit.FromKeyValue] makes of it.
// Run the test with the race detector, too.
//
// Every scenario tells the storage what time it is, so nothing waits but one call
// whose context ends within milliseconds. Each decision is compared in all its
// fields with that of an exact model. A failure tells what was asked, what was
// answered, what is right, and what the same counter had been asked before.
package storagetest

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// Options tell what kind of storage is tested. The zero value is for one that
// is atomic, measures lifetimes by the time of the requests, and runs Step of
// any algorithm.
type Options struct {
	// Approximate is for a storage that is not atomic, such as
	// [ratelimit.FromKeyValue] without a lock. Requests at the same time are
	// left out.
	Approximate bool

	// OwnClock is for a storage that measures lifetimes by a clock of its own, as
	// a database does. It must not forget anything before that clock says so, and
	// may keep what has expired by the time of the requests. No request then has
	// a time before the present one.
	OwnClock bool

	// ScriptsOnly is for a storage that decides by scripts and does not run Step.
	// Algorithms of this package that are neither built in nor a
	// [ratelimit.ScriptAlgorithm] are left out.
	ScriptsOnly bool

	// Algorithms are algorithms of one's own that the storage is tested with,
	// too. Their Step is taken to be right, so this is also the test that a
	// script decides as Step does.
	Algorithms []ratelimit.Algorithm

	// Steps is the number of random requests for each algorithm. 0: 10,000; all
	// scenarios together take about a second then in memory, and ten in files.
	Steps int

	// Counters is how many counters have to live at the same time. 0: 10,000.
	// Fewer are for a storage that is slow.
	Counters int

	// Second opens another handle on the counters of the first one, as another
	// process has it: a client of its own, an object of its own on the same
	// files. The requests of a crowd are then divided among the two, so a lock
	// inside of one of them excludes too few. nil: there is one handle.
	Second func(t testing.TB, first ratelimit.Storage) ratelimit.Storage

	// Seed repeats the random requests of another run. 0: a random one, which
	// every failure of random requests tells.
	Seed uint64
}

const (
	defaultSteps    = 10_000
	defaultCounters = 10_000
)

func (o Options) withDefaults() Options {
	if o.Steps <= 0 {
		o.Steps = defaultSteps
	}
	if o.Counters <= 0 {
		o.Counters = defaultCounters
	}
	for o.Seed == 0 {
		o.Seed = rand.Uint64() //nolint:gosec // it is told to everybody
	}
	return o
}

// grace is how much longer than asked a state may live when lifetimes go by the
// time of the requests: a storage rounds them up to what it can keep.
const grace = time.Second

// Run tests a storage. Before each of its scenarios, one or two hundred by
// default, it calls open for a storage without counters, or with none under a
// prefix of its own. What that needs is released by t.Cleanup.
//
// A storage may keep a state up to a second longer than asked. A request whose
// context has already ended may be decided or not. All else has to be as
// [ratelimit.Storage] says: contention, too, is no excuse for an error. A
// [ratelimit.BatchStorage] is also asked for several limits in one go, and a
// [ratelimit.Preparer] is told everything beforehand.
func Run(t *testing.T, open func(t testing.TB) ratelimit.Storage, o Options) {
	t.Helper()
	o = o.withDefaults()
	for _, s := range scenarios(o) {
		t.Run(s.name, func(t *testing.T) { s.run(newPlay(t, open(t), o)) })
	}
}

// scenario is one test of a storage without counters.
type scenario struct {
	name  string
	needs need
	run   func(*play)
}

// need is what a storage must be for a scenario to make sense.
type need uint8

const (
	atomic       need = 1 << iota // requests at the same time are decided one after the other
	requestClock                  // lifetimes go by the time of the requests
	anyStep                       // Step is run, whatever the algorithm
)

// offers is what the storage is.
func (o Options) offers() need {
	n := atomic | requestClock | anyStep
	if o.Approximate {
		n &^= atomic
	}
	if o.OwnClock {
		n &^= requestClock
	}
	if o.ScriptsOnly {
		n &^= anyStep
	}
	return n
}

// scenarios are those that the storage can be asked, simple ones first: the
// first failure is the one to look at.
func scenarios(o Options) []scenario {
	all := append(contractScenarios(), scriptScenarios()...)
	all = append(all, trafficScenarios()...)
	all = append(all, promiseScenarios()...)
	all = append(all, crowdScenarios(o)...)
	all = append(all, randomScenarios(o)...)
	asked := all[:0]
	for _, s := range all {
		if s.needs&^o.offers() == 0 {
			asked = append(asked, s)
		}
	}
	return asked
}

// builtIns are the algorithms that every storage has to serve.
func builtIns() []ratelimit.Algorithm {
	return []ratelimit.Algorithm{ratelimit.SlidingWindow, ratelimit.FixedWindow, ratelimit.TokenBucket}
}

// algorithms are those that get random requests and crowds.
func (o Options) algorithms() []ratelimit.Algorithm {
	return append(append(builtIns(), minimumGap{}), o.Algorithms...)
}

func named(what string, a ratelimit.Algorithm) string { return fmt.Sprintf("%s/%s", what, a.Name()) }
