package auth

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/bcrypt"
)

// hashedPassword is a password as this package keeps it: the hash that bcrypt
// has written, or the digest of one that was given as it is.
type hashedPassword struct {
	bcrypt []byte // nil: plain
	cost   int    // of bcrypt
	plain  digest
}

var (
	bcryptHash  = regexp.MustCompile(`^\$2[aby]\$(0[4-9]|[12][0-9]|3[01])\$[./A-Za-z0-9]{53}$`)
	foreignHash = regexp.MustCompile(`^\$[a-zA-Z0-9-]+\$`)

	errEmptyPassword = errors.New("the password is empty")
	errNoBcrypt      = errors.New("the password looks like a hash of bcrypt, but is none")
	errForeignHash   = errors.New("the password looks like a hash that is none of bcrypt: see auth.VerifyWith")
	errCost          = fmt.Errorf("the cost of bcrypt is above %d, so a guess would keep a processor busy for too long", maxCost)
	errNoPassword    = errors.New("no client can send the password: it has control characters or is no UTF-8")
)

// readPassword reads a password of a repository. Hashes that cannot be compared
// are no passwords: whoever has stolen one could log in with it.
func readPassword(stored string) (hashedPassword, error) {
	if match := bcryptHash.FindStringSubmatch(stored); match != nil {
		cost, err := strconv.Atoi(match[1])
		if cost > maxCost {
			err = errCost
		}
		return hashedPassword{bcrypt: []byte(stored), cost: cost}, err
	}
	switch {
	case stored == "":
		return hashedPassword{}, errEmptyPassword
	case strings.HasPrefix(stored, "$2"):
		return hashedPassword{}, errNoBcrypt
	case foreignHash.MatchString(stored):
		return hashedPassword{}, errForeignHash
	case !isSendable(stored):
		return hashedPassword{}, errNoPassword
	default:
		return hashedPassword{plain: digestOf(stored)}, nil
	}
}

// isSendable is what RFC 7617, section 2, allows in names and passwords, in the
// charset that the challenge asks for.
func isSendable(s string) bool { return utf8.ValidString(s) && !hasControl(s) }

// maxCost is that of some seconds. Nothing ends a comparison that has begun, and
// unknown users cost as much as the dearest one.
const maxCost = 16

// maxBcrypt is how much of a password bcrypt looks at, in bytes.
const maxBcrypt = 72

// admits compares in constant time. A password of which bcrypt would ignore a
// part costs the same work and is none.
func (p hashedPassword) admits(password string) (bool, error) {
	if p.bcrypt == nil {
		return p.plain.equal(digestOf(password)), nil
	}
	given := []byte(password)
	err := bcrypt.CompareHashAndPassword(p.bcrypt, given[:min(len(given), maxBcrypt)])
	switch {
	case err == nil:
		return len(given) <= maxBcrypt, nil
	case errors.Is(err, bcrypt.ErrMismatchedHashAndPassword):
		return false, nil
	default:
		return false, fmt.Errorf("auth: compare the password: %w", err)
	}
}

// dummyPassword costs the work of a password and is that of nobody. Cost 0 is
// that of a plain one, whose digest no text has.
func dummyPassword(cost int) hashedPassword {
	if cost == 0 {
		return hashedPassword{}
	}
	return hashedPassword{bcrypt: fmt.Appendf(nil, "$2b$%02d$%053d", cost, 0), cost: cost}
}

func checkUser(user string) error {
	switch {
	case user == "":
		return errors.New("the name is empty")
	case strings.Contains(user, ":") || !isSendable(user):
		return errors.New(`no client can send the name: it has ":" or control characters or is no UTF-8`)
	default:
		return nil
	}
}
