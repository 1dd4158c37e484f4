package main

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/sallyport-go/sallyport"
)

var http2Scenarios = []scenario{
	{name: "http2/rapid reset", promise: "handlers at the same time stay below 1000, the heap grows by at most 64 MiB, others are served", run: rapidReset},
	{name: "http2/floods of frames", promise: "each flood ends with its connection or is answered; the heap grows by at most 64 MiB, others are served", run: frameFloods},
	{name: "http2/forged fields", promise: "a stream error or a 4xx, no line of the log forged", run: forgedFields},
}

// h2 is a connection that writes frames as it likes.
type h2 struct {
	*http2.Framer
	conn net.Conn
	buf  bytes.Buffer
	enc  *hpack.Encoder
	next uint32

	statuses map[string]int
	resets   map[http2.ErrCode]int
	goAway   string
	ended    chan struct{} // nothing comes any more
}

func dialH2(t *trial, addr string, settings ...http2.Setting) *h2 {
	c, err := connect(addr)
	t.must(err)
	_ = c.SetDeadline(time.Now().Add(15 * time.Second))
	h := &h2{conn: c, next: 1, statuses: map[string]int{}, resets: map[http2.ErrCode]int{}, ended: make(chan struct{})}
	t.Cleanup(func() { _ = c.Close(); <-h.ended })
	h.Framer = http2.NewFramer(c, c)
	h.enc = hpack.NewEncoder(&h.buf)
	_, err = io.WriteString(c, http2.ClientPreface)
	t.must(err)
	t.must(h.WriteSettings(settings...))
	go h.read()
	return h
}

func (h *h2) read() {
	defer close(h.ended)
	decoder := hpack.NewDecoder(4096, func(f hpack.HeaderField) {
		if f.Name == ":status" {
			h.statuses[f.Value]++
		}
	})
	for {
		f, err := h.ReadFrame()
		if err != nil {
			if isTimeout(err) {
				h.goAway = "still open"
			}
			return
		}
		switch f := f.(type) {
		case *http2.HeadersFrame:
			_, _ = decoder.Write(f.HeaderBlockFragment())
		case *http2.RSTStreamFrame:
			h.resets[f.ErrCode]++
		case *http2.GoAwayFrame:
			h.goAway = f.ErrCode.String()
		}
	}
}

// end waits for the server to close the connection, or closes it after a time.
func (h *h2) end(patience time.Duration) string {
	closed := "closed by the server"
	select {
	case <-h.ended:
	case <-time.After(patience):
		closed = "left open"
		_ = h.conn.Close()
		<-h.ended
	}
	if h.goAway != "" {
		closed += " with " + h.goAway
	}
	return closed
}

func (h *h2) block(path string, fields ...string) []byte {
	h.buf.Reset()
	for _, f := range [][2]string{{":method", "GET"}, {":scheme", "http"}, {":authority", "a"}, {":path", path}} {
		_ = h.enc.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]})
	}
	for i := 0; i+1 < len(fields); i += 2 {
		_ = h.enc.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	return bytes.Clone(h.buf.Bytes())
}

// open sends a request and returns its stream.
func (h *h2) open(path string, fields ...string) (uint32, error) {
	id := h.next
	h.next += 2
	return id, h.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: h.block(path, fields...), EndStream: true, EndHeaders: true})
}

func rapidReset(t *trial) {
	h := startTarget(t, sallyport.Server{H2C: true}, sallyport.Config{})
	grown := watchMemory()
	beside := h.honest(t)
	n := pick(t, 20_000, 200_000)
	c := dialH2(t, h.addr)
	begin, sent := time.Now(), 0
	for range n {
		id, err := c.open("/api/v1/slow")
		if err == nil {
			err = c.WriteRSTStream(id, http2.ErrCodeCancel)
		}
		if err != nil {
			break
		}
		sent++
	}
	how := c.end(2 * time.Second)
	t.within(2*time.Second, "the handlers have ended", func() bool { return h.running.Load() == 0 })
	t.check(h.most.Load() < 1000, "%d handlers ran at the same time", h.most.Load())
	t.measure("%d streams in %.1f s, then %s; at most %d handlers at the same time", sent, time.Since(begin).Seconds(), how, h.most.Load())
	t.measure("%s", beside())
	g := grown()
	t.check(g < 64<<20, "the heap grew by %s", mib(g))
	t.measure("heap +%s", mib(g))
	t.measure("%s", h.forged(t))
}

var errEnough = errors.New("enough was sent")

