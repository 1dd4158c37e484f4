package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
)

var passedOnScenarios = []scenario{
	{name: "http/what handlers pass on", promise: "no value of a client that a handler puts into an answer becomes a field, an event, a body or a line of the log", run: passedOn},
}

// passedOn has handlers put what the client has sent into each place of an answer.
func passedOn(t *trial) {
	value := func(r *api.Request) string {
		v, err := r.QueryValues()
		if err != nil {
			return ""
		}
		return v.Get("v")
	}
	answers := map[string]func(v string) (api.Response, error){
		"redirect": func(v string) (api.Response, error) { return api.Redirect(302, v), nil },
		"header": func(v string) (api.Response, error) {
			return api.WithHeader(api.NoContent(), http.Header{"X-Mine": {v}}), nil
		},
		"name": func(v string) (api.Response, error) {
			return api.WithHeader(api.NoContent(), http.Header{v: {"1"}}), nil
		},
		"attachment": func(v string) (api.Response, error) { return api.Attachment(v, api.Text(200, "x")), nil },
		"mediatype":  func(v string) (api.Response, error) { return api.JSONAs(v, 200, 1), nil },
		"created": func(v string) (api.Response, error) {
			return api.WithHeader(api.JSON(201, 1), http.Header{"Location": {v}}), nil
		},
		"message": func(v string) (api.Response, error) { return nil, api.Error{Status: 400, Message: v} },
		"code":    func(v string) (api.Response, error) { return nil, api.Error{Status: 400, Code: v} },
		"cause":   func(v string) (api.Response, error) { return nil, fmt.Errorf("the cause: %s", v) },
		"challenge": func(v string) (api.Response, error) {
			return nil, api.Error{Status: 401, Header: http.Header{"Www-Authenticate": {v}}}
		},
		"panic": func(v string) (api.Response, error) { panic(v) },
		"event": func(v string) (api.Response, error) {
			return api.Events(func(_ context.Context, send func(api.Event) error) error { return send(api.Event{Data: v}) }), nil
		},
		"event-id": func(v string) (api.Response, error) {
			return api.Events(func(_ context.Context, send func(api.Event) error) error { return send(api.Event{ID: v, Data: "x"}) }), nil
		},
	}
	h := &target{site: serve(t, sallyport.Server{}, sallyport.Config{}, func(d *sallyport.ApiDecider) {
		for name, answer := range answers {
			d.AddApi(api.GET("1", name), handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) { return answer(value(r)) }), auth.None())
		}
	})}
	got := map[string]int{}
	n := 0
	for name := range answers {
		for _, control := range []string{"\r\n", "\n", "\r", "\x00", "\r\n\r\n", "\n\n", "\u2028", "\x1b[2J", "\"", "\\"} {
			for _, evil := range []string{"Set-Cookie: forged=1", "data: forged", "event: forged", forgery} {
				k := sayRaw(h.addr, get("/api/v1/"+name+"?v="+url.QueryEscape("/x"+control+evil)), time.Second)
				n++
				head, body, found := bytes.Cut(k, []byte("\r\n\r\n"))
				if !t.check(found && bytes.HasPrefix(head, []byte("HTTP/1.1 ")), "%s %q: no answer: %.200q", name, control, k) {
					continue
				}
				got[string(head[9:12])]++
				for _, line := range bytes.Split(head, []byte("\r\n")) {
					t.check(!bytes.ContainsAny(line, "\r\n\x00\x1b"), "%s %q: a control character in a field: %q", name, control, line)
					for _, start := range []string{"Set-Cookie", "data:", "event:", "time="} {
						t.check(!bytes.HasPrefix(line, []byte(start)), "%s %q: a forged field: %q", name, control, line)
					}
				}
				if strings.HasPrefix(name, "event") {
					for _, line := range bytes.FieldsFunc(body, func(r rune) bool { return r == '\r' || r == '\n' }) {
						t.check(!bytes.HasPrefix(line, []byte("event:")) && !bytes.HasPrefix(line, []byte("Set-Cookie")), "%s %q: a forged line of an event: %q", name, control, body)
						t.check(name == "event" || !bytes.HasPrefix(line, []byte("data: forged")), "%s %q: forged data: %q", name, control, body)
					}
					t.check(bytes.Count(body, []byte("\n\n")) <= 2, "%s %q: more than one event: %q", name, control, body)
				}
			}
		}
	}
	t.measure("%d answers: %s; %d forged", n, counts(got), len(t.broken))
	t.measure("%s", h.forged(t))
	h.errors.mu.Lock()
	defer h.errors.mu.Unlock()
	for _, l := range h.errors.lines {
		t.check(strings.HasPrefix(l.text, "time=20") && !strings.HasPrefix(l.text, "time=2026-01-01"), "a line of the error log that nobody wrote: %.300q", l.text)
	}
	t.measure("%d lines of the error log", len(h.errors.lines))
}
