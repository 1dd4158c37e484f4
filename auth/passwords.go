package auth

import (
	"context"
	"errors"
	"fmt"

	"github.com/sallyport-go/sallyport/internal/part"
)

// A PasswordRepository knows the users and their passwords. An implementation
//   - is safe for concurrent use;
//   - returns ok=false for a user who does not exist or is not active. A Hash
//     beside it is compared in vain, so that the answer takes as long as for a
//     user who exists;
//   - returns an error when it cannot tell: the request is answered 500, without
//     the text of the error. [api.Forbidden] is shown to the client, who has not
//     proved anything yet;
//   - may have a method Validate() error, which the presenter calls when it is
//     built.
type PasswordRepository interface {
	Lookup(ctx context.Context, user string) (p Password, ok bool, err error)
}

// Password is what a [PasswordRepository] knows of one user. The zero Password
// admits nobody.
type Password struct {
	// Hash is the password as bcrypt hashes it ("$2a$", "$2b$" or "$2y$", with a
	// cost of 16 at most), the password itself, or what the function of [VerifyWith] reads. "" admits
	// nobody.
	Hash string

	Value any // becomes the Value of the identity: the user, his plan
}

// PasswordFunc is a [PasswordRepository] of one function, which keeps the same
// rules.
type PasswordFunc func(ctx context.Context, user string) (p Password, ok bool, err error)

// Lookup calls the function.
func (f PasswordFunc) Lookup(ctx context.Context, user string) (p Password, ok bool, err error) {
	return f(ctx, user)
}

// Passwords is a [PasswordRepository] of users whom the program knows when it
// starts: from user name to password, or to its hash as bcrypt writes it.
//
//	auth.Passwords{"ada": "$2b$10$...", "bob": os.Getenv("BOB_PASSWORD")}
//
// An empty password is a mistake. So are names that no client can send, a cost
// above 16, and hashes of other kinds, which would be taken for passwords: see [VerifyWith].
// Hash all passwords at one cost: what takes less time tells that the user
// exists.
type Passwords map[string]string

// Lookup finds a user.
func (p Passwords) Lookup(_ context.Context, user string) (Password, bool, error) {
	hash, ok := p[user]
	return Password{Hash: hash}, ok, nil
}

// Validate reports names and passwords that admit nobody.
func (p Passwords) Validate() error { return newPasswordTable(p).validate() }

// VerifyWith is a repository whose passwords are compared by verify, in constant
// time: for hashes of other kinds than bcrypt, such as argon2.
//
//	auth.Basic(auth.VerifyWith(users, argon2id.ComparePasswordAndHash))
//
// verify gets the password that the client has sent and the Hash of the user. It
// is never asked about an empty one. An error is answered 500, without its text.
// For a user who does not exist it is asked about the Hash beside ok=false, and
// with [Passwords] about that of another user; its answer does not count.
func VerifyWith(users PasswordRepository, verify func(password, hash string) (bool, error)) PasswordRepository {
	return &verified{users, verify}
}

type verified struct {
	users  PasswordRepository
	verify func(password, hash string) (bool, error)
}

func (v *verified) Lookup(ctx context.Context, user string) (Password, bool, error) {
	if err := v.missing(); err != nil {
		return Password{}, false, err
	}
	return v.users.Lookup(ctx, user)
}

func (v *verified) Validate() error {
	if err := v.missing(); err != nil {
		return err
	}
	if static, ok := staticPasswords(v.users); ok {
		return newHashTable(static).validate()
	}
	return part.Mistakes(v.users)
}

func (v *verified) missing() error {
	errs := []error{missingUsers(v.users)}
	if v.verify == nil {
		errs = append(errs, errors.New("auth: VerifyWith has no function"))
	}
	return errors.Join(errs...)
}

func missingUsers(users PasswordRepository) error {
	switch {
	case users == nil:
		return errors.New("auth: there is no password repository")
	case part.IsNil(users):
		return fmt.Errorf("auth: the password repository is a nil %T", users)
	default:
		return nil
	}
}

// staticPasswords names its types, as a repository that embeds one of them may
// find its users in another way.
func staticPasswords(users PasswordRepository) (Passwords, bool) {
	switch static := users.(type) {
	case Passwords:
		return static, true
	case *Passwords:
		return *static, true
	default:
		return nil, false
	}
}
