package auth

// An Option changes a setting that authorizations have in common.
type Option func(*settings)

type settings struct {
	realm string
}

func apply(options []Option) settings {
	s := settings{realm: "api"}
	for _, option := range options {
		option(&s)
	}
	return s
}

// Realm names what the credentials are for, in printable ASCII. Clients get it
// with a 401 (RFC 9110, section 11.5). Without this option it is "api".
func Realm(realm string) Option { return func(s *settings) { s.realm = realm } }
