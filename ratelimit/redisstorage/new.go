package redisstorage

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sallyport-go/sallyport/internal/part"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// Options of a [Storage]. The zero value is ready to use.
type Options struct {
	// Prefix stands before the name of every key. It has no braces: those mark
	// what decides about the slot of a key in a cluster. "": "ratelimit:".
	Prefix string

	// OneNode says that all keys are on one server although the client does not
	// tell, as with an [Evaluator] or an auto-pipeliner. Limits of a gate are then
	// one call.
	OneNode bool

	// Timeout is how long a call may take. Where the time budget of a gate or the
	// context allows less, that holds. 0: [ratelimit.DefaultBudget].
	Timeout time.Duration

	// Logger gets an error once a second while Redis denies access. nil:
	// slog.Default().
	Logger *slog.Logger
}

const defaultPrefix = "ratelimit:"

// New keeps counters with a client of go-redis, which stays the caller's to close.
//
// The client has to obey contexts: set ContextTimeoutEnabled in its options. Set
// ConnMaxIdleTime, too, where a firewall forgets idle connections, and to less than
// it takes for that: a pool does not notice, and each costs a call. [Open] has a
// remedy of its own. All
// limits of a gate are one call with a *redis.Client, for one server or Sentinel;
// with every other client each limit is a call of its own, unless
// Options.OneNode is set.
//
// A nil client is a mistake that [Storage.Validate] reports.
func New(client redis.UniversalClient, o Options) *Storage {
	g := &goRedis{client: client}
	s := newStorage(o)
	s.client = g
	if part.IsNil(client) {
		s.mistakes = append(s.mistakes, errors.New("redisstorage: the client is nil"))
		return s
	}
	switch c := client.(type) {
	case *redis.Client:
		s.together = true
		s.breakers.lanes = s.breakers.lanes[:1]
	case *redis.Ring:
		s.breakers.ring = c
	}
	// Clients with something around them have the options of what is inside.
	field, obeys := "", true
	switch c := client.(type) {
	case interface{ Options() *redis.Options }:
		field, obeys = "redis.Options", c.Options().ContextTimeoutEnabled
	case interface{ Options() *redis.ClusterOptions }:
		field, obeys = "redis.ClusterOptions", c.Options().ContextTimeoutEnabled
	case interface{ Options() *redis.RingOptions }:
		field, obeys = "redis.RingOptions", c.Options().ContextTimeoutEnabled
	default:
		g.opaque = true
	}
	if !obeys {
		s.mistakes = append(s.mistakes, fmt.Errorf("redisstorage: ContextTimeoutEnabled is not set in the client's %s: requests would wait as long as its time-outs", field))
	}
	return s
}

// NewEvaluator keeps counters with anything that runs a script. Each limit is a
// call of its own, unless Options.OneNode is set. A nil evaluator is a mistake
// that [Storage.Validate] reports.
func NewEvaluator(e Evaluator, o Options) *Storage {
	s := newStorage(o)
	s.evaluator = e
	if part.IsNil(e) {
		s.mistakes = append(s.mistakes, errors.New("redisstorage: the evaluator is nil"))
	}
	return s
}

func newStorage(o Options) *Storage {
	s := &Storage{prefix: o.Prefix, together: o.OneNode, timeout: o.Timeout, denied: alarm{logger: o.Logger}}
	if s.prefix == "" {
		s.prefix = defaultPrefix
	}
	if strings.ContainsAny(s.prefix, "{}") {
		s.mistakes = append(s.mistakes, fmt.Errorf("redisstorage: the prefix %q has a brace: those mark the slot of a key", s.prefix))
	}
	if s.timeout < 0 {
		s.mistakes = append(s.mistakes, fmt.Errorf("redisstorage: the time-out %s is negative", s.timeout))
	}
	if s.timeout == 0 {
		s.timeout = ratelimit.DefaultBudget
	}
	s.breakers.lanes = make([]breaker, lanes)
	if o.OneNode {
		s.breakers.lanes = s.breakers.lanes[:1]
	}
	return s
}

// Validate reports the mistakes of the set-up. Nothing is sent to Redis.
func (s *Storage) Validate() error { return errors.Join(s.mistakes...) }
