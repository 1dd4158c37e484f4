package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/exampletest"
)

// busy are limits that no client of the test reaches.
const busy = `
rateLimits:
  perIp: {limit: 100000000, interval: 1 minute}
  perCustomer: {limit: 10000000, interval: 1 minute, key: identity}
  login: {limit: 5, interval: 15 minutes}
  export: {limit: 2, interval: 1 hour, key: identity}
defaults: {rateLimit: perIp}
`

// A busy shop is told to stop. Whatever it has begun it finishes: every answer is
// whole, and the orders in the database are exactly those that clients know of.
func TestAStopLosesNoOrder(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 25*time.Second)
	defer cancel()
	db := filepath.Join(t.TempDir(), "books.db")
	shop := exec.CommandContext(ctx, exampletest.Build(t), "-addr", "127.0.0.1:0", "-db", db, "-config", write(t, busy))
	shop.Stderr = t.Output()
	out, err := shop.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, shop.Start())
	first, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	url := strings.TrimPrefix(strings.TrimSpace(first), "Listening on ")

	setUp := program{&exampletest.Program{URL: url}, &http.Client{}}
	const copies = 1_000_000
	book := fmt.Sprintf(`{"isbn":"%s","title":"Much read","authors":["A"],"year":2026,"price":{"amount":1,"currency":"EUR"},"stock":%d}`, noBook, copies)
	require.Equal(t, 201, setUp.ask(t, "POST /api/v2/books", book, lina(t)...).status)
	token := setUp.login(t, "grace")

	l := &load{enough: make(chan struct{})}
	var clients sync.WaitGroup
	for i := range 8 {
		var protocols http.Protocols
		protocols.SetHTTP1(i%2 == 0)
		protocols.SetUnencryptedHTTP2(i%2 == 1)
		transport := &http.Transport{Protocols: &protocols}
		defer transport.CloseIdleConnections()
		p := program{setUp.Program, &http.Client{Transport: transport}}
		clients.Go(func() { l.client(ctx, p, token) })
	}
	select {
	case <-l.enough:
	case <-ctx.Done():
	}
	l.stopping.Store(true)
	require.NoError(t, shop.Process.Signal(syscall.SIGTERM)) // in the middle of it
	clients.Wait()
	require.NoError(t, shop.Wait(), "exit status 0")
	require.Empty(t, l.faults)
	require.GreaterOrEqual(t, len(l.ordered), enough)
	require.Equal(t, map[string]bool{"HTTP/1.1": true, "HTTP/2.0": true}, l.protocols)

	s, err := openStore(t.Context(), db)
	require.NoError(t, err)
	defer s.Close()
	slices.Sort(l.ordered)
	require.Equal(t, l.ordered, orderIDs(t, s))
	b, err := s.book(t.Context(), noBook)
	require.NoError(t, err)
	require.Equal(t, int64(copies-len(l.ordered)), b.Stock)
}

// enough orders and the shop is in full swing.
const enough = 200

// load is what the clients have seen.
type load struct {
	stopping atomic.Bool
	enough   chan struct{}

	mu        sync.Mutex
	ordered   []int64 // what was answered 201
	faults    []string
	protocols map[string]bool
}

// client orders and looks for books until it is not answered any more.
func (l *load) client(ctx context.Context, p program, token []string) {
	for ctx.Err() == nil {
		for endpoint, want := range map[string]int{"POST /api/v2/orders": 201, "GET /api/v1/books": 200} {
			body := ""
			if want == 201 {
				body = `{"lines":[{"isbn":"` + noBook + `","quantity":1}]}`
			}
			res, text, err := p.try(ctx, endpoint, body, token...)
			if !l.note(endpoint, want, res, text, err) {
				return
			}
		}
	}
}

// note reports whether the client goes on.
func (l *load) note(endpoint string, want int, res *http.Response, text string, err error) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if res == nil { // there was no answer
		if !l.stopping.Load() {
			l.faults = append(l.faults, fmt.Sprintf("%s: %v", endpoint, err))
		}
		return false
	}
	var o order
	if err == nil && res.StatusCode == want {
		err = json.Unmarshal([]byte(text), &o)
	}
	if err != nil || res.StatusCode != want {
		l.faults = append(l.faults, fmt.Sprintf("%s: %d %q: %v", endpoint, res.StatusCode, text, err))
		return false
	}
	if l.protocols == nil {
		l.protocols = map[string]bool{}
	}
	l.protocols[res.Proto] = true
	if o.ID != 0 {
		if l.ordered = append(l.ordered, o.ID); len(l.ordered) == enough {
			close(l.enough)
		}
	}
	return true
}

func orderIDs(t *testing.T, s *store) (ids []int64) {
	t.Helper()
	rows, err := s.read.QueryContext(t.Context(), `SELECT id FROM orders ORDER BY id`)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var id int64
		require.NoError(t, rows.Scan(&id))
		ids = append(ids, id)
	}
	require.NoError(t, rows.Err())
	return ids
}
