package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"

	"github.com/sallyport-go/sallyport/apitest"
	"github.com/sallyport-go/sallyport/internal/exampletest"
	"github.com/sallyport-go/sallyport/ratelimit"
)

const (
	goBook   = "9780134190440" // 12 copies
	cBook    = "9780131103627" // 3
	patterns = "9780201633610" // 1
	noBook   = "9781491904244"
)

// program is the bookstore on a port, asked as a client would.
type program struct {
	*exampletest.Program

	client *http.Client
}

// start runs it on a database of its own, unless the arguments name one. The limits
// and the shop go by the clock; nil is the time.
func start(t *testing.T, clock ratelimit.Clock, args ...string) program {
	t.Helper()
	if !slices.Contains(args, "-db") {
		args = append(args, "-db", quick(t))
	}
	return program{exampletest.Start(t, func(ctx context.Context, args []string, out io.Writer) error {
		return run(ctx, args, out, clock)
	}, args...), &http.Client{}}
}

// quick makes a new database whose passwords are cheap to compare, which under the
// race detector takes a second otherwise.
func quick(t *testing.T) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "books.db")
	s, err := openStore(t.Context(), file)
	require.NoError(t, err)
	for name, update := range map[string]string{
		"lina":  "UPDATE librarians SET password_hash = ? WHERE name = ?",
		"ada":   "UPDATE customers SET password_hash = ? WHERE name = ?",
		"grace": "UPDATE customers SET password_hash = ? WHERE name = ?",
	} {
		hash, err := bcrypt.GenerateFromPassword([]byte(passwords[name]), bcrypt.MinCost)
		require.NoError(t, err)
		_, err = s.write.ExecContext(t.Context(), update, string(hash), name)
		require.NoError(t, err)
	}
	require.NoError(t, s.Close())
	return file
}

// answer is what a table compares.
type answer struct {
	status int
	body   string
}

// request is written as "POST /api/v1/orders", a body, and header fields as names
// and values in turn.
func (p program) send(t *testing.T, endpoint, body string, header ...string) (*http.Response, string) {
	t.Helper()
	res, text, err := p.try(t.Context(), endpoint, body, header...)
	require.NoError(t, err)
	return res, text
}

func (p program) try(ctx context.Context, endpoint, body string, header ...string) (*http.Response, string, error) {
	method, path, _ := strings.Cut(endpoint, " ")
	r, err := http.NewRequestWithContext(ctx, method, p.URL+path, strings.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	if strings.HasPrefix(body, "{") {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	res, err := p.client.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	return res, string(text), err // with an error the answer is not whole
}

func (p program) ask(t *testing.T, endpoint, body string, header ...string) answer {
	t.Helper()
	res, text := p.send(t, endpoint, body, header...)
	return answer{res.StatusCode, text}
}

// The callers, as the header fields that they send.

func basic(t *testing.T, user, password string) []string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	require.NoError(t, err)
	r.SetBasicAuth(user, password)
	return []string{"Authorization", r.Header.Get("Authorization")}
}

func lina(t *testing.T) []string { t.Helper(); return basic(t, "lina", passwords["lina"]) }

var (
	passwords = map[string]string{"lina": "quiet please", "ada": "analytical", "grace": "compiler"}
	nobody    []string
	warehouse = []string{"X-API-Key", "warehouse-demo-key"}
)

// login gets a token for ada, who is free, or grace, who is gold.
func (p program) login(t *testing.T, user string, scopes ...string) []string {
	t.Helper()
	return p.loginAt(t, "POST /api/v1/login", user, scopes...)
}

func (p program) loginAt(t *testing.T, endpoint, user string, scopes ...string) []string {
	t.Helper()
	body := ""
	if scopes != nil {
		body = fmt.Sprintf(`{"scopes":["%s"]}`, strings.Join(scopes, `","`))
	}
	res, text := p.send(t, endpoint, body, basic(t, user, passwords[user])...)
	require.Equal(t, 200, res.StatusCode, text)
	require.Equal(t, "no-store", res.Header.Get("Cache-Control"))
	var in loggedIn
	require.NoError(t, json.Unmarshal([]byte(text), &in))
	return []string{"Authorization", "Bearer " + in.Token}
}

// write makes a configuration file.
func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "own.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

func TestWhatItPrints(t *testing.T) {
	require.Equal(t, `Listening on $URL
Try:
  curl -i '$URL/api/v2/books?author=Kernighan&sort=-price'
  curl -i -u ada:analytical -X POST $URL/api/v2/login
  for n in 1 2 3; do curl -i -H 'X-API-Key: warehouse-demo-key' $URL/api/v2/export; done
`, start(t, nil).Output)
}

func TestMistakes(t *testing.T) {
	newer := filepath.Join(t.TempDir(), "newer.db")
	s, err := openStore(t.Context(), newer)
	require.NoError(t, err)
	_, err = s.write.ExecContext(t.Context(), "PRAGMA user_version = 99")
	require.NoError(t, err)
	require.NoError(t, s.Close())
	older := filepath.Join(t.TempDir(), "older.db")
	s, err = openStore(t.Context(), older)
	require.NoError(t, err)
	_, err = s.write.ExecContext(t.Context(), "PRAGMA user_version = -1")
	require.NoError(t, err)
	require.NoError(t, s.Close())
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"an address":      {[]string{"-addr", "nowhere"}, `the address "nowhere"`},
		"a flag":          {[]string{"-port", "80"}, "-port"},
		"a format":        {[]string{"-errors", "xml"}, `-errors "xml": write default or problem`},
		"a Redis":         {[]string{"-redis", "http://localhost"}, "none of the schemes redis, rediss and unix"},
		"no file":         {[]string{"-config", "nowhere.yaml"}, "nowhere.yaml"},
		"a wrong file":    {[]string{"-config", write(t, "rateLimits: {login: {limt: 5}}")}, "rateLimits.login.limt: line 1, column 22"},
		"a missing limit": {[]string{"-config", write(t, "rateLimits: {perIp: {limit: 5, interval: 1 minute}}")}, "own.yaml:\n"},
		"no folder":       {[]string{"-db", "/nowhere/books.db"}, "store: open /nowhere/books.db"},
		"no database":     {[]string{"-db", write(t, strings.Repeat("This is no database. ", 100))}, "store: file is not a database"},
		"no version":      {[]string{"-db", older}, "store: the database has version -1, this program knows 3"},
		"no flag":         {[]string{"books.db"}, `the argument "books.db": there are flags alone`},
		"a newer one":     {[]string{"-db", newer}, "store: the database has version 99, this program knows 3"},
	} {
		t.Run(name, func(t *testing.T) {
			require.ErrorContains(t, run(t.Context(), tc.args, io.Discard, nil), tc.want)
		})
	}
}

