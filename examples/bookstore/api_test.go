package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/apitest"
)

// step is one request of a walk through the API, and its whole answer.
type step struct {
	endpoint, body string
	as             []string
	want           answer
}

func (p program) walk(t *testing.T, steps ...step) {
	t.Helper()
	for _, s := range steps {
		require.Equal(t, s.want, p.ask(t, s.endpoint, s.body, s.as...), s.endpoint+" "+s.body)
	}
}

// wrong is the problem of wrong input.
func wrong(path, faults string) answer {
	return answer{400, `{"type":"about:blank","title":"Bad Request","status":400,"detail":"wrong input","instance":"` + path + `","errors":[` + faults + `]}`}
}

func problem(status int, title, detail, path, more string) answer {
	body := `{"type":"about:blank","title":"` + title + `","status":` + map[int]string{401: "401", 403: "403", 404: "404", 409: "409", 413: "413", 415: "415"}[status] +
		`,"detail":"` + detail + `","instance":"` + path + `"` + more + `}`
	return answer{status, body}
}

func missing(path string) answer {
	return problem(404, "Not Found", "There is nothing here", path, `,"code":"missing"`)
}

// The answers are checked by their schemas, too.
func checked(t *testing.T) program {
	t.Helper()
	t.Setenv("APP_ENV", "test")
	return start(t, apitest.NewClock())
}

func TestBooksV1(t *testing.T) {
	const (
		theC        = `{"isbn":"9780131103627","title":"The C Programming Language","author":"Brian W. Kernighan, Dennis M. Ritchie","year":1988,"priceCents":5499,"stock":3}`
		theGo       = `{"isbn":"9780134190440","title":"The Go Programming Language","author":"Alan A. A. Donovan, Brian W. Kernighan","year":2015,"priceCents":3499,"stock":12}`
		yes         = `{"isbn":"9781491904244","title":"100%_\\ \"Yes\" <&>","author":"Kyle Simpson, Ünal Ö","year":2015,"priceCents":0,"stock":0}`
		list, added = "/api/v1/books", "/api/v1/books/978-1-4919-0424-4"
	)
	p := checked(t)
	librarian := lina(t)
	p.walk(
		t,
		step{"GET " + list + "?author=kernighan", "", nobody, answer{200, `{"books":[` + theC + `,` + theGo + `],"total":2}`}},
		step{"GET " + list + "?author=kernighan&sort=price", "", nobody, answer{200, `{"books":[` + theGo + `,` + theC + `],"total":2}`}},
		step{"GET " + list + "?q=programming&perPage=1&sort=-year", "", nobody, answer{200, `{"books":[` + theGo + `],"total":2}`}},
		step{"GET " + list + "?q=programming&perPage=1&sort=-year&page=2", "", nobody, answer{200, `{"books":[` + theC + `],"total":2}`}},
		step{"GET " + list + "?q=programming&page=3", "", nobody, answer{200, `{"books":[],"total":2}`}},
		step{"GET " + list + "?q=%25", "", nobody, answer{200, `{"books":[],"total":0}`}}, // no wildcard
		step{"GET " + list + "?q='%20OR%201=1%20--", "", nobody, answer{200, `{"books":[],"total":0}`}},
		step{"GET " + list + "?page=0&perPage=101&sort=stock", "", nobody, wrong(
			list,
			`{"detail":"must be one of: title, -title, price, -price, year, -year","code":"enum","in":"query","name":"sort"},`+
				`{"detail":"must be at least 1","code":"min","in":"query","name":"page"},`+
				`{"detail":"must be at most 100","code":"max","in":"query","name":"perPage"}`,
		)},
		step{"GET " + added, "", nobody, missing(added)},
		step{"GET /api/v1/books/9781491904245", "", nobody, wrong("/api/v1/books/9781491904245", `{"detail":"Value has invalid type. Expected isbn.","code":"type","in":"path","name":"isbn"}`)},

		step{"POST " + list, yes, nobody, problem(401, "Unauthorized", "Incorrect username or password", list, "")},
		step{"POST " + list, yes, basic(t, "lina", "wrong"), problem(401, "Unauthorized", "Incorrect username or password", list, "")},
		step{"POST " + list, yes, basic(t, "ada", "analytical"), problem(401, "Unauthorized", "Incorrect username or password", list, "")},
		step{"POST " + list, `{"isbn":"978-1-4919-0424-4","title":"","author":" , ","year":1}`, librarian, wrong(
			list,
			`{"detail":"must be at least 1 character long","code":"min","pointer":"#/title"},`+
				`{"detail":"must be at least 1450","code":"min","pointer":"#/year"},`+
				`{"detail":"Field is required","code":"required","pointer":"#/priceCents"}`,
		)},
		step{"POST " + list, `{"isbn":"9781491904244","title":"t","author":" , ","year":2015,"priceCents":1}`, librarian, wrong(list, `{"detail":"A book has an author","code":"required","pointer":"#/author"}`)},
		step{"POST " + list, yes, librarian, answer{201, yes}},
		step{"POST " + list, yes, librarian, problem(409, "Conflict", "It is there already", list, `,"code":"taken"`)},
		step{"GET " + added, "", nobody, answer{200, yes}},
		step{"GET " + list + "?q=100%25_%5C", "", nobody, answer{200, `{"books":[` + yes + `],"total":1}`}},
	)
	res, _ := p.send(t, "GET "+added, "")
	require.Equal(t, []string{`</api/v2/books/978-1-4919-0424-4>; rel="successor-version"`}, res.Header["Link"])
	require.Equal(t, "@1790812800", res.Header.Get("Deprecation"))
	require.Equal(t, "Fri, 01 Oct 2027 00:00:00 GMT", res.Header.Get("Sunset"))
}

