package auth

import (
	"errors"
	"strings"
)

// parameter is one parameter of a challenge.
type parameter struct{ name, value string }

// challenge writes a value of WWW-Authenticate (RFC 9110, section 11.6.1) with
// every parameter as a quoted-string.
func challenge(scheme string, parameters ...parameter) string {
	var b strings.Builder
	b.WriteString(scheme)
	separator := " "
	for _, p := range parameters {
		b.WriteString(separator + p.name + `="` + quotedPairs.Replace(p.value) + `"`)
		separator = ", "
	}
	return b.String()
}

var quotedPairs = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// bearerChallenge says why a request is refused (RFC 6750, section 3). The code
// and the description may be empty.
func bearerChallenge(realm, code, description string) string {
	parameters := []parameter{{"realm", realm}}
	if code != "" {
		parameters = append(parameters, parameter{"error", code})
	}
	if description != "" {
		parameters = append(parameters, parameter{"error_description", describe(description)})
	}
	return challenge("Bearer", parameters...)
}

// describe replaces what an error_description must not have: all but printable
// ASCII, quotes and backslashes.
func describe(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '"':
			return '\''
		case r < ' ' || r > '~' || r == '\\':
			return '?'
		}
		return r
	}, text)
}

// realmOf is the realm of a challenge as this package writes one; of any other
// it is the usual one.
func realmOf(challenge string) string {
	_, quoted, found := strings.Cut(challenge, ` realm="`)
	for i := 0; found && i < len(quoted); i++ {
		switch quoted[i] {
		case '\\':
			i++
		case '"':
			return unquotedPairs.Replace(quoted[:i])
		}
	}
	return usualRealm
}

var unquotedPairs = strings.NewReplacer(`\\`, `\`, `\"`, `"`)

const usualRealm = "api"

func checkRealm(realm string) error {
	for i := range len(realm) {
		if realm[i] < ' ' || realm[i] > '~' {
			return errors.New("auth: the realm is not printable ASCII")
		}
	}
	return nil
}
