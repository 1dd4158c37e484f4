package auth_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// secretName is how this package calls what nobody may guess.
var secretName = regexp.MustCompile(`(?i)(token|password|secret|^key|key$|hash|digest|given|stored|plain)`)

// comparers compare what they are given, in a time that may tell how much of it
// is right. digest.go alone may use the one of them that does not.
var comparers = regexp.MustCompile(`^(subtle\.\w+|hmac\.Equal|bytes\.(Equal|EqualFold|Compare|HasPrefix|HasSuffix|Contains)|` +
	`strings\.(EqualFold|Compare|HasPrefix|HasSuffix|Contains|Index)|slices\.(Equal|Compare|Contains|Index)|maps\.Equal|cmp\.Compare|reflect\.DeepEqual|bcrypt\.CompareHashAndPassword)$`)

// alwaysWrong are those that only compare secrets, whatever the names are.
var alwaysWrong = regexp.MustCompile(`^(subtle|hmac\.Equal|bytes\.(Equal|Compare)|reflect|bcrypt)`)

// allowed are the comparisons that are no leak, by file.
var allowed = map[string][]string{
	"digest.go":       {"subtle.ConstantTimeCompare"},
	"passwordhash.go": {"bcrypt.CompareHashAndPassword"},
}

// leaks are the lines of a file that compare a secret in another way than by
// digest.equal.
func leaks(t *testing.T, name, source string) (found []string) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
	require.NoError(t, err)
	leak := func(n ast.Node, what string) {
		found = append(found, strings.TrimSpace(strings.Split(source, "\n")[files.Position(n.Pos()).Line-1])+" // "+what)
	}
	secret := func(e ast.Expr) bool {
		n := nameOf(e)
		return n != "" && secretName.MatchString(n)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if compares(n.Op) && (secret(n.X) || secret(n.Y)) && !isNothing(n.X) && !isNothing(n.Y) {
				leak(n, n.Op.String())
			}
		case *ast.SwitchStmt:
			if n.Tag != nil && secret(n.Tag) {
				leak(n, "switch")
			}
		case *ast.IndexExpr:
			if secret(n.Index) && nameOf(n.X) != "Pointer" { // of atomic, and no map
				leak(n, "map")
			}
		case *ast.CallExpr:
			called := callee(n)
			if comparers.MatchString(called) && !slices.Contains(allowed[name], called) &&
				(alwaysWrong.MatchString(called) || slices.ContainsFunc(n.Args, secret) && !slices.ContainsFunc(n.Args, isText)) {
				leak(n, called)
			}
		}
		return true
	})
	return found
}

func compares(op token.Token) bool {
	return slices.Contains([]token.Token{token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ}, op)
}

// nameOf is the last name of a variable, a field or a slice of one, or "".
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.ParenExpr:
		return nameOf(e.X)
	case *ast.SliceExpr:
		return nameOf(e.X)
	case *ast.StarExpr:
		return nameOf(e.X)
	case *ast.CallExpr:
		if len(e.Args) == 1 && nameOf(e.Fun) != "len" { // a conversion
			return nameOf(e.Args[0])
		}
	}
	return ""
}

// isNothing reports "", nil and lengths: whether there is a secret is none, and
// neither is how long it is.
func isNothing(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CallExpr:
		return nameOf(e.Fun) == "len"
	case *ast.BasicLit:
		return e.Value == `""`
	case *ast.Ident:
		return e.Name == "nil"
	default:
		return false
	}
}

// isText reports a text of the program: finding it in a secret tells nothing.
func isText(e ast.Expr) bool {
	_, ok := e.(*ast.BasicLit)
	return ok
}

// callee is "package.Function", or "".
func callee(call *ast.CallExpr) string {
	if f, ok := call.Fun.(*ast.SelectorExpr); ok {
		if pkg, ok := f.X.(*ast.Ident); ok {
			return pkg.Name + "." + f.Sel.Name
		}
	}
	return ""
}

func TestSecretsAreComparedByTheirDigestsAlone(t *testing.T) {
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	read := 0
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		read++
		source, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Empty(t, leaks(t, name, string(source)), "%s: use digest.equal", name) // FW-102, FW-141
	}
	require.Greater(t, read, 10)
}

func TestLeaksAreFound(t *testing.T) {
	tests := []struct {
		name, file, statement string
		leak                  bool
	}{
		{"equality", "x.go", "_ = token == other", true},
		{"inequality", "x.go", "if user.Password != sent { return }", true},
		{"order", "x.go", "_ = apiKey < other", true},
		{"a slice", "x.go", "_ = token[:3] == other", true},
		{"a conversion", "x.go", "_ = string(secret) == other", true},
		{"digests", "x.go", "_ = storedDigest == other", true},
		{"a switch", "x.go", "switch token { case other: }", true},
		{"a map", "x.go", "_ = tokens[token]", true},
		{"a function", "x.go", "_ = strings.EqualFold(other, password)", true},
		{"a prefix", "x.go", "_ = strings.HasPrefix(token, other)", true},
		{"a separator", "x.go", `_ = strings.Contains(token, " ")`, false},
		{"a list", "x.go", "_ = slices.Contains(list, secret)", true},
		{"bytes", "x.go", "_ = bytes.Equal(a, b)", true},
		{"subtle elsewhere", "x.go", "_ = subtle.ConstantTimeCompare(a, b)", true},
		{"hmac", "digest.go", "_ = hmac.Equal(a, b)", true},
		{"bcrypt elsewhere", "basic.go", "_ = bcrypt.CompareHashAndPassword(a, b)", true},
		{"its place", "digest.go", "_ = subtle.ConstantTimeCompare(a, b)", false},
		{"its file", "passwordhash.go", "_ = bcrypt.CompareHashAndPassword(a, b)", false},
		{"an empty one", "x.go", `_ = token == "" || password == nil`, false},
		{"a length", "x.go", "_ = len(password) > maxPassword", false},
		{"others", "x.go", "_ = scheme == other", false},
		{"digest.equal", "x.go", "_ = digestOf(token).equal(d)", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			found := leaks(t, test.file, "package auth\n\nfunc f() {\n"+test.statement+"\n}\n")
			require.Equal(t, test.leak, len(found) > 0, found)
		})
	}
}