func frameFloods(t *trial) {
	s := impatientReads(2 * time.Second)
	h := startTarget(t, s, sallyport.Config{})
	grown := watchMemory()
	beside := h.honest(t)
	most := pick(t, 32<<20, 256<<20)
	junk := bytes.Repeat([]byte{0}, 16<<10)
	for _, row := range []struct {
		name  string
		flood func(c *h2, add func(n int) error) error
	}{
		{"CONTINUATION", func(c *h2, add func(n int) error) error {
			_ = c.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: c.block("/api/v1/open")})
			field := c.literal("x-a", strings.Repeat("a", 8<<10))
			for {
				if err := errors.Join(c.WriteContinuation(1, false, field), add(len(field))); err != nil {
					return err
				}
			}
		}},
		{"empty CONTINUATION", func(c *h2, add func(n int) error) error {
			_ = c.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: c.block("/api/v1/open")})
			for {
				if err := errors.Join(c.WriteContinuation(1, false, nil), add(9)); err != nil {
					return err
				}
			}
		}},
		{"PING", func(c *h2, add func(n int) error) error {
			for {
				if err := errors.Join(c.WritePing(false, [8]byte{}), add(17)); err != nil {
					return err
				}
			}
		}},
		{"SETTINGS", func(c *h2, add func(n int) error) error {
			for {
				if err := errors.Join(c.WriteSettings(), add(9)); err != nil {
					return err
				}
			}
		}},
		{"PRIORITY", func(c *h2, add func(n int) error) error {
			for id := uint32(1); ; id += 2 {
				if err := errors.Join(c.WritePriority(id, http2.PriorityParam{Weight: 1}), add(14)); err != nil {
					return err
				}
			}
		}},
		{"unknown frames", func(c *h2, add func(n int) error) error {
			for {
				if err := errors.Join(c.WriteRawFrame(0xee, 0, 0, junk), add(len(junk))); err != nil {
					return err
				}
			}
		}},
		{"empty DATA", func(c *h2, add func(n int) error) error {
			c.buf.Reset()
			for _, f := range [][2]string{{":method", "POST"}, {":scheme", "http"}, {":authority", "a"}, {":path", "/api/v1/read"}} {
				_ = c.enc.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]})
			}
			_ = c.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: c.buf.Bytes(), EndHeaders: true})
			for {
				if err := errors.Join(c.WriteData(1, false, nil), add(9)); err != nil {
					return err
				}
			}
		}},
		{"WINDOW_UPDATE beyond 2^31", func(c *h2, add func(n int) error) error {
			for {
				if err := errors.Join(c.WriteWindowUpdate(0, 1<<31-1), add(13)); err != nil {
					return err
				}
			}
		}},
		{"references to a table of 4 KiB", func(c *h2, add func(n int) error) error {
			_, _ = c.open("/api/v1/open", "x-a", strings.Repeat("a", 3900))
			for range 1000 {
				c.buf.Reset()
				block := c.block("/api/v1/open")
				block = append(block, bytes.Repeat([]byte{0x80 | 62}, 15<<10)...) // x-a 15,000 times
				id := c.next
				c.next += 2
				err := c.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: block, EndStream: true, EndHeaders: true})
				if err := errors.Join(err, add(len(block))); err != nil {
					return err
				}
			}
			return errEnough
		}},
		{"500 large answers that are not read", func(c *h2, add func(n int) error) error {
			for range 500 {
				_, err := c.open("/api/v1/big")
				if err := errors.Join(err, add(100)); err != nil {
					return err
				}
			}
			return errEnough
		}},
	} {
		var settings []http2.Setting
		if row.name == "500 large answers that are not read" {
			settings = append(settings, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
		}
		c := dialH2(t, h.addr, settings...)
		sent := 0
		begin := time.Now()
		err := row.flood(c, func(n int) error {
			if sent += n; sent > most || time.Since(begin) > 3*time.Second {
				return errEnough
			}
			return nil
		})
		how := c.end(5 * time.Second)
		stopped := "answered"
		if !errors.Is(err, errEnough) {
			stopped = "cut"
		}
		t.measure("%s: %s after %s, %s", row.name, stopped, mib(int64(sent)), how)
	}
	t.measure("%s", beside())
	g := grown()
	t.check(g < 64<<20, "the heap grew by %s", mib(g))
	t.measure("heap +%s", mib(g))
	h.forged(t)
}

// literal is a field that is not put into the table.
func (h *h2) literal(name, value string) []byte {
	h.buf.Reset()
	_ = h.enc.WriteField(hpack.HeaderField{Name: name, Value: value, Sensitive: true})
	return bytes.Clone(h.buf.Bytes())
}

func forgedFields(t *trial) {
	h := startTarget(t, sallyport.Server{H2C: true}, sallyport.Config{TrustRequestID: true})
	n := 0
	statuses, resets := map[string]int{}, map[http2.ErrCode]int{}
	ask := func(path string, fields ...string) {
		c := dialH2(t, h.addr)
		_, err := c.open(path, fields...)
		t.must(err)
		time.Sleep(5 * time.Millisecond)
		_ = c.WritePing(false, [8]byte{1})
		c.end(20 * time.Millisecond)
		n++
		for s, times := range c.statuses {
			statuses[s] += times
			t.check(s[0] == '4' || s == "200", "%q %q: %s", path, fields, s)
		}
		for code, times := range c.resets {
			resets[code] += times
		}
	}
	for _, control := range []string{"\r\n", "\n", "\r", "\x00", "\x1b[2J", "\x7f", "\u2028", "\xff", " "} {
		v := "x" + control + forgery
		ask("/api/v1/names/" + v)
		ask("/api/v1/query?a=" + v)
		ask("/api/v1/open", "x-a", v)
		ask("/api/v1/open", "x-"+control, "a")
		ask("/api/v1/open", "user-agent", v)
		ask("/api/v1/open", "x-request-id", "x"+control+"y")
		ask("/api/v1/admin", "authorization", "Bearer "+v)
		ask("/api/v1/open", "cookie", "a="+v)
	}
	for _, fields := range [][]string{
		{"X-Upper", "a"}, {"connection", "close"}, {"transfer-encoding", "chunked"}, {"upgrade", "h2c"}, {"te", "gzip"}, {":path", "/api/v1/admin"}, {":unknown", "a"},
		{"content-length", "5"}, {"content-length", "-1"}, {"host", "b"}, {"", "a"}, {"keep-alive", "1"}, {"proxy-connection", "x"},
	} {
		ask("/api/v1/open", fields...)
	}
	for _, path := range []string{"", "*", "admin", "//a/api/v1/admin", "http://a/api/v1/admin", "/api/v1/admin", "/api/v1/names/../admin"} {
		ask(path)
	}
	t.check(h.reached.Load() == 0, "the secret was reached")
	t.measure("%d requests: answers %s; streams reset %v", n, counts(statuses), resets)
	t.measure("%s", h.forged(t))
}
