package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/sallyport-go/sallyport"
)

var framingScenarios = []scenario{
	{name: "http/request smuggling", promise: "a body whose length is in doubt is refused and its connection closed: what stands behind it is never served as a request", run: smuggling},
}

// smuggled stands behind each attack, as the rest of a body in which a proxy has
// seen no request.
const smuggled = "GET /api/v1/smuggled HTTP/1.1\r\nHost: a\r\n\r\n"

func smuggling(t *trial) {
	h := startTarget(t, sallyport.Server{}, sallyport.Config{})
	head := "POST /api/v1/read HTTP/1.1\r\nHost: a\r\n"
	chunked := "Transfer-Encoding: chunked\r\n"
	length := fmt.Sprintf("Content-Length: %d\r\n", len("0\r\n\r\n"+smuggled))
	got := map[string]int{}
	rows := []struct{ name, bytes string }{
		{"length and chunked", head + length + chunked + "\r\n0\r\n\r\n" + smuggled},
		{"chunked and length", head + chunked + length + "\r\n0\r\n\r\n" + smuggled},
		{"two lengths", head + "Content-Length: 0\r\nContent-Length: 44\r\n\r\n" + smuggled},
		{"two lengths in a line", head + "Content-Length: 0, 44\r\n\r\n" + smuggled},
		{"a length with a sign", head + "Content-Length: +0\r\n\r\n" + smuggled},
		{"a negative length", head + "Content-Length: -1\r\n\r\n" + smuggled},
		{"a length in hex", head + "Content-Length: 0x0\r\n\r\n" + smuggled},
		{"a length with a comma", head + "Content-Length: 0,\r\n\r\n" + smuggled},
		{"a length beyond int64", head + "Content-Length: 99999999999999999999\r\n\r\n" + smuggled},
		{"an empty length", head + "Content-Length: \r\n\r\n" + smuggled},
		{"a length with a blank inside", head + "Content-Length: 0 0\r\n\r\n" + smuggled},
		{"a blank before the colon", head + "Content-Length : 0\r\n\r\n" + smuggled},
		{"a blank before the name", "POST /api/v1/read HTTP/1.1\r\nHost: a\r\n Content-Length: 0\r\n\r\n" + smuggled},
		{"chunked twice", head + chunked + chunked + "\r\n0\r\n\r\n" + smuggled},
		{"chunked, chunked", head + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n" + smuggled},
		{"chunked, identity", head + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n" + smuggled},
		{"identity", head + "Transfer-Encoding: identity\r\n" + length + "\r\n0\r\n\r\n" + smuggled},
		{"xchunked", head + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + smuggled},
		{"gzip, chunked", head + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" + smuggled},
		{"a blank before the colon of chunked", head + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + smuggled},
		{"a tab before chunked", head + "Transfer-Encoding:\tchunked\r\n" + length + "\r\n0\r\n\r\n" + smuggled},
		{"a vertical tab before chunked", head + "Transfer-Encoding: \vchunked\r\n\r\n0\r\n\r\n" + smuggled},
		{"chunked in quotes", head + "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n" + smuggled},
		{"chunked folded", head + "Transfer-Encoding:\r\n chunked\r\n" + length + "\r\n0\r\n\r\n" + smuggled},
		{"chunked in HTTP/1.0", "POST /api/v1/read HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n" + chunked + length + "\r\n0\r\n\r\n" + smuggled},
		{"CR alone as the end of a line", "POST /api/v1/read HTTP/1.1\rHost: a\rContent-Length: 0\r\r" + smuggled},
		{"a CR in a name", head + "Content-Length\r: 0\r\n\r\n" + smuggled},
		{"a NUL in a name", head + "Content-Length\x00: 0\r\n\r\n" + smuggled},
		{"a chunk's size with a sign", head + chunked + "\r\n+0\r\n\r\n" + smuggled},
		{"a chunk's size with 0x", head + chunked + "\r\n0x0\r\n\r\n" + smuggled},
		{"a chunk's size beyond int64", head + chunked + "\r\nffffffffffffffff0\r\nx\r\n" + smuggled},
		{"a chunk's size with a blank", head + chunked + "\r\n 0\r\n\r\n" + smuggled},
		{"a chunk longer than its size", head + chunked + "\r\n1\r\nxyz\r\n0\r\n\r\n" + smuggled},
		{"a chunk without CR LF", head + chunked + "\r\n1\r\nx0\r\n\r\n" + smuggled},
		{"a bare LF in an extension", head + chunked + "\r\n2;\n" + "xx\r\n2d\r\n0\r\n\r\n" + smuggled},
		{"a bare CR in a chunk's line", head + chunked + "\r\n0\r;\r\n\r\n" + smuggled},
		{"an LF as the end of a chunk's data", head + chunked + "\r\n1\r\nx\n0\r\n\r\n" + smuggled},
		{"a negative chunk", head + chunked + "\r\n-1\r\n\r\n" + smuggled},
		{"an empty chunk's size", head + chunked + "\r\n\r\n\r\n" + smuggled},
		{"a trailer with a length", head + "Trailer: Content-Length\r\n" + chunked + "\r\n0\r\nContent-Length: 44\r\n\r\n" + smuggled},
	}
	served := 0
	for _, row := range rows {
		before := h.reached.Load()
		k := say(h.addr, row.bytes, 300*time.Millisecond)
		first := "closed"
		if len(k.statuses) > 0 {
			first = fmt.Sprint(k.statuses[0])
		}
		got[first]++
		if n := h.reached.Load() - before; n > 0 {
			served++
			t.check(false, "%s: %d smuggled requests were served: %s", row.name, n, k)
		}
		t.check(k.onlyRefused(200, 501), "%s: answered %s", row.name, k)
	}
	t.measure("%d attacks: first answers %s; %d smuggled requests served", len(rows), counts(got), served)
	// A body that nobody has read must not become a request either.
	for name, bytes := range map[string]string{
		"GET with a body":            "GET /api/v1/open HTTP/1.1\r\nHost: a\r\nContent-Length: " + fmt.Sprint(len(smuggled)) + "\r\n\r\n" + smuggled,
		"a refused POST with a body": "POST /api/v1/open HTTP/1.1\r\nHost: a\r\nContent-Length: " + fmt.Sprint(len(smuggled)) + "\r\n\r\n" + smuggled,
		"a body beyond MaxBody":      "POST /api/v1/read HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n" + strings.Repeat(smuggled, 3_000_000/len(smuggled)),
		"Expect: 100-continue":       "POST /api/v1/open HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: " + fmt.Sprint(len(smuggled)) + "\r\n\r\n" + smuggled,
	} {
		before := h.reached.Load()
		k := say(h.addr, bytes, 300*time.Millisecond)
		t.check(h.reached.Load() == before, "%s: the body was served as a request: %s", name, k)
	}
	t.measure("4 bodies that nobody reads: none served")
	h.forged(t)
}
