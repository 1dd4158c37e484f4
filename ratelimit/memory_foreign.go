package ratelimit

import (
	"context"
	"errors"
)

var errNoAlgorithm = errors.New("ratelimit: memory: no algorithm")

// consumeForeign decides one request by an algorithm that is not built in. It
// runs without the lock: it may be slow, panic, or use this very storage.
func (g *shards) consumeForeign(ctx context.Context, key []byte, a Algorithm, t Take) (Decision, error) {
	if a == nil {
		return Decision{}, errNoAlgorithm
	}
	salt := foreignSalt(a.Name(), t.Interval)
	id, s := g.find(hashKey(key).of(salt))
	for {
		d, end := s.attempt(id, a, &t)
		switch end {
		case decided:
			return d, nil
		case noRoom: // but there always is for a shared counter
			id, s = g.overflow(hashPolicy(key).of(salt))
		case disturbed:
			if err := ctx.Err(); err != nil {
				return Decision{}, err
			}
		}
	}
}

// ending tells how an attempt to decide has ended.
type ending uint8

const (
	decided   ending = iota
	noRoom           // for a new counter
	disturbed        // the counter has changed meanwhile
)

// attempt lets the algorithm decide between two looks at the counter.
func (s *shard) attempt(id counterID, a Algorithm, t *Take) (Decision, ending) {
	old, full := s.load(id, tickOf(t.Now))
	if full {
		return Decision{}, noRoom
	}
	o, wait := a.Step(old, *t), int64(0)
	if s.max > 0 {
		wait = refusalWait(a, *t, &o)
	}
	if o.TTL <= 0 && wait <= 0 {
		return o.Decision, decided
	}
	return o.Decision, s.replace(id, old, t, &o, wait)
}

func (s *shard) load(id counterID, now tick) (_ State, full bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, full := s.locate(id, now)
	return *s.stateAt(at, now), full
}

// replace keeps an outcome that comes of old, if that is still the state.
func (s *shard) replace(id counterID, old State, t *Take, o *Outcome, wait int64) ending {
	now := tickOf(t.Now)
	s.mu.Lock()
	defer s.mu.Unlock()
	at, full := s.locate(id, now)
	switch {
	case full:
		return noRoom
	case *s.stateAt(at, now) != old:
		return disturbed
	}
	s.keep(id, at, t, o, wait)
	return decided
}
