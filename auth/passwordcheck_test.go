package auth

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"
)

func hashAt(t *testing.T, cost int) string {
	t.Helper()
	hash, err := bcrypt.GenerateFromPassword([]byte("secret"), cost)
	require.NoError(t, err)
	return string(hash)
}

// An unknown user is compared as the most expensive of the known ones.
func TestUnknownUsersCostTheWorkOfKnownOnes(t *testing.T) {
	tests := []struct {
		name      string
		passwords Passwords
		want      hashedPassword
	}{
		{"nobody", nil, hashedPassword{}},
		{"plain", Passwords{"ada": "secret"}, hashedPassword{}},
		{"a mistake", Passwords{"a": hashAt(t, 4), "b": "$2b$31$" + strings.Repeat("a", 53)}, dummyPassword(4)},
		{"highest cost", Passwords{"a": hashAt(t, 4), "b": hashAt(t, 6), "c": hashAt(t, 5), "d": "plain"}, dummyPassword(6)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			table := newPasswordTable(test.passwords)
			require.Equal(t, test.want, table.dummy) // FW-102
			_, ok, err := table.check(t.Context(), "eve", "secret")
			require.NoError(t, err)
			require.False(t, ok)
		})
	}
}

// A dummy that cannot be compared tells that it was.
func TestUnknownUsersAreCompared(t *testing.T) {
	table := newPasswordTable(Passwords{"ada": "secret"})
	table.dummy = hashedPassword{bcrypt: []byte("broken")}
	asked := &askedPasswords{users: PasswordFunc(Passwords{}.Lookup)}
	asked.met(99)
	for _, users := range []passwordCheck{table, asked} {
		_, ok, err := users.check(t.Context(), "eve", "secret")
		require.ErrorContains(t, err, "auth: compare the password: ") // FW-102
		require.False(t, ok)
	}
}

func TestADummyIsComparedAsAHashAndAdmitsNobody(t *testing.T) {
	for _, cost := range []int{0, 4, 5} {
		dummy := dummyPassword(cost)
		if cost > 0 {
			written, err := bcrypt.Cost(dummy.bcrypt)
			require.NoError(t, err)
			require.Equal(t, cost, written)
			require.ErrorIs(t, bcrypt.CompareHashAndPassword(dummy.bcrypt, []byte("secret")), bcrypt.ErrMismatchedHashAndPassword) // FW-102
		}
		for _, password := range []string{"", "secret"} {
			ok, err := dummy.admits(password)
			require.NoError(t, err)
			require.False(t, ok)
		}
	}
}

// A repository of the program's own shows its costs one by one.
func TestTheHighestCostThatWasMetIsRemembered(t *testing.T) {
	hashes := map[string]string{"a": hashAt(t, 5), "b": hashAt(t, 4), "plain": "secret", "dear": "$2b$31$" + strings.Repeat("a", 53)}
	asked := &askedPasswords{users: PasswordFunc(func(_ context.Context, user string) (Password, bool, error) {
		hash, ok := hashes[user]
		return Password{Hash: hash}, ok, nil
	})}
	for _, step := range []struct {
		user string
		cost int64
	}{{"eve", 0}, {"plain", 0}, {"b", 4}, {"a", 5}, {"b", 5}, {"eve", 5}} {
		_, ok, err := asked.check(t.Context(), step.user, "secret")
		require.NoError(t, err)
		require.Equal(t, step.user != "eve", ok)
		require.Equal(t, step.cost, asked.cost.Load())
	}
	_, _, err := asked.check(t.Context(), "dear", "secret")
	require.ErrorIs(t, err, errCost)
	require.EqualValues(t, 5, asked.cost.Load(), "it would be the cost of everybody")
}

func TestPlainPasswordsAreKeptAsDigests(t *testing.T) {
	table := newPasswordTable(Passwords{"ada": "secret"})
	require.Equal(t, map[string]hashedPassword{"ada": {plain: digestOf("secret")}}, table.users) // FW-102
}
