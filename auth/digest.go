package auth

import (
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

// id names the holder of the secret in limits and logs. Half of the digest keeps
// every two of them apart.
func (d digest) id() string { return hex.EncodeToString(d[:len(d)/2]) }

// short tells an operator which of his secrets is meant.
func (d digest) short() string { return hex.EncodeToString(d[:4]) }
