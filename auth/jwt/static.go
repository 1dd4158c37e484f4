package jwt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
)

// Static is a [KeySource] of keys that the program knows when it starts. Several
// keys need an ID each, as while one takes the place of another.
func Static(keys ...Key) KeySource {
	s := &static{}
	for i, key := range keys {
		if secret, ok := key.Key.([]byte); ok {
			key.Key = bytes.Clone(secret)
		}
		fault := func(text string) {
			s.mistakes = append(s.mistakes, fmt.Errorf("jwt: key %d: %s", i+1, text))
		}
		if err := weakness(key.Key); err != nil {
			fault(err.Error())
		}
		switch {
		case key.ID == "" && len(keys) > 1:
			fault("it has no ID, which several keys need")
		case slices.ContainsFunc(s.keys, func(k setKey) bool { return k.id == key.ID }):
			fault("it has the ID of a key before it")
		}
		s.keys = append(s.keys, setKey{id: key.ID, key: key.Key})
	}
	if len(keys) == 0 {
		s.mistakes = append(s.mistakes, errors.New("jwt: Static has no keys"))
	}
	return s
}

type static struct {
	keys     keySet
	mistakes []error
}

func (s *static) Key(_ context.Context, id, algorithm string) (any, error) {
	if s.mistakes != nil {
		return nil, errors.New("jwt: the static keys have mistakes")
	}
	if key, ok := s.keys.find(id, algorithm); ok {
		return key, nil
	}
	return nil, ErrUnknownKey
}

func (s *static) Validate() error { return errors.Join(s.mistakes...) }

// suits reports keys that none of the algorithms uses.
func (s *static) suits(algorithms []string) error {
	var errs []error
	for i, k := range s.keys {
		if weakness(k.key) == nil && !slices.ContainsFunc(algorithms, func(name string) bool { return fits(k.key, name) }) {
			errs = append(errs, fmt.Errorf("jwt: key %d fits none of the algorithms", i+1))
		}
	}
	return errors.Join(errs...)
}

// setKey is a key of a set. One with an algorithm is for that alone.
type setKey struct {
	id, algorithm string
	key           any
}

type keySet []setKey

// find returns the only key that verifies a token. A token without an ID, and a
// key without one, match any; a choice of several is none, as trying them all
// would multiply the work that a stranger can cause.
func (s keySet) find(id, algorithm string) (key any, ok bool) {
	for _, k := range s {
		if id != "" && k.id != "" && k.id != id || k.algorithm != "" && k.algorithm != algorithm || !fits(k.key, algorithm) {
			continue
		}
		if ok {
			return nil, false
		}
		key, ok = k.key, true
	}
	return key, ok
}
