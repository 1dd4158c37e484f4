package auth_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
)

func TestAFunctionMayVerifyThePasswords(t *testing.T) {
	type call struct{ password, hash string }
	var calls []call
	reversed := func(password, hash string) (bool, error) {
		calls = append(calls, call{password, hash})
		if hash == "broken" {
			return false, errors.New("no hash")
		}
		return hash == "$own$"+password, nil
	}
	dynamic := auth.PasswordFunc(func(_ context.Context, user string) (auth.Password, bool, error) {
		switch user {
		case "ada":
			return auth.Password{Hash: "$own$secret", Value: 7}, true, nil
		case "none":
			return auth.Password{}, true, nil
		default:
			return auth.Password{Hash: "$own$dummy"}, false, nil
		}
	})
	static := auth.Passwords{"ada": "$own$secret", "bob": "broken"}
	tests := []struct {
		name           string
		users          auth.PasswordRepository
		user, password string
		want           api.Identity
		err            string
		calls          []call
	}{
		{"right", static, "ada", "secret", api.Identity{Scheme: "basic", ID: "ada"}, "", []call{{"secret", "$own$secret"}}}, // FW-103
		{"wrong", static, "ada", "Secret", api.Identity{}, wrongPassword, []call{{"Secret", "$own$secret"}}},
		{"unknown costs the same", static, "eve", "secret", api.Identity{}, wrongPassword, []call{{"secret", "$own$secret"}}}, // FW-102
		{"cannot tell", static, "bob", "secret", api.Identity{}, "auth: verify the password: no hash", []call{{"secret", "broken"}}},
		{"right, with a value", dynamic, "ada", "secret", api.Identity{Scheme: "basic", ID: "ada", Value: 7}, "", []call{{"secret", "$own$secret"}}},
		{"a dummy that fits", dynamic, "eve", "dummy", api.Identity{}, wrongPassword, []call{{"dummy", "$own$dummy"}}},
		{"the zero password", dynamic, "none", "x", api.Identity{}, wrongPassword, nil},
		{"empty password", dynamic, "ada", "", api.Identity{}, wrongPassword, nil}, // FW-104
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			calls = nil
			identity, err := auth.Basic(auth.VerifyWith(test.users, reversed)).Authorize(t.Context(), request("1.2.3.4", basic(test.user, test.password)))
			require.Equal(t, test.want, identity)
			require.Equal(t, test.calls, calls)
			if test.err == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, test.err)
			}
		})
	}
}

