package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sallyport-go/sallyport"
)

const abusePromise = "a 4xx or a closed connection, the heap grows by at most 64 MiB"

// impatient is a server that gives nobody more than a second.
var impatient = sallyport.Server{
	ReadHeaderTimeout: time.Second, ReadTimeout: time.Second, WriteTimeout: time.Second, IdleTimeout: time.Second, H2C: true,
}

var httpScenarios = []scenario{
	{name: "http/slow clients", promise: "closed within the time-out of 1 s and 1 s more, others served as before, the heap grows by at most 64 MiB", run: slowClients},
	{name: "http/huge headers", promise: abusePromise, run: abuse(hugeHeaders)},
	{name: "http/100k fields", promise: abusePromise + ", each within 1 s", run: abuse(manyFields)},
	{name: "http/hostile JSON", promise: abusePromise + ", each within 1 s", run: abuse(hostileJSON)},
	{name: "http/hostile forms", promise: abusePromise + ", each within 1 s", run: abuse(hostileForms)},
	{name: "http/bodies without end", promise: "413 or a closed connection after MaxBody and 1 MiB more at most", run: endlessBodies},
	{name: "http/pipelining", promise: "1000 requests in one write: 1000 answers in their order", run: pipelining},
}

func slowClients(t *trial) {
	h := startTarget(t, impatient, sallyport.Config{})
	grown := watchMemory()
	beside := h.honest(t)
	clients := pick(t, 100, 400)
	for name, first := range map[string]string{
		"header":  "GET /api/v1/open HTTP/1.1\r\nHost: a\r\nX-Slow: ",
		"body":    "POST /api/v1/read HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n",
		"chunks":  "POST /api/v1/read HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nfffff\r\n",
		"nothing": "",
		"idle":    "GET /api/v1/open HTTP/1.1\r\nHost: a\r\n\r\n",
		"reading": "GET /api/v1/big HTTP/1.1\r\nHost: a\r\n\r\n",
		"HTTP/2":  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00",
	} {
		n := clients
		if name == "reading" {
			n = 10 // the kernel keeps some megabytes of each answer
		}
		var all sync.WaitGroup
		var longest, stuck atomic.Int64
		for range n {
			all.Go(func() {
				took, closed := drip(h.addr, first, name)
				for m := longest.Load(); took.Milliseconds() > m && !longest.CompareAndSwap(m, took.Milliseconds()); m = longest.Load() {
				}
				if !closed {
					stuck.Add(1)
				}
			})
		}
		all.Wait()
		if name == "HTTP/2" { // a preface begins an idle connection
			t.check(stuck.Load() == 0, "%d of %d HTTP/2 connections were not closed in 4 s", stuck.Load(), n)
		} else {
			t.check(stuck.Load() == 0 && longest.Load() < 2000, "%s: %d of %d were not closed, the longest took %d ms", name, stuck.Load(), n, longest.Load())
		}
		t.measure("%s: %d closed within %.1f s", name, int64(n)-stuck.Load(), float64(longest.Load())/1000)
	}
	t.measure("%s", beside())
	g := grown()
	t.check(g < 64<<20, "the heap grew by %s", mib(g))
	t.measure("heap +%s", mib(g))
}

