package sfv

import "strings"

const hexDigits = "0123456789abcdef"

func isDigit(c byte) bool     { return '0' <= c && c <= '9' }
func isLower(c byte) bool     { return 'a' <= c && c <= 'z' }
func isLetter(c byte) bool    { return isLower(c) || 'A' <= c && c <= 'Z' }
func isPrintable(c byte) bool { return ' ' <= c && c <= '~' }

func startsKey(c byte) bool { return isLower(c) || c == '*' }
func inKey(c byte) bool     { return startsKey(c) || isDigit(c) || c == '_' || c == '-' || c == '.' }

func startsToken(c byte) bool { return isLetter(c) || c == '*' }
func inToken(c byte) bool {
	return isLetter(c) || isDigit(c) || strings.IndexByte("!#$%&'*+-.^_`|~:/", c) >= 0
}
