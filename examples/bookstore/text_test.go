package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/apitest"
)

func TestFreeText(t *testing.T) {
	t.Setenv("APP_ENV", "test") // the answers are checked by their schemas, too
	clock := apitest.NewClock()
	p := start(t, clock)
	librarian := lina(t)
	for value, good := range map[string]bool{
		"Programming":  true,
		" Programming": true,
		"Ünal Ö 東京 \U0001F469\u200d\U0001F4BB \u0646\u0645\u06cc\u200c\u062e": true, // with joiners that nobody sees
		"100%_\\": true,
		".":       true,

		" ":                   false,
		"   ":                 false,
		"\u00a0\u3000":        false,
		"\u200b":              false,
		"\x00":                false,
		"Programming\x00":     false,
		"\x00Programming":     false,
		"The Go\nProgramming": false,
		"The Go\tProgramming": false,
		"The Go\x7f":          false,
		"The Go\u0085":        false,
		"The Go\u2028":        false,
		"The Go\u2029":        false,
	} {
		clock.Advance(time.Minute) // the limits are not the matter here
		quoted, err := json.Marshal(value)
		require.NoError(t, err)
		for _, place := range []struct{ endpoint, body, in, name string }{
			{"GET /api/v1/books?q=" + url.QueryEscape(value), "", "query", "q"},
			{"GET /api/v1/books?author=" + url.QueryEscape(value), "", "query", "author"},
			{"GET /api/v2/books?q=" + url.QueryEscape(value), "", "query", "q"},
			{"GET /api/v2/books?author=" + url.QueryEscape(value), "", "query", "author"},
			{"POST /api/v1/books", `{"isbn":"9780201633610","title":` + string(quoted) + `,"author":"a","year":2015,"priceCents":1}`, "", "/title"},
			{"POST /api/v1/books", `{"isbn":"9780201633610","title":"t","author":` + string(quoted) + `,"year":2015,"priceCents":1}`, "", "/author"},
			{"POST /api/v2/books", `{"isbn":"9780201633610","title":` + string(quoted) + `,"authors":["a"],"year":2015,"price":{"amount":1,"currency":"EUR"}}`, "", "/title"},
			{"POST /api/v2/books", `{"isbn":"9780201633610","title":"t","authors":["a",` + string(quoted) + `],"year":2015,"price":{"amount":1,"currency":"EUR"}}`, "", "/authors/1"},
		} {
			got := p.ask(t, place.endpoint, place.body, librarian...)
			if good {
				want := http.StatusOK
				if place.body != "" {
					want = http.StatusConflict // the book is there
				}
				require.Equal(t, want, got.status, "%q: %s: %s", value, place.endpoint, got.body)
				continue
			}
			fault, path := `{"detail":"Value has invalid type. Expected text.","code":"type","pointer":"#`+place.name+`"}`, place.endpoint[len("POST "):]
			if place.in != "" {
				fault, path = `{"detail":"Value has invalid type. Expected text.","code":"type","in":"query","name":"`+place.name+`"}`, place.endpoint[len("GET "):len("GET /api/v1/books")]
			}
			require.Equal(t, wrong(path, fault), got, "%q: %s", value, place.endpoint)
		}
	}
	clock.Advance(time.Minute)
	// A text that is empty, and an author that cannot be seen.
	list := "/api/v1/books"
	p.walk(
		t,
		step{"GET " + list + "?q=&author=&perPage=1&sort=price&page=7", "", nobody, answer{200, `{"books":[],"total":6}`}},
		step{"POST " + list, `{"isbn":"9781491904244","title":"t","author":"\u200b, ","year":2015,"priceCents":1}`, librarian, wrong(list, `{"detail":"A book has an author","code":"required","pointer":"#/author"}`)},
		step{"POST " + list, `{"isbn":"9781491904244","title":"t","author":"Ada,\u200b, Grace","year":2015,"priceCents":1}`, librarian, answer{201, `{"isbn":"9781491904244","title":"t","author":"Ada, Grace","year":2015,"priceCents":1,"stock":0}`}},
	)
}
