package storagetest

import "math/big"

// residues solves a*x = r modulo m for each r, with 0 <= x < m: at random among
// the solutions, and for the nearest r below when there is none. Arithmetic that
// is not exact goes wrong there and hardly anywhere else.
func residues(a, m int64, rs []int64, pick picker) (xs []int64) {
	if a == 0 || m == 0 {
		return nil
	}
	modulus := big.NewInt(m)
	gcd := new(big.Int).GCD(nil, nil, big.NewInt(a), modulus)
	step := new(big.Int).Div(modulus, gcd) // between two solutions
	inverse := new(big.Int).ModInverse(new(big.Int).Div(big.NewInt(a), gcd), step)
	for _, r := range rs {
		x := new(big.Int).Mod(big.NewInt(r), modulus)
		x.Mod(x.Mul(x.Div(x, gcd), inverse), step)
		xs = append(xs, x.Int64()+step.Int64()*pick(gcd.Int64()))
	}
	return xs
}
