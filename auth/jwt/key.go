package jwt

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sallyport-go/sallyport/internal/part"
)

// A KeySource knows the keys that verify tokens. An implementation
//   - is safe for concurrent use;
//   - returns an [*rsa.PublicKey], an [*ecdsa.PublicKey], an [ed25519.PublicKey]
//     or, for the HS algorithms, a secret as []byte. A weak key is an error, and
//     one that the algorithm cannot use is unknown; see [Key];
//   - takes the ID for a name and nothing else. It comes from a token that nobody
//     has verified yet, and is "" when the token has none;
//   - returns [ErrUnknownKey], which refuses the token, when there is no such
//     key, and any other error when it cannot tell: that is answered 500;
//   - may have a method Validate() error, which the presenter calls when it is
//     built.
type KeySource interface {
	Key(ctx context.Context, id, algorithm string) (any, error)
}

// ErrUnknownKey says that a [KeySource] has no such key.
var ErrUnknownKey = errors.New("jwt: the key is unknown")

// Key is a key for [Static]. These are not accepted: RSA keys of less than 2048
// or more than 8192 bits, curves other than P-256, P-384 and P-521, and secrets
// that are shorter than the hash of their algorithm, which is 32 bytes for HS256
// (RFC 7518, section 3.2).
type Key struct {
	ID  string // "kid" of the tokens; a single key without an ID verifies all of them
	Key any    // see [KeySource]
}

// algorithms that can be accepted, with the bits that a secret must have.
var algorithms = map[string]int{
	"HS256": 256, "HS384": 384, "HS512": 512,
	"RS256": 0, "RS384": 0, "RS512": 0,
	"PS256": 0, "PS384": 0, "PS512": 0,
	"ES256": 0, "ES384": 0, "ES512": 0,
	"EdDSA": 0,
}

// curves of the algorithms (RFC 7518, section 3.4).
var curves = map[string]elliptic.Curve{"ES256": elliptic.P256(), "ES384": elliptic.P384(), "ES512": elliptic.P521()}

func isSymmetric(algorithm string) bool { return algorithms[algorithm] != 0 }

func validateAlgorithms(names []string) error {
	var errs []error
	if len(names) == 0 {
		errs = append(errs, errors.New("jwt: there are no algorithms"))
	}
	for _, name := range names {
		switch _, ok := algorithms[name]; {
		case strings.EqualFold(name, "none"):
			errs = append(errs, fmt.Errorf("jwt: algorithm %q: everybody could write such a token", name))
		case !ok:
			errs = append(errs, fmt.Errorf("jwt: algorithm %q is not supported", name))
		}
	}
	public := func(name string) bool { _, ok := algorithms[name]; return ok && !isSymmetric(name) }
	if slices.ContainsFunc(names, isSymmetric) && slices.ContainsFunc(names, public) {
		errs = append(errs, errors.New("jwt: algorithms with a secret stand beside such with a public key, which could be taken for the secret"))
	}
	return errors.Join(errs...)
}

// fits reports whether the algorithm verifies with the key.
func fits(key any, algorithm string) bool {
	switch key := key.(type) {
	case []byte:
		return isSymmetric(algorithm) && len(key)*8 >= algorithms[algorithm]
	case *rsa.PublicKey:
		return strings.HasPrefix(algorithm, "RS") || strings.HasPrefix(algorithm, "PS")
	case *ecdsa.PublicKey:
		curve, ok := curves[algorithm]
		return ok && key.Curve == curve
	case ed25519.PublicKey:
		return algorithm == "EdDSA"
	default:
		return false
	}
}

// weakness says why no algorithm should use the key, without the key.
func weakness(key any) error {
	if part.IsNil(key) {
		return errors.New("it is nil")
	}
	switch key := key.(type) {
	case []byte:
		if len(key) < 32 {
			return fmt.Errorf("a secret of %d bytes is too short: 32 are the least", len(key))
		}
	case *rsa.PublicKey:
		switch {
		case key.N == nil || key.E < 3 || key.E%2 == 0:
			return errors.New("it is no RSA key")
		case key.N.BitLen() < 2048 || key.N.BitLen() > 8192:
			return fmt.Errorf("an RSA key of %d bits is not accepted: it has 2048 to 8192", key.N.BitLen())
		}
	case *ecdsa.PublicKey:
		if part.Ask(func() error { _, err := key.ECDH(); return err }) != nil { // it panics without a point
			return errors.New("it is no point on P-256, P-384 or P-521")
		}
	case ed25519.PublicKey:
		if len(key) != ed25519.PublicKeySize {
			return fmt.Errorf("an Ed25519 key of %d bytes is none", len(key))
		}
	case crypto.Signer:
		return errors.New("it is a private key: give the public one")
	default:
		return fmt.Errorf("a %T is no key that is supported", key)
	}
	return nil
}