// drip sends a byte each 100 ms, or nothing, and waits for the end of the
// connection.
func drip(addr, first, kind string) (time.Duration, bool) {
	begin := time.Now()
	c, err := connect(addr)
	if err != nil {
		return 0, false
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(begin.Add(4 * time.Second))
	_, _ = io.WriteString(c, first)
	switch kind {
	case "reading": // nothing is read until the server has given up
		time.Sleep(1500 * time.Millisecond)
		n, err := io.Copy(io.Discard, c)
		return time.Since(begin), n < bigAnswer && !isTimeout(err)
	case "header", "body", "chunks":
		go func() {
			for {
				time.Sleep(100 * time.Millisecond)
				if _, err := c.Write([]byte("x")); err != nil {
					return
				}
			}
		}()
	}
	_, err = io.Copy(io.Discard, c)
	return time.Since(begin), !isTimeout(err)
}

// attack is a request and what may come of it.
type attack struct {
	name   string
	bytes  string
	status []int // that are right; nil: any 4xx, or a closed connection
}

// abuse sends one attack after the other to a server with its usual settings.
func abuse(attacks func() []attack) func(t *trial) {
	return func(t *trial) {
		h := startTarget(t, sallyport.Server{H2C: true, ReadTimeout: 700 * time.Millisecond}, sallyport.Config{})
		all := attacks()
		grown := watchMemory()
		beside := h.honest(t)
		n := map[string]int{}
		var slowest time.Duration
		for _, a := range all {
			k := say(h.addr, a.bytes, 5*time.Second)
			switch {
			case a.status != nil:
				ok := len(k.statuses) > 0
				for _, s := range k.statuses {
					found := false
					for _, right := range a.status {
						found = found || s == right
					}
					ok = ok && found
				}
				t.check(ok, "%s: answered %s, not %v", a.name, k, a.status)
			default:
				t.check(k.onlyRefused(), "%s: answered %s", a.name, k)
			}
			first := "closed"
			if len(k.statuses) > 0 {
				first = fmt.Sprint(k.statuses[0])
			}
			n[first]++
			slowest = max(slowest, k.took)
			t.check(k.took < time.Second, "%s: it took %s", a.name, k.took)
		}
		t.measure("%d attacks: %s, the slowest %s", len(all), counts(n), ms(slowest))
		t.measure("%s", beside())
		g := grown()
		t.check(g < 64<<20, "the heap grew by %s", mib(g))
		t.measure("heap +%s", mib(g))
		t.check(h.reached.Load() == 0, "the secret was reached")
		t.measure("%s", h.forged(t))
	}
}

func endlessBodies(t *trial) {
	h := startTarget(t, impatientReads(5*time.Second), sallyport.Config{})
	grown := watchMemory()
	beside := h.honest(t)
	chunk := "8000\r\n" + strings.Repeat("x", 0x8000) + "\r\n"
	for _, row := range []struct{ name, path, piece string }{
		{"chunks to a handler", "read", chunk},
		{"chunks to JSON", "numbers", chunk},
		{"chunks to a net/http handler", "raw", chunk},
		{"chunks to a form", "form", chunk},
		{"chunks of a byte", "read", strings.Repeat("1\r\nx\r\n", 4096)},
		{"a chunk extension", "read", strings.Repeat(";x=y", 8192)},
		{"trailer fields", "read", "X: " + strings.Repeat("y", 8192) + "\r\n"},
		{"zeros before a chunk's size", "read", strings.Repeat("0", 32768)},
		{"to an endpoint that reads nothing", "open", chunk},
	} {
		c, err := connect(h.addr)
		t.must(err)
		_ = c.SetDeadline(time.Now().Add(8 * time.Second))
		method := "POST"
		if row.path == "open" {
			method = "GET"
		}
		kind := map[string]string{"numbers": "application/json", "form": "application/x-www-form-urlencoded"}[row.path]
		head := method + " /api/v1/" + row.path + " HTTP/1.1\r\nHost: a\r\nContent-Type: " + kind + "\r\nTransfer-Encoding: chunked\r\n\r\n"
		switch row.name {
		case "a chunk extension":
			head += "1"
		case "trailer fields":
			head += "0\r\n"
		}
		_, _ = io.WriteString(c, head)
		var sent atomic.Int64
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for sent.Load() < 256<<20 {
				n, err := io.WriteString(c, row.piece)
				sent.Add(int64(n))
				if err != nil {
					return
				}
			}
		}()
		begin := time.Now()
		k := hear(c)
		_ = c.Close()
		<-ended
		// What the kernel has buffered was sent, but not taken.
		t.check(sent.Load() < 16<<20, "%s: %s were sent", row.name, mib(sent.Load()))
		ok := k.closed
		for _, s := range k.statuses {
			ok = ok && (s >= 400 && s <= 499 || row.path == "open" && s == 200)
		}
		t.check(ok, "%s: answered %s", row.name, k)
		t.measure("%s: %v after %s in %.1f s", row.name, k.statuses, mib(sent.Load()), time.Since(begin).Seconds())
	}
	t.measure("%s", beside())
	g := grown()
	t.check(g < 64<<20, "the heap grew by %s", mib(g))
	t.measure("heap +%s", mib(g))
}

func impatientReads(d time.Duration) sallyport.Server {
	s := impatient
	s.ReadTimeout, s.WriteTimeout = d, d
	return s
}

func pipelining(t *trial) {
	h := startTarget(t, sallyport.Server{IdleTimeout: time.Second}, sallyport.Config{})
	var b strings.Builder
	const n = 1000
	for i := range n {
		fmt.Fprintf(&b, "GET /api/v1/names/n%d HTTP/1.1\r\nHost: a\r\n\r\n", i)
	}
	k := say(h.addr, b.String(), 10*time.Second)
	t.check(len(k.statuses) == n, "%d answers", len(k.statuses))
	for i, body := range k.bodies {
		t.check(k.statuses[i] == 200 && strings.TrimSpace(body) == fmt.Sprintf(`"n%d"`, i), "answer %d is %d %q", i, k.statuses[i], body)
	}
	// A refused body in the middle must not shift what follows.
	shifted := say(h.addr, "POST /api/v1/numbers HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\nGET /api/v1/smuggled HTTP/1.1\r\nHost: a\r\n\r\n"+
		"GET /api/v1/names/last HTTP/1.1\r\nHost: a\r\n\r\n", 3*time.Second)
	t.check(h.reached.Load() == 0, "a body was served as a request: %s", shifted)
	t.measure("%d answers in their order within %s; a body that looks like a request: %s", len(k.statuses), ms(k.took), shifted)
}
