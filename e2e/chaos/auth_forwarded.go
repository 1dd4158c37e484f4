package main

import (
	"context"
	"strings"
	"time"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/ipdetector"
)

// vector is a form of the fields and the address that counts.
type vector struct {
	header string
	lines  []string
	want   string // "": the peer
}

func forwarded(t *trial) {
	show := handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
		ip, err := r.ClientIP()
		return api.Text(200, ip), err
	})
	start := func(d ipdetector.Detector) *site {
		return serve(t, sallyport.Server{}, sallyport.Config{IPDetector: d}, func(dec *sallyport.ApiDecider) { dec.AddApi(api.GET("1", "ip"), show, auth.None()) })
	}
	trusted := []string{"127.0.0.1", "10.0.0.0/8", "192.168.0.0/16", "2001:db8:ff::/48"}
	const xff, fwd = "X-Forwarded-For", "Forwarded"
	sites := map[string]*site{
		xff: start(ipdetector.NewTrustedProxies(xff, trusted...)), fwd: start(ipdetector.NewTrustedProxies(fwd, trusted...)),
	}
	many := strings.TrimSuffix(strings.Repeat("10.0.0.1, ", 40), ", ")
	rows := []vector{
		{xff, []string{"203.0.113.7"}, "203.0.113.7"},
		{xff, []string{"1.1.1.1, 203.0.113.7"}, "203.0.113.7"},
		{xff, []string{"1.1.1.1", "203.0.113.7, 10.2.3.4"}, "203.0.113.7"},
		{xff, []string{" 203.0.113.7\t,  10.2.3.4 "}, "203.0.113.7"},
		{xff, []string{"203.0.113.7,, 10.2.3.4,"}, "203.0.113.7"},
		{xff, []string{"[2001:db8::7]:443"}, "2001:db8::7"},
		{xff, []string{"2001:db8::7:443"}, "2001:db8::7:443"},
		{xff, []string{"fe80::1%eth0"}, "fe80::1"},
		{xff, []string{"203.0.113.7, garbage"}, ""},
		{xff, []string{"203.0.113.07"}, ""},
		{xff, []string{"203.0.113"}, ""},
		{xff, []string{"0.0.0.0"}, ""},
		{xff, []string{"10.9.9.9, 192.168.1.1"}, "10.9.9.9"},
		{xff, []string{"2001:DB8:0:0:0:0:0:1"}, "2001:db8::1"},
		{xff, []string{"6.6.6.6, " + many}, "10.0.0.1"},
		{xff, []string{"::ffff:203.0.113.7"}, "203.0.113.7"},
		{xff, []string{"203.0.113.7, unknown"}, ""},
		{xff, []string{"\"203.0.113.7\""}, ""},
		{fwd, []string{"for=203.0.113.43"}, "203.0.113.43"},
		{fwd, []string{"for=192.0.2.43, for=198.51.100.17"}, "198.51.100.17"},
		{fwd, []string{"for=192.0.2.43", "for=198.51.100.17;by=10.0.0.1"}, "198.51.100.17"},
		{fwd, []string{"for=192.0.2.43, for=_gazonk"}, ""},
		{fwd, []string{`for="192.0.2.43:47011"`}, "192.0.2.43"},
		{fwd, []string{`for="192.0.2.43:_p1"`}, "192.0.2.43"},
		{fwd, []string{"for=[2001:db8::1]"}, ""},
		{fwd, []string{`for="1.2.3.4, for=198.51.100.17`}, ""},
		{fwd, []string{`for=198.51.100.17;ext="a, for=6.6.6.6"`}, "198.51.100.17"},
		{fwd, []string{"for=192.0.2.43;for=198.51.100.17"}, ""},
		{fwd, []string{"for=192.0.2.43, proto=https"}, ""},
		{fwd, []string{`For="[2001:db8:cafe::17]:4711"`}, "2001:db8:cafe::17"},
		{fwd, []string{"for=6.6.6.6;by=x y, for=198.51.100.17"}, ""},
	}
	n := 0
	for _, row := range rows {
		var fields []string
		for _, line := range row.lines {
			fields = append(fields, row.header, line)
		}
		// What another header says does not matter.
		for name, value := range map[string]string{xff: "6.6.6.6", fwd: "for=6.6.6.6", "X-Real-IP": "6.6.6.6", "CF-Connecting-IP": "6.6.6.6", "True-Client-IP": "6.6.6.6", "X-Client-IP": "6.6.6.6"} {
			if name != row.header {
				fields = append(fields, name, value)
			}
		}
		want := row.want
		if want == "" {
			want = "127.0.0.1"
		}
		res, text := sites[row.header].ask(t, "/api/v1/ip", fields...)
		if t.check(res.StatusCode == 200 && text == want, "%s %q: the client is %q, not %q", row.header, row.lines, text, want) {
			n++
		}
	}
	t.measure("%d of %d lists behind a proxy as the specifications say", n, len(rows))
	var slowest time.Duration
	for header, lines := range map[string][]string{
		xff: {strings.Repeat("10.0.0.1,", 6_000), strings.Repeat(",", 60_000), strings.Repeat("[", 60_000), strings.Repeat(":", 60_000)},
		fwd: {strings.Repeat("for=10.0.0.1,", 4_500), strings.Repeat(",", 60_000), `for="` + strings.Repeat(`\\"`, 20_000), strings.Repeat("for=a;", 9_000)},
	} {
		for _, line := range lines {
			begin := time.Now()
			_, text := sites[header].ask(t, "/api/v1/ip", header, line)
			slowest = max(slowest, time.Since(begin))
			t.check(text == "127.0.0.1" || text == "10.0.0.1", "%s %.20q...: %q", header, line, text)
		}
	}
	t.check(slowest < 250*time.Millisecond, "a list of 60 KB took %s", slowest)
	t.measure("lists of 60 KB within %s", ms(slowest))
	n = 0
	for _, stranger := range []*site{start(nil), start(ipdetector.NewTrustedProxies(xff, "10.0.0.0/8")), start(ipdetector.NewHeader("X-Real-IP", "10.0.0.0/8"))} {
		for _, row := range append(rows, vector{"X-Real-IP", []string{"6.6.6.6"}, ""}) {
			var fields []string
			for _, line := range row.lines {
				fields = append(fields, row.header, line)
			}
			_, text := stranger.ask(t, "/api/v1/ip", fields...)
			if t.check(text == "127.0.0.1", "a stranger with %s %q is %q", row.header, row.lines, text) {
				n++
			}
		}
	}
	t.measure("%d forged headers of strangers without effect", n)
}
