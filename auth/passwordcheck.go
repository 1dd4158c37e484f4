package auth

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/part"
)

// passwordCheck finds out whether a password is that of a user. Unknown users
// cost the same work as known ones.
type passwordCheck interface {
	// check never gets an empty user or password.
	check(ctx context.Context, user, password string) (value any, ok bool, err error)
	validate() error
}

func newPasswordCheck(users PasswordRepository) passwordCheck {
	if err := missingUsers(users); err != nil {
		return missingPasswords{err}
	}
	if static, ok := staticPasswords(users); ok {
		return newPasswordTable(static)
	}
	own, ok := users.(*verified)
	if !ok {
		return &askedPasswords{users: users}
	}
	if err := own.missing(); err != nil {
		return missingPasswords{err}
	}
	if static, ok := staticPasswords(own.users); ok {
		table := newHashTable(static)
		return &verifiedPasswords{users: table, verify: own.verify, dummy: table.dummy(), validated: table.validate}
	}
	return &verifiedPasswords{users: own.users, verify: own.verify, validated: own.Validate}
}

type missingPasswords struct{ err error }

func (m missingPasswords) check(context.Context, string, string) (any, bool, error) {
	return nil, false, m.err
}

func (m missingPasswords) validate() error { return m.err }

// passwordTable is [Passwords] without the passwords.
type passwordTable struct {
	users    map[string]hashedPassword
	dummy    hashedPassword // of the highest cost
	mistakes []error
}

func newPasswordTable(passwords Passwords) *passwordTable {
	t := &passwordTable{users: make(map[string]hashedPassword, len(passwords))}
	for _, user := range slices.Sorted(maps.Keys(passwords)) {
		hashed, err := readPassword(passwords[user])
		if err == nil {
			t.users[user] = hashed
			t.dummy = dummyPassword(max(t.dummy.cost, hashed.cost))
		}
		t.mistakes = append(t.mistakes, ofUser(user, checkUser(user)), ofUser(user, err))
	}
	return t
}

func ofUser(user string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("auth: user %q: %w", user, err)
}

func (t *passwordTable) check(_ context.Context, user, password string) (any, bool, error) {
	hashed, known := t.users[user]
	if !known {
		hashed = t.dummy
	}
	ok, err := hashed.admits(password)
	return nil, ok && known, err
}

func (t *passwordTable) validate() error { return errors.Join(t.mistakes...) }

// askedPasswords are those of a repository of the program's own.
type askedPasswords struct {
	users PasswordRepository
	cost  atomic.Int64 // the highest of bcrypt that was met
}

func (a *askedPasswords) check(ctx context.Context, user, password string) (any, bool, error) {
	found, known, err := lookUp(ctx, a.users, user)
	if err != nil {
		return nil, false, err
	}
	hashed := dummyPassword(int(a.cost.Load()))
	if known = known && found.Hash != ""; known || found.Hash != "" {
		if hashed, err = readPassword(found.Hash); err != nil {
			return nil, false, fmt.Errorf("auth: look up the user: %w", err)
		}
		a.met(hashed.cost)
	}
	ok, err := hashed.admits(password)
	return found.Value, ok && known, err
}

func (a *askedPasswords) met(cost int) {
	for met := a.cost.Load(); int64(cost) > met && !a.cost.CompareAndSwap(met, int64(cost)); {
		met = a.cost.Load()
	}
}

func (a *askedPasswords) validate() error { return part.Mistakes(a.users) }

// verifiedPasswords are compared by a function of the program.
type verifiedPasswords struct {
	users     PasswordRepository
	verify    func(password, hash string) (bool, error)
	dummy     string // a hash for users who have none; "": there is none
	validated func() error
}

func (v *verifiedPasswords) check(ctx context.Context, user, password string) (any, bool, error) {
	found, known, err := lookUp(ctx, v.users, user)
	if err != nil {
		return nil, false, err
	}
	known = known && found.Hash != ""
	if found.Hash == "" {
		found.Hash = v.dummy
	}
	if found.Hash == "" {
		return nil, false, nil
	}
	ok, err := v.verify(password, found.Hash)
	if err != nil && api.AsRefusal(err) == nil {
		err = fmt.Errorf("auth: verify the password: %w", err)
	}
	if !known {
		return nil, false, nil
	}
	return found.Value, ok, err
}

func (v *verifiedPasswords) validate() error { return v.validated() }

func lookUp(ctx context.Context, users PasswordRepository, user string) (Password, bool, error) {
	found, known, err := users.Lookup(ctx, user)
	if err != nil && api.AsRefusal(err) == nil {
		err = fmt.Errorf("auth: look up the user: %w", err)
	}
	return found, known, err
}

// hashTable is [Passwords] whose hashes only the program can read. It is a copy.
type hashTable struct{ Passwords }

func newHashTable(passwords Passwords) hashTable { return hashTable{maps.Clone(passwords)} }

// dummy is the hash of the first user who has one.
func (h hashTable) dummy() string {
	for _, user := range slices.Sorted(maps.Keys(h.Passwords)) {
		if hash := h.Passwords[user]; hash != "" {
			return hash
		}
	}
	return ""
}

func (h hashTable) validate() error {
	var errs []error
	for _, user := range slices.Sorted(maps.Keys(h.Passwords)) {
		errs = append(errs, ofUser(user, checkUser(user)))
		if h.Passwords[user] == "" {
			errs = append(errs, ofUser(user, errEmptyPassword))
		}
	}
	return errors.Join(errs...)
}
