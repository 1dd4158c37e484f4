package jsonpointer_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/jsonpointer"
)

func TestPointer(t *testing.T) {
	for _, row := range []struct {
		tokens   []string
		pointer  string
		fragment string
	}{
		{nil, "", "#"},                     // PD-017
		{[]string{"age"}, "/age", "#/age"}, // PD-011
		{[]string{"profile", "color"}, "/profile/color", "#/profile/color"}, // PD-011
		{[]string{"a/b"}, "/a~1b", "#/a~1b"},                                // PD-012
		{[]string{"m~n"}, "/m~0n", "#/m~0n"},                                // PD-013
		{[]string{"items", "0", "id"}, "/items/0/id", "#/items/0/id"},       // PD-014
		{[]string{"c d"}, "/c d", "#/c%20d"},                                // PD-015
		{[]string{"é"}, "/é", "#/%C3%A9"},                                   // PD-016
		{[]string{""}, "/", "#/"},
		{[]string{"", ""}, "//", "#//"},
		{[]string{"~1"}, "/~01", "#/~01"},
		{[]string{"/~"}, "/~1~0", "#/~1~0"},
		{[]string{"c%d"}, "/c%d", "#/c%25d"},
		{[]string{"e^f"}, "/e^f", "#/e%5Ef"},
		{[]string{"g|h"}, "/g|h", "#/g%7Ch"},
		{[]string{`i\j`}, `/i\j`, "#/i%5Cj"},
		{[]string{`k"l`}, `/k"l`, "#/k%22l"},
		{[]string{"#"}, "/#", "#/%23"},
		{[]string{"a\r\n"}, "/a\r\n", "#/a%0D%0A"},
	} {
		pointer := jsonpointer.New(row.tokens...)
		require.Equal(t, row.pointer, pointer)
		require.Equal(t, row.fragment, jsonpointer.Fragment(pointer))
	}
}

// Every list of tokens has a pointer of its own, and its fragment is a part of a
// URI that leads back to it.
func FuzzPointer(f *testing.F) {
	f.Add("a/b", "m~n")
	f.Add("", "~1")
	f.Add("%2F", "é\xff#")
	f.Fuzz(func(t *testing.T, first, second string) {
		pointer := jsonpointer.New(first, second)

		tokens := strings.Split(pointer, "/")
		require.Len(t, tokens, 3)
		for i, token := range tokens {
			tokens[i] = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		}
		require.Equal(t, []string{"", first, second}, tokens)

		u, err := url.Parse(jsonpointer.Fragment(pointer))
		require.NoError(t, err)
		require.Equal(t, url.URL{Fragment: pointer, RawFragment: u.RawFragment}, *u)
	})
}