func TestBasicReportsEveryMistake(t *testing.T) {
	never := func(string, string) (bool, error) { return false, nil }
	const unsendable = `no client can send the name: it has ":" or control characters or is no UTF-8`
	tests := []struct {
		name  string
		basic api.Authorization
		want  []string
	}{
		{"none", auth.Basic(auth.Passwords{"ada": "secret", "zero": "0"}, auth.HashKey(make([]byte, 16))), nil},
		{"a pointer", auth.Basic(&auth.Passwords{"ada": ""}), []string{`auth: user "ada": the password is empty`}},
		{"function", auth.Basic(auth.PasswordFunc(auth.Passwords{}.Lookup)), nil},
		{"no repository", auth.Basic(nil, auth.Realm("é"), nil), []string{"auth: option 2 is nil", "auth: the realm is not printable ASCII", "auth: there is no password repository"}},
		{"a nil function", auth.Basic(auth.PasswordFunc(nil)), []string{"auth: the password repository is a nil auth.PasswordFunc"}},
		{"repository with a mistake", auth.Basic(brokenUsers{}), []string{"users: no connection"}},
		{"passwords", auth.Basic(auth.Passwords{
			"": "my-secret", "a:b": "my-secret", "b\n": "my-secret", "c\xff": "my-secret", "empty": "", "nul": "my-secret\x00",
			"bcrypt": "$2a$10$my-secret", "cost": "$2b$32$" + strings.Repeat("a", 53), "dear": "$2b$17$" + strings.Repeat("a", 53), "old": "$2x$10$" + strings.Repeat("a", 53), "argon": "$argon2id$my-secret", "apache": "$apr1$my-secret",
		}), []string{ // FW-104, TC-171
			`auth: user "": the name is empty`,
			`auth: user "a:b": ` + unsendable,
			`auth: user "apache": the password looks like a hash that is none of bcrypt: see auth.VerifyWith`,
			`auth: user "argon": the password looks like a hash that is none of bcrypt: see auth.VerifyWith`,
			`auth: user "b\n": ` + unsendable,
			`auth: user "bcrypt": the password looks like a hash of bcrypt, but is none`,
			`auth: user "cost": the password looks like a hash of bcrypt, but is none`,
			`auth: user "c\xff": ` + unsendable,
			`auth: user "dear": the cost of bcrypt is above 16, so a guess would keep a processor busy for too long`,
			`auth: user "empty": the password is empty`,
			`auth: user "nul": no client can send the password: it has control characters or is no UTF-8`,
			`auth: user "old": the password looks like a hash of bcrypt, but is none`,
		}},
		{"verified", auth.Basic(auth.VerifyWith(auth.Passwords{"ada": "$argon2id$", "bob": "", "a:b": "x"}, never)), []string{
			`auth: user "a:b": ` + unsendable, `auth: user "bob": the password is empty`}},
		{"verified by nobody", auth.Basic(auth.VerifyWith(auth.Passwords{}, nil)), []string{"auth: VerifyWith has no function"}},
		{"nobody verified", auth.Basic(auth.VerifyWith(nil, nil)), []string{"auth: there is no password repository", "auth: VerifyWith has no function"}},
		{"verified repository with a mistake", auth.Basic(auth.VerifyWith(brokenUsers{}, never)), []string{"users: no connection"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := test.basic.(interface{ Validate() error }).Validate()
			if test.want == nil {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, strings.Join(test.want, "\n"))
			require.NotContains(t, err.Error(), "my-secret")
		})
	}
}

type brokenUsers struct{ auth.Passwords }

func (brokenUsers) Validate() error { return errors.New("users: no connection") }

func TestBasicWithoutARepositoryCannotDecide(t *testing.T) {
	for _, b := range []api.Authorization{auth.Basic(nil), auth.Basic(auth.VerifyWith(auth.Passwords{"ada": "x"}, nil))} {
		_, err := b.Authorize(t.Context(), request("1.2.3.4", basic("ada", "x")))
		require.ErrorContains(t, err, "auth: ")
		require.Nil(t, api.AsRefusal(err))
	}
}

func TestBasicReadsPasswordsOnce(t *testing.T) {
	passwords := auth.Passwords{"ada": "first"}
	same := func(password, hash string) (bool, error) { return password == hash, nil }
	all := []api.Authorization{auth.Basic(passwords), auth.Basic(auth.VerifyWith(passwords, same))}
	passwords["ada"] = "second"
	for _, b := range all {
		_, err := b.Authorize(t.Context(), request("1.2.3.4", basic("ada", "first")))
		require.NoError(t, err)
		_, err = b.Authorize(t.Context(), request("1.2.3.4", basic("ada", "second")))
		require.EqualError(t, err, wrongPassword)
	}
}

func ExampleVerifyWith() {
	// verify stands for argon2id.ComparePasswordAndHash or the like.
	verify := func(password, hash string) (bool, error) {
		return password == "open sesame" && hash == "$argon2id$v=19$m=65536,t=3,p=4$...", nil
	}
	admins := auth.Basic(auth.VerifyWith(auth.Passwords{"ada": "$argon2id$v=19$m=65536,t=3,p=4$..."}, verify))

	r := request("192.0.2.1")
	r.SetBasicAuth("ada", "open sesame")
	fmt.Println(admins.Authorize(context.Background(), r))
	// Output:
	// basic:ada <nil>
}