func TestItStopsCleanlyOnSignals(t *testing.T) { exampletest.StopsOnSignals(t) }

func TestARestartKeepsTheDatabase(t *testing.T) {
	db := filepath.Join(t.TempDir(), "100% books?#.db")
	clock := apitest.NewClock()
	var token []string
	const order = `{"id":1,"customer":"ada","created":"2026-11-30T12:00:00Z","lines":[{"isbn":"9780201633610","quantity":1,"priceCents":4999}],"totalCents":4999}`
	t.Run("before", func(t *testing.T) {
		p := start(t, clock, "-db", db)
		token = p.login(t, "ada")
		require.Equal(t, answer{201, order}, p.ask(t, "POST /api/v1/orders", `{"lines":[{"isbn":"9780201633610","quantity":1}]}`, token...))
	})
	info, err := os.Stat(db)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode(), "there are hashes of passwords in it")
	t.Run("after", func(t *testing.T) {
		p := start(t, clock, "-db", db)
		require.Equal(t, answer{200, `{"orders":[` + order + `]}`}, p.ask(t, "GET /api/v2/orders", "", token...))
		require.Contains(t, p.ask(t, "GET /api/v1/books/"+patterns, "").body, `"stock":0`)
		require.Equal(t, 409, p.ask(t, "POST /api/v1/orders", `{"lines":[{"isbn":"9780201633610","quantity":1}]}`, token...).status)
		clock.Advance(tokenLife)
		require.Equal(t, 401, p.ask(t, "GET /api/v2/orders", "", token...).status, "a token does not last")
	})
}

// A store without a name leaves nothing behind.
func TestATemporaryDatabase(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s, err := openStore(t.Context(), "")
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(s.temporary, "bookstore.db"))
	require.NoError(t, s.ping(t.Context()))
	require.NoError(t, s.Close())
	require.NoDirExists(t, s.temporary)
	require.Error(t, s.ping(t.Context()))
}

func TestManyBuyOfOneStock(t *testing.T) {
	s, err := openStore(t.Context(), "")
	require.NoError(t, err)
	defer s.Close()
	const buyers = 30
	bought := make(chan error, buyers)
	for range buyers {
		go func() {
			_, err := s.addOrder(t.Context(), order{Customer: "ada", Created: time.Now(), Lines: []orderLine{{ISBN: cBook, Quantity: 1}, {ISBN: goBook, Quantity: 1}}})
			bought <- err
		}()
	}
	sold := 0
	for range buyers {
		if err := <-bought; err == nil {
			sold++
		} else {
			require.ErrorIs(t, err, errSoldOut)
		}
	}
	require.Equal(t, 3, sold)
	b, err := s.book(t.Context(), goBook)
	require.NoError(t, err)
	require.Equal(t, int64(12-3), b.Stock, "an order that fails takes nothing")
}