func TestBooksV2(t *testing.T) {
	const (
		theC = `{"isbn":"9780131103627","title":"The C Programming Language","authors":["Brian W. Kernighan","Dennis M. Ritchie"],"year":1988,"price":{"amount":5499,"currency":"EUR"},"stock":3}`
		js   = `{"isbn":"9781491904244","title":"You Don't Know JS","authors":["Kyle Simpson"],"year":2015,"price":{"amount":1999,"currency":"EUR"},"stock":4}`
		list = "/api/v2/books"
	)
	p := checked(t)
	librarian := lina(t)
	p.walk(
		t,
		step{"GET " + list + "?author=kernighan&sort=-price&perPage=1", "", nobody, answer{200, `{"items":[` + theC + `],"total":2,"next":"/api/v2/books?author=kernighan&page=2&perPage=1&sort=-price"}`}},
		step{"GET " + list + "?minPrice=5000&maxPrice=6000", "", nobody, answer{200, `{"items":[` + theC + `],"total":1}`}},
		step{"GET " + list + "?q=nothing", "", nobody, answer{200, `{"items":[],"total":0}`}},
		step{"GET " + list + "?page=x&sort=stock", "", nobody, wrong(
			list,
			`{"detail":"Field contains not available value(s)","code":"enum","in":"query","name":"sort"},`+
				`{"detail":"Value has invalid type. Expected integer.","code":"type","in":"query","name":"page"}`,
		)},
		step{"POST " + list, strings.Replace(js, "EUR", "USD", 1), librarian, wrong(list, `{"detail":"must be one of: EUR","code":"oneof","pointer":"#/price/currency"}`)},
		step{"POST " + list, strings.Replace(js, `["Kyle Simpson"]`, `[]`, 1), librarian, wrong(list, `{"detail":"must have at least 1 item","code":"min","pointer":"#/authors"}`)},
		step{"POST " + list, js, librarian, answer{201, js}},
		step{"POST " + list, js, librarian, problem(409, "Conflict", "It is there already", list, `,"code":"taken"`)},
		step{"GET " + list + "/9781491904244", "", nobody, answer{200, js}},
		step{"GET /api/v1/books/9781491904244", "", nobody, answer{200, `{"isbn":"9781491904244","title":"You Don't Know JS","author":"Kyle Simpson","year":2015,"priceCents":1999,"stock":4}`}},
		step{"GET " + list + "/9780201835953", "", nobody, missing(list + "/9780201835953")},
	)
	res, _ := p.send(t, "GET "+list, "")
	require.Empty(t, res.Header["Deprecation"])
	require.Empty(t, res.Header["Link"])
}

