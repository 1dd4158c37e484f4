// Package httptoken reads tokens, the words that the names of header fields,
// methods, auth-schemes, cookies and the halves of media types are made of (RFC
// 9110, section 5.6.2).
package httptoken

// Is reports whether the whole of s is a token.
func Is(s string) bool {
	token, rest := Cut(s)
	return token != "" && rest == ""
}

// Cut takes the token off that s starts with; "" when there is none.
func Cut(s string) (token, rest string) {
	for i := range len(s) {
		if !chars[s[i]] {
			return s[:i], s[i:]
		}
	}
	return s, ""
}

// chars are the characters of tokens.
var chars = func() (t [256]bool) {
	for _, c := range []byte("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") {
		t[c] = true
	}
	return t
}()
