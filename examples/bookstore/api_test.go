package main

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/apitest"
	"github.com/sallyport-go/sallyport/internal/redistest"
)

func TestBooksOfBothVersions(t *testing.T) {
	p := start(t, apitest.NewClock())
	require.Contains(t, p.ask(t, "GET /api/v1/books/9780134190440", "").body, `"author":"Alan A. A. Donovan, Brian W. Kernighan","year":2015,"priceCents":3499`)
	require.Contains(t, p.ask(t, "GET /api/v2/books/9780134190440", "").body, `"authors":["Alan A. A. Donovan","Brian W. Kernighan"],"year":2015,"price":{"amount":3499,"currency":"EUR"}`)

	res, _ := p.send(t, "GET /api/v1/books/9780134190440", "")
	require.Equal(t, []string{`</api/v2/books/9780134190440>; rel="successor-version"`}, res.Header["Link"])
	res, _ = p.send(t, "GET /api/v2/books/9780134190440", "")
	require.Empty(t, res.Header.Get("Deprecation"))

	require.Equal(t, 404, p.ask(t, "GET /api/v2/books/9780131101630", "").status)
	require.Equal(t, 400, p.ask(t, "GET /api/v2/books/nope", "").status)
	require.Contains(t, p.ask(t, "GET /api/v3/books", "").body, `"code":"unknown_version"`)
}

func TestWhoMayDoWhat(t *testing.T) {
	p := start(t, apitest.NewClock())
	ada, reader := p.login(t, "ada"), p.login(t, "ada", "orders:read")
	for name, tc := range map[string]struct {
		endpoint string
		header   []string
		status   int
	}{
		"nobody orders":             {"POST /api/v2/orders", nobody, 401},
		"a reader does not order":   {"POST /api/v2/orders", reader, 403},
		"an order without lines":    {"POST /api/v2/orders", ada, 400},
		"a reader reads":            {"GET /api/v2/orders", reader, 200},
		"a librarian reads":         {"GET /api/v2/orders", lina(t), 200},
		"a customer adds no book":   {"POST /api/v2/books", ada, 401},
		"a librarian without a one": {"POST /api/v2/books", lina(t), 400},
		"nobody exports":            {"GET /api/v2/export", nobody, 401},
		"a partner exports":         {"GET /api/v2/export", warehouse, 200},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tc.status, p.ask(t, tc.endpoint, "", tc.header...).status)
		})
	}
}

func TestLimitsByPlanOnBothStorages(t *testing.T) {
	for name, args := range map[string][]string{"memory": nil, "Redis": {"-redis", "redis://" + redistest.Start(t).Addr}} {
		t.Run(name, func(t *testing.T) {
			p := start(t, apitest.NewClock(), args...)
			for user, limit := range map[string]int64{"ada": 20, "grace": 200} {
				token := p.login(t, user)
				res, _ := p.send(t, "GET /api/v2/orders", "", token...)
				limits := apitest.Limits(t, res.Header)
				require.Len(t, limits, 2)
				require.Equal(t, apitest.Limit{Policy: "perCustomer", Quota: limit, Window: time.Minute, Remaining: limit - 1, Reset: limits[1].Reset}, limits[1])
			}
			var statuses []int
			var last *http.Response
			for range 3 {
				last, _ = p.send(t, "GET /api/v1/export", "", warehouse...)
				statuses = append(statuses, last.StatusCode)
			}
			require.Equal(t, []int{200, 200, 429}, statuses)
			require.Equal(t, 30*time.Minute, apitest.RequireRefused(t, last, "GET.v1.export"))
		})
	}
}

func TestTheFormatOfErrors(t *testing.T) {
	for format, want := range map[string]answer{
		"problem": {404, `{"type":"about:blank","title":"Not Found","status":404,"detail":"Unknown api endpoint","instance":"/api/v2/nothing"}`},
		"default": {404, `{"status":"error","message":"Unknown api endpoint"}`},
	} {
		require.Equal(t, want, start(t, nil, "-errors", format).ask(t, "GET /api/v2/nothing", ""))
	}
}

func TestCovers(t *testing.T) {
	p := start(t, apitest.NewClock())
	const cover = " /api/v2/books/9780134190440/cover"
	require.Equal(t, 404, p.ask(t, "GET"+cover, "").status)
	for _, row := range []struct {
		mediaType, picture string
		status             int
	}{
		{"text/html", "<b>", 415}, {"image/png", "<b>", 400}, {"image/png", "", 400}, {"image/png", "\x89PNG\r\n\x1a\n", 204},
	} {
		sent := append(lina(t), "Content-Type", row.mediaType)
		require.Equal(t, row.status, p.ask(t, "PUT"+cover, row.picture, sent...).status, "%+v", row)
	}
	res, body := p.send(t, "GET"+cover, "", "Range", "bytes=1-3")
	require.Equal(t, answer{206, "PNG"}, answer{res.StatusCode, body})
	require.Equal(t, "image/png", res.Header.Get("Content-Type"))
}