func TestOrders(t *testing.T) {
	const (
		posted = `{"lines":[{"isbn":"978-0-13-419044-0","quantity":2},{"isbn":"9780201633610","quantity":1}]}`
		first  = `{"id":1,"customer":"ada","created":"2026-11-30T12:00:00Z","lines":[{"isbn":"9780134190440","quantity":2,"priceCents":3499},{"isbn":"9780201633610","quantity":1,"priceCents":4999}],"totalCents":11997}`
		second = `{"id":2,"customer":"grace","created":"2026-11-30T12:00:00Z","lines":[{"isbn":"9780131103627","quantity":1,"priceCents":5499}],"totalCents":5499}`
		list   = "/api/v2/orders"
		soldC  = `{"detail":"There are not so many copies","code":"soldOut","pointer":"#/lines/1"}`
	)
	p := checked(t)
	ada, grace, reader, librarian := p.login(t, "ada"), p.login(t, "grace"), p.login(t, "ada", "orders:read"), lina(t)
	p.walk(
		t,
		step{"GET " + list, "", ada, answer{200, `{"orders":[]}`}},
		step{"POST " + list, posted, nobody, problem(401, "Unauthorized", "Authorization header HTTP_Authorization is not set", list, "")},
		step{"POST " + list, posted, reader, problem(403, "Forbidden", "Insufficient scope", list, "")},
		step{"POST " + list, posted, ada, answer{201, first}},
		step{"POST " + list, posted, ada, problem(409, "Conflict", "Some books are sold out", list, `,"code":"soldOut","errors":[`+soldC+`]`)},
		step{"POST /api/v1/orders", `{"lines":[{"isbn":"9780131103627","quantity":1}]}`, grace, answer{201, second}},
		step{"POST " + list, `{"lines":[{"isbn":"9781491904244","quantity":1}]}`, ada, wrong(list, `{"detail":"There is no such book","code":"unknown","pointer":"#/lines/0/isbn"}`)},
		step{"POST " + list, `{"lines":[{"isbn":"9780131103627","quantity":1},{"isbn":"978-0131103627","quantity":1}]}`, ada, wrong(list, `{"detail":"must have no two equal items","code":"unique","pointer":"#/lines"}`)},
		step{"POST " + list, `{"lines":[{"isbn":"1","quantity":0}],"total":1}`, ada, wrong(
			list,
			`{"detail":"Value has invalid type. Expected isbn.","code":"type","pointer":"#/lines/0/isbn"},`+
				`{"detail":"must be at least 1","code":"min","pointer":"#/lines/0/quantity"},`+
				`{"detail":"Field is unknown","code":"unknown","pointer":"#/total"}`,
		)},
		step{"POST " + list, `lines`, append([]string{"Content-Type", "text/plain"}, ada...), problem(415, "Unsupported Media Type", "Unsupported media type", list, "")},

		step{"GET " + list, "", reader, answer{200, `{"orders":[` + first + `]}`}},
		step{"GET " + list + "/1", "", reader, answer{200, first}},
		step{"GET " + list + "/2", "", ada, missing(list + "/2")}, // it is not his
		step{"GET " + list + "/2", "", librarian, answer{200, second}},
		step{"GET " + list, "", librarian, answer{200, `{"orders":[` + second + `,` + first + `]}`}},
		step{"GET " + list + "?perPage=1&page=2", "", librarian, answer{200, `{"orders":[` + first + `]}`}},
		step{"GET " + list, "", basic(t, "lina", "wrong"), problem(401, "Unauthorized", "Incorrect username or password", list, "")},
	)
	res, _ := p.send(t, "POST /api/v1/orders", `{"lines":[{"isbn":"9780131103627","quantity":1}]}`, grace...)
	require.Equal(t, "/api/v1/orders/3", res.Header.Get("Location"))
	res, _ = p.send(t, "GET "+list, "", nobody...)
	require.Equal(t, []string{`Bearer realm="customers", Basic realm="librarians", charset="UTF-8"`}, res.Header["Www-Authenticate"])
}

