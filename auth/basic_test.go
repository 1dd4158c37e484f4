package auth_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
)

const (
	wrongPassword  = "Incorrect username or password"
	basicChallenge = `Basic realm="api", charset="UTF-8"`
)

var wrong = &api.Refusal{Kind: api.KindUnauthorized, Message: wrongPassword, Challenge: basicChallenge}

func basic(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

func bcryptOf(t *testing.T, password string) string {
	t.Helper()
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	require.NoError(t, err)
	return string(hash)
}

func TestBasicDescribesItself(t *testing.T) {
	require.Equal(t, api.Scheme{Name: "basic", Challenge: basicChallenge, Identifies: api.IdentifiesAlways, Type: "http"}, // FW-106
		auth.Basic(auth.Passwords{}).Scheme())
	require.Equal(t, `Basic realm="a \"b\"", charset="UTF-8"`, auth.Basic(auth.Passwords{}, auth.Realm(`a "b"`)).Scheme().Challenge)
}

func TestBasicAdmitsTheUsersOfItsRepository(t *testing.T) {
	long := strings.Repeat("x", 72)
	hash := bcryptOf(t, "secret")
	admits := auth.Basic(auth.Passwords{
		"ada": "open sesame", "bob": "0", "0": "zero", "col": "b:c", "uni": "pä$s", "Aladdin": "$ dollar",
		"2a": "$2a" + hash[3:], "2b": "$2b" + hash[3:], "2y": "$2y" + hash[3:], "long": bcryptOf(t, long),
	})
	require.NoError(t, admits.(interface{ Validate() error }).Validate())
	tests := []struct{ name, user, line string }{
		{"plain", "ada", basic("ada", "open sesame")}, // FW-100, FW-105, TC-172
		{"zero", "bob", basic("bob", "0")},            // FW-104, TC-171
		{"user zero", "0", basic("0", "zero")},
		{"colon in the password", "col", basic("col", "b:c")},
		{"UTF-8", "uni", basic("uni", "pä$s")},
		{"dollar", "Aladdin", basic("Aladdin", "$ dollar")},
		{"scheme in upper case", "ada", "BASIC" + basic("ada", "open sesame")[5:]},
		{"several spaces", "ada", "Basic  " + basic("ada", "open sesame")[5:]},
		{"bcrypt 2a", "2a", basic("2a", "secret")}, // FW-103
		{"bcrypt 2b", "2b", basic("2b", "secret")}, // FW-103
		{"bcrypt 2y", "2y", basic("2y", "secret")}, // FW-103
		{"all that bcrypt sees", "long", basic("long", long)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			identity, err := admits.Authorize(t.Context(), request("1.2.3.4", test.line))
			require.NoError(t, err)
			require.Equal(t, api.Identity{Scheme: "basic", ID: test.user}, identity) // FW-095, RL-084
		})
	}
}

func TestBasicRefusesWithOneMessage(t *testing.T) {
	hash := bcryptOf(t, "secret")
	refuses := auth.Basic(auth.Passwords{"ada": "open sesame", "bob": hash, "long": bcryptOf(t, strings.Repeat("x", 72)), "empty": ""})
	tests := []struct {
		name string
		line string
	}{
		{"wrong password", basic("ada", "open")},   // FW-101, TC-172
		{"unknown user", basic("eve", "open")},     // FW-101, TC-172
		{"empty password", basic("ada", "")},       // FW-101, FW-104, TC-172
		{"password of nobody", basic("empty", "")}, // FW-104
		{"longer password", basic("ada", "open sesame ")},
		{"other case", basic("Ada", "open sesame")},
		{"password of another", basic("bob", "open sesame")},
		{"wrong for bcrypt", basic("bob", "Secret")},
		{"the hash itself", basic("bob", hash)},
		{"unknown user beside bcrypt", basic("eve", "secret")},
		{"a part of which bcrypt ignores", basic("long", strings.Repeat("x", 73))},
		{"empty user", basic("", "open sesame")},
		{"no colon", "Basic dXNlcg=="},
		{"no padding", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ"},
		{"bits behind the end", "Basic YTpiOmN="},
		{"no base64", "Basic !!!"},
		{"line end inside", "Basic YTpi\nOmM="},
		{"no credentials", "Basic"},
		{"only a space", "Basic "},
		{"tab", "Basic\tYTpiOmM="},
		{"text behind", basic("ada", "open sesame") + " x"},
		{"control character", basic("ada\x00", "open sesame")},
		{"no UTF-8", basic("ada\xff", "open sesame")},
		{"other scheme", "Bearer my-token"},
		{"scheme that starts alike", "Basicx YTpiOmM="},
		{"empty", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			identity, err := refuses.Authorize(t.Context(), request("1.2.3.4", test.line))
			require.Equal(t, api.Identity{}, identity)
			require.Equal(t, wrong, api.AsRefusal(err)) // FW-101, FW-106
		})
	}
	_, err := refuses.Authorize(t.Context(), request("1.2.3.4"))
	require.Equal(t, wrong, api.AsRefusal(err))
	_, err = refuses.Authorize(t.Context(), request("1.2.3.4", basic("ada", "open sesame"), basic("ada", "open sesame")))
	require.Equal(t, &api.Refusal{Kind: api.KindInput, Message: wrongPassword, Challenge: basicChallenge}, api.AsRefusal(err))
}

