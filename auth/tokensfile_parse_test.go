package auth

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
)

func TestATokenFileReportsEveryMistake(t *testing.T) {
	const missing, digits = `ips is missing, so the token could be used from nowhere: write "*"`, "token has behind sha256: not 64 hexadecimal digits"
	tests := []struct {
		name, content string
		want          []string // behind the path
	}{
		{"no token", "[]\n", nil},
		{"empty", "", []string{"1: it is no JSON"}},
		{"no list", `{"my-secret": "*"}`, []string{"1: it is no list: begin with ["}},
		{"no object", "[\n\"my-secret\"]", []string{"2: the entry is no object"}},
		{"cut off", "[\n{\"token\": \"my-secret\",\n", []string{"3: it is no JSON"}},
		{"cut off behind an entry", "[\n{\"token\": \"my-secret\", \"ips\": \"*\"}\n", []string{"3: it is no JSON"}},
		{"something behind", "[]\n[]", []string{"1: there is something behind the list"}},
		{"everything", `[
			{"token": "my-secret"},
			{"ips": "*"},
			{"token": "", "ips": "my-secret"},
			{"token": "a", "ips": "*", "my-secret": true},
			{"token": "b",
			 "ips": null,
			 "id": 7, "active": "my-secret", "scopes": "my-secret"},
			{"token": ["my-secret"], "ips": "*", "scopes": ["my-secret", 7]},
			{"token": "c", "ips": "*", "token": "my-secret"},
			{"token": "c", "ips": "*", "scopes": ["a b"]},
			{"token": "sha256:my-secret", "ips": "*"},
			{"token": "sha256:` + strings.Repeat("z", 64) + `", "ips": "*"},
			{"token": "sha256:` + hexOf("c") + `", "ips": "*"},
			{"token": "sha256:` + hexOf("my-secret") + `", "ips": "*", "id": "my-secret"}
		]`, []string{
			"2: " + missing,
			"3: token is missing",
			"4: token is empty",
			"4: the IP restriction has entries that are neither an address nor a prefix: number 1",
			"5: the entry has a member that is none of token, ips, id, scopes and active",
			"7: ips has the wrong type",
			"8: id has the wrong type", "8: active has the wrong type", "8: scopes has the wrong type",
			"9: token has the wrong type", "9: scopes has the wrong type",
			"10: token is there twice",
			"10: the token is there twice",
			"11: scope 1 cannot be granted: it is no scope-token (RFC 6749, section 3.3)",
			"12: " + digits,
			"13: " + digits,
			"14: the token is there twice",
			"15: the ID is the token itself, which would stand in logs",
			"15: the token is there twice",
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newLiveFile(t, test.content)
			err := Bearer(f.tokens).(interface{ Validate() error }).Validate()
			if test.want == nil {
				require.NoError(t, err)
				return
			}
			var want []string
			for _, mistake := range test.want {
				want = append(want, "auth: "+f.path+":"+mistake)
			}
			require.EqualError(t, err, strings.Join(want, "\n"))
			require.NotContains(t, err.Error(), "my-secret")
			_, _, err = f.tokens.Lookup(t.Context(), "my-secret")
			require.Error(t, err, "nothing was ever read")
			require.Nil(t, api.AsRefusal(err))
		})
	}
}

func FuzzTokensFile(f *testing.F) {
	for _, seed := range []string{
		"", "[]", "[{}]", "{", "[[", "null", `[{"token":"a","ips":"*"}]`, `[{"token":"sha256:00","ips":"*","id":"x","scopes":["a"],"active":true}]`,
		`[{"token":1}]`, "[{\"token\":\"a\",\n\"ips\":\"\"}]\n", `[{"a":[{}]}]`, "\xff", `[{"token":"a","ips":"*"},]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		table, err := parseTokensFile("tokens.json", content)
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				require.Regexp(t, `^auth: tokens\.json:\d+: [ -~]+$`, line)
			}
			return
		}
		for _, entry := range table.entries {
			require.True(t, entry.digest == digest{} || entry.token.IPs.enabled())
		}
	})
}