func TestLogin(t *testing.T) {
	const path = "/api/v2/login"
	p := checked(t)
	p.walk(
		t,
		step{"POST " + path, "", nobody, problem(401, "Unauthorized", "Incorrect username or password", path, "")},
		step{"POST " + path, "", lina(t), problem(401, "Unauthorized", "Incorrect username or password", path, "")},
		step{"POST " + path, `{"scopes":["books:write"]}`, basic(t, "ada", "analytical"), wrong(path, `{"detail":"must be one of: orders:read, orders:write","code":"oneof","pointer":"#/scopes/0"}`)},
	)
	res, body := p.send(t, "POST "+path, "", basic(t, "ada", "analytical")...)
	require.Equal(t, 200, res.StatusCode)
	require.Regexp(t, `^\{"token":"[A-Z2-7]{26}","expires":"2026-12-01T00:00:00Z","scopes":\["orders:read","orders:write"\]\}$`, body)
	require.Equal(t, "no-store", res.Header.Get("Cache-Control"))
}

func TestCovers(t *testing.T) {
	const (
		png, jpeg = "\x89PNG\r\n\x1a\n0123456789", "\xff\xd8\xff0123"
		path      = "/api/v2/books/9780201633610/cover"
		noPath    = "/api/v2/books/9781491904244/cover"
	)
	p := checked(t)
	librarian := lina(t)
	sending := func(mediaType string) []string { return append([]string{"Content-Type", mediaType}, librarian...) }
	largest := png + strings.Repeat("x", maxCover-len(png))
	p.walk(
		t,
		step{"GET " + path, "", nobody, missing(path)},
		step{"PUT " + path, png, []string{"Content-Type", "image/png"}, problem(401, "Unauthorized", "Incorrect username or password", path, "")},
		step{"PUT " + path, png, sending("text/plain"), problem(415, "Unsupported Media Type", "Unsupported media type", path, "")},
		step{"PUT " + path, "<script>", sending("image/png"), wrong(path, `{"detail":"This is neither a PNG nor a JPEG","code":"image","pointer":"#"}`)},
		step{"PUT " + path, "", sending("image/png"), wrong(path, `{"detail":"The request needs a body","code":"required","pointer":"#"}`)},
		step{"PUT " + path, largest + "x", sending("image/png"), problem(413, "Content Too Large", "The request body is too large", path, "")},
		step{"PUT " + noPath, png, sending("image/png"), missing(noPath)},
		step{"PUT " + path, largest, sending("image/png"), answer{204, ""}},
		step{"GET " + path, "", nobody, answer{200, largest}},
		step{"PUT " + path, png, sending("image/png"), answer{204, ""}},
		step{"GET " + path, "", nobody, answer{200, png}},
		step{"GET " + path, "", []string{"Range", "bytes=1-3"}, answer{206, "PNG"}},
		step{"HEAD " + path, "", nobody, answer{200, ""}},
	)
	res, _ := p.send(t, "GET "+path, "")
	tag := res.Header.Get("Etag")
	require.Regexp(t, `^"[0-9a-f]{32}"$`, tag)
	require.Equal(t, "image/png", res.Header.Get("Content-Type"))
	require.Equal(t, "Mon, 30 Nov 2026 12:00:00 GMT", res.Header.Get("Last-Modified"))
	require.Equal(t, "no-cache", res.Header.Get("Cache-Control"))
	require.Equal(t, answer{304, ""}, p.ask(t, "GET /api/v1/books/9780201633610/cover", "", "If-None-Match", tag))

	require.Equal(t, answer{204, ""}, p.ask(t, "PUT "+path, jpeg, sending("image/jpeg")...))
	res, body := p.send(t, "GET "+path, "", "If-None-Match", tag)
	require.Equal(t, answer{200, jpeg}, answer{res.StatusCode, body})
	require.Equal(t, "image/jpeg", res.Header.Get("Content-Type"))
}

