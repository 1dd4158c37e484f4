package console

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// pasted runs a command as a person does who pastes it into a shell.
func pasted(t *testing.T, folder, command string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-c", command+" --silent --show-error")
	cmd.Dir = folder
	out, err := cmd.Output()
	require.NoError(t, err, command)
	return string(out)
}

// decoded is what a URL means.
func decoded(t *testing.T, call seen) []any {
	t.Helper()
	u, err := url.ParseRequestURI(call.URI)
	require.NoError(t, err)
	return []any{u.Path, query(t, call)}
}

// injection would leave a file, were it not quoted.
const injection = `'; touch pwned; echo "$(touch pwned)` + "`touch pwned`" + `" \ !! | & > pwned ~ * {a,b} #`

// The line that is shown makes the same call and gets the same answer.
func TestTheCurlLineCallsTheSame(t *testing.T) {
	s := workshop(t)
	folder := files(t, map[string]string{"cover, \"1\";x=y.txt": "a cover\n", "page.txt": "a page"})
	p := open(t, s.console())
	for name, fill := range map[string]func(){
		"query": func() {
			p.endpoint("GET v1/books")
			p.fill("query:q", tricky+injection)
			p.fillAt("query:tags", 0, "@page.txt")
			p.fillAt("query:tags", 1, "{a,b}[1-3]")
			p.fill("header:X-Trace", "one "+injection)
			p.fill("cookie:theme", "dark")
			p.fill("cookie:lang", "en")
		},
		"path": func() {
			p.endpoint("DELETE v1/books/{isbn}")
			p.fill("path:isbn", "-"+tricky+injection)
		},
		"form": func() {
			p.endpoint("PUT v1/books/{isbn}")
			p.fill("path:isbn", "1")
			p.fill("form:title", "@page.txt"+injection)
			p.fill("form:note", "")
			p.sendEmpty("form:note")
		},
		"json": func() {
			p.endpoint("POST v1/books")
			p.fill("json:book", "{\n\t\"title\": \"It's\\u0000 `x` $HOME \\\\ ✓\"\n}\n")
		},
		"raw": func() {
			p.endpoint("POST v1/notes")
			p.fill("raw:note", "@page.txt "+injection+"\ttab\nline \x1b[31m \u202e")
		},
		"empty raw": func() {
			p.endpoint("PATCH v1/books/{isbn}")
			p.fill("path:isbn", "1")
		},
		"files": func() {
			p.endpoint("POST v1/covers")
			p.fill("form:title", "@page.txt;type=x"+injection)
			p.do(chromedp.SetUploadFiles(chromedp.CSS(p.field("file:cover", 0)), []string{filepath.Join(folder, "cover, \"1\";x=y.txt")}))
			p.do(chromedp.SetUploadFiles(chromedp.CSS(p.field("file:pages", 0)), []string{filepath.Join(folder, "page.txt")}))
		},
		"basic": func() {
			p.endpoint("GET v1/auth/basic")
			p.fill("auth:basic:user", "ada")
			p.fill("auth:basic:password", "analytical")
		},
		"keys": func() {
			p.endpoint("GET v1/auth/all")
			p.fill("auth:bearer", token)
			p.fill("auth:apiKey:X-API-Key", token)
		},
		"session": func() {
			p.endpoint("GET v1/auth/cookie")
			p.fill("auth:apiKey:session", token)
		},
		"own fields": func() {
			p.endpoint("GET v1/books")
			p.fill("common:headers", "X-Own: "+injection+"\nX-Empty:\nContent-Type: text/x-own")
		},
		"a body with an own type": func() {
			p.endpoint("POST v1/books")
			p.fill("common:headers", "Content-Type: application/vnd.book+json")
		},
	} {
		t.Run(name, func(t *testing.T) {
			p.t = t
			fill()
			p.send()
			require.Equal(t, "200 OK", p.text("#status"))
			call, body, line := s.last(t), p.text("#body"), p.text("#curl")
			require.JSONEq(t, body, pasted(t, folder, line), line)
			again := s.last(t)
			require.Equal(t, call.Method, again.Method)
			require.Equal(t, decoded(t, call), decoded(t, again)) // browsers write ' as %27
			for _, field := range []string{"Authorization", "Cookie", "X-Api-Key", "X-Trace", "X-Own", "X-Empty"} {
				require.Equal(t, call.Header[field], again.Header[field], field)
			}
			if strings.HasPrefix(call.Header.Get("Content-Type"), "multipart/") {
				require.Equal(t, call.form(t), again.form(t))
			} else {
				require.Equal(t, call.Header["Content-Type"], again.Header["Content-Type"])
				require.Equal(t, call.Body, again.Body)
			}
			require.NoFileExists(t, filepath.Join(folder, "pwned"), line)
		})
	}
	p.t = t
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, left, 2, "no command has left anything")
}
