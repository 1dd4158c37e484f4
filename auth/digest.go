package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
)

// digest stands for a secret wherever one is kept, compared or named.
type digest [sha256.Size]byte

func digestOf(secret string) digest {
	var buf [128]byte // usual secrets are hashed without an allocation
	return sha256.Sum256(append(buf[:0], secret...))
}

// equal compares in constant time. It is the only comparison of secrets in this
// package: digests have one length, so nothing tells how long a secret is.
func (d digest) equal(other digest) bool {
	return subtle.ConstantTimeCompare(d[:], other[:]) == 1
}

// id names the holder of the secret in limits and logs: by half of the digest,
// which keeps every two of them apart, or of its HMAC where there is a key.
func (d digest) id(hashKey []byte) string {
	if hashKey == nil {
		return hex.EncodeToString(d[:len(d)/2])
	}
	mac := hmac.New(sha256.New, hashKey)
	mac.Write(d[:])
	return hex.EncodeToString(mac.Sum(nil)[:len(d)/2])
}

// short tells an operator which of his secrets is meant: by the start of its
// SHA-256, or of its ID where there is a key that hides it.
func (d digest) short(hashKey []byte) string {
	what := "SHA-256 "
	if hashKey != nil {
		what = "ID "
	}
	return what + d.id(hashKey)[:8]
}

// with makes one digest of two.
func (d digest) with(other digest) digest { return sha256.Sum256(append(d[:], other[:]...)) }