func TestExport(t *testing.T) {
	const path = "/api/v1/export"
	p := checked(t)
	p.walk(
		t,
		step{"GET " + path, "", nobody, problem(401, "Unauthorized", "API key is not set", path, "")},
		step{"GET " + path, "", []string{"X-API-Key", "guessed"}, problem(401, "Unauthorized", "Token doesn't exists or isn't active", path, "")},
	)
	res, body := p.send(t, "GET "+path, "", warehouse...)
	require.Equal(t, 200, res.StatusCode)
	require.Equal(t, "text/csv; charset=utf-8", res.Header.Get("Content-Type"))
	require.Equal(t, `isbn,title,authors,year,priceCents,stock
9780131103627,The C Programming Language,Brian W. Kernighan; Dennis M. Ritchie,1988,5499,3
9780134190440,The Go Programming Language,Alan A. A. Donovan; Brian W. Kernighan,2015,3499,12
9780135957059,The Pragmatic Programmer,David Thomas; Andrew Hunt,2019,4499,5
9780201633610,Design Patterns,Erich Gamma; Richard Helm; Ralph Johnson; John Vlissides,1994,4999,1
9780262033848,Introduction to Algorithms,Thomas H. Cormen; Charles E. Leiserson; Ronald L. Rivest; Clifford Stein,2009,8999,2
9781449373320,Designing Data-Intensive Applications,Martin Kleppmann,2017,4299,7
`, body)
}

func TestTheFormatsOfErrors(t *testing.T) {
	for format, want := range map[string][]answer{
		"problem": {
			problem(404, "Not Found", "Unknown api endpoint", "/api/v2/nothing", ""),
			missing("/api/v2/books/9781491904244"),
			wrong("/api/v2/books", `{"detail":"must be at least 1","code":"min","in":"query","name":"page"}`),
		},
		"default": {
			{404, `{"status":"error","message":"Unknown api endpoint"}`},
			{404, `{"status":"error","message":"There is nothing here","code":"missing"}`},
			{400, `{"status":"error","message":"wrong input"}`},
		},
	} {
		t.Run(format, func(t *testing.T) {
			p := start(t, apitest.NewClock(), "-errors", format)
			for i, endpoint := range []string{"GET /api/v2/nothing", "GET /api/v2/books/9781491904244", "GET /api/v2/books?page=0"} {
				require.Equal(t, want[i], p.ask(t, endpoint, ""))
			}
		})
	}
}

// The two parts of the program that stand in front of the presenter.
func TestHealth(t *testing.T) {
	p := start(t, nil)
	require.Equal(t, 200, p.ask(t, "GET /livez", "").status)
	require.Equal(t, answer{200, `{"status":"ok"}`}, p.ask(t, "GET /readyz", ""))
	for _, version := range []string{"1", "2"} {
		res, body := p.send(t, "GET /api/v"+version+"/status", "")
		require.Equal(t, answer{200, `{"status":"ok"}`}, answer{res.StatusCode, body})
		require.Empty(t, res.Header["Ratelimit"])
	}
}

// A long export sees one moment, and nobody waits for it.
func TestAnExportHoldsNobodyUp(t *testing.T) {
	s, err := openStore(t.Context(), "")
	require.NoError(t, err)
	defer s.Close()
	stock := map[isbn]int64{}
	require.NoError(t, s.eachOfAllBooks(t.Context(), func(b book) error {
		stock[b.ISBN] = b.Stock
		if len(stock) == 1 {
			_, err := s.addOrder(t.Context(), order{Customer: "ada", Created: time.Now(), Lines: []orderLine{{ISBN: goBook, Quantity: 5}}})
			return err
		}
		return nil
	}))
	require.Len(t, stock, 6)
	require.Equal(t, int64(12), stock[goBook])
	b, err := s.book(t.Context(), goBook)
	require.NoError(t, err)
	require.Equal(t, int64(7), b.Stock)
	require.ErrorIs(t, s.eachOfAllBooks(t.Context(), func(book) error { return http.ErrAbortHandler }), http.ErrAbortHandler)
}