// The name and the password stand in the header field alone.
func TestBasicReadsNoPasswordFromTheURL(t *testing.T) {
	r := request("1.2.3.4")
	r.URL.User = nil
	r.Form = map[string][]string{"user": {"ada"}, "password": {"open sesame"}}
	_, err := auth.Basic(auth.Passwords{"ada": "open sesame"}).Authorize(t.Context(), r)
	require.Equal(t, wrong, api.AsRefusal(err)) // FW-105
}

// users is a repository that notes who was looked up.
func users(asked *[]string, p auth.Password, ok bool, err error) auth.PasswordFunc {
	return func(_ context.Context, user string) (auth.Password, bool, error) {
		*asked = append(*asked, user)
		return p, ok, err
	}
}

func TestBasicAsksItsRepository(t *testing.T) {
	type plan struct{ name string }
	down := errors.New("dial tcp: connection refused")
	hash := bcryptOf(t, "secret")
	tests := []struct {
		name string
		p    auth.Password
		ok   bool
		err  error

		want    api.Identity
		refusal *api.Refusal
		failure string // could not decide
	}{
		{"plain", auth.Password{Hash: "secret", Value: plan{"gold"}}, true, nil, api.Identity{Scheme: "basic", ID: "ada", Value: plan{"gold"}}, nil, ""},
		{"bcrypt", auth.Password{Hash: hash}, true, nil, api.Identity{Scheme: "basic", ID: "ada"}, nil, ""},
		{"wrong", auth.Password{Hash: "Secret", Value: plan{"gold"}}, true, nil, api.Identity{}, wrong, ""},
		{"the zero password", auth.Password{}, true, nil, api.Identity{}, wrong, ""},
		{"unknown", auth.Password{}, false, nil, api.Identity{}, wrong, ""},
		{"unknown, with a hash to compare in vain", auth.Password{Hash: hash}, false, nil, api.Identity{}, wrong, ""},
		{"unauthorized", auth.Password{}, false, api.Unauthorized("There is no ada"), api.Identity{}, wrong, ""}, // FW-101
		{"forbidden", auth.Password{}, false, api.Forbidden("Locked"), api.Identity{}, &api.Refusal{Kind: api.KindForbidden, Message: "Locked"}, ""},
		{"down", auth.Password{Hash: "secret"}, true, down, api.Identity{}, nil, "auth: look up the user: dial tcp: connection refused"},
		{"a hash of another kind", auth.Password{Hash: "$argon2id$v=19$m=65536"}, true, nil, api.Identity{}, nil,
			"auth: look up the user: the password looks like a hash that is none of bcrypt: see auth.VerifyWith"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var asked []string
			b := auth.Basic(users(&asked, test.p, test.ok, test.err))
			identity, err := b.Authorize(t.Context(), request("1.2.3.4", basic("ada", "secret")))
			require.Equal(t, []string{"ada"}, asked)
			require.Equal(t, test.want, identity)
			require.Equal(t, test.refusal, api.AsRefusal(err))
			if test.failure != "" {
				require.EqualError(t, err, test.failure)
			}
		})
	}
}

func TestBasicAsksNobodyInVain(t *testing.T) {
	var asked []string
	b := auth.Basic(users(&asked, auth.Password{Hash: "secret"}, true, nil))
	for _, line := range []string{basic("ada", ""), basic("", "secret"), "Basic !!!", "Bearer x"} {
		_, err := b.Authorize(t.Context(), request("1.2.3.4", line))
		require.EqualError(t, err, wrongPassword)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := b.Authorize(ctx, request("1.2.3.4", basic("ada", "secret")))
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, asked)
}

func ExampleBasic() {
	admins := auth.Basic(auth.Passwords{
		"ada": "$2a$04$juDkYsM327eHJHjgv5lBXu5FrcSxiMKpTwnX.CT1.t6qvmDUFExSK", // of "open sesame"; use a cost of 10 and more
		"bob": "from a secret store",
	}, auth.Realm("admin"))

	for _, password := range []string{"open sesame", "guess"} {
		r := request("192.0.2.1")
		r.SetBasicAuth("ada", password)
		identity, err := admins.Authorize(context.Background(), r)
		fmt.Println(identity, err)
	}
	// Output:
	// basic:ada <nil>
	//  Incorrect username or password
}
