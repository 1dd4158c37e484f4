package auth

import (
	"errors"
	"fmt"
)

// An Option changes a setting that authorizations have in common.
type Option func(*settings)

type settings struct {
	realm    string
	hashKey  []byte // nil: none
	mistakes []error
}

func apply(options []Option) settings {
	s := settings{realm: usualRealm}
	for i, option := range options {
		if option == nil {
			s.mistakes = append(s.mistakes, fmt.Errorf("auth: option %d is nil", i+1))
			continue
		}
		option(&s)
	}
	return s
}

func (s *settings) validate() error {
	return errors.Join(errors.Join(s.mistakes...), checkRealm(s.realm))
}

// Realm names what the credentials are for, in printable ASCII. Clients get it
// with a 401 (RFC 9110, section 11.5). Without this option it is "api".
func Realm(realm string) Option { return func(s *settings) { s.realm = realm } }

// HashKey makes the IDs of callers that are known by a secret alone: such an ID
// is then the start of HMAC-SHA256(key, SHA-256(secret)) in hexadecimal, so that
// nobody who reads a log can try secrets against it. Without this option it is
// the start of the SHA-256, which is enough for random tokens.
//
// The key has at least 16 bytes and is the same on all servers, or their limits
// by identity would not be shared. An authorization whose callers have names,
// such as [Basic], has no use for it.
func HashKey(key []byte) Option {
	key = append([]byte{}, key...) // a nil key is one that is too short
	return func(s *settings) {
		s.hashKey = key
		if len(key) < minHashKey {
			s.mistakes = append(s.mistakes, fmt.Errorf("auth: the hash key has %d bytes, fewer than %d", len(key), minHashKey))
		}
	}
}

const minHashKey = 16
