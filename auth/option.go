package auth

import (
	"errors"
	"fmt"
)

// An Option changes a setting that authorizations have in common.
type Option func(*settings)

type settings struct {
	realm    string
	mistakes []error
}

func apply(options []Option) settings {
	s := settings{realm: "api"}
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
