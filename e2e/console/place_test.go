package console

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler/console"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// The router takes a slash at the end, and so must the page.
func TestASlashBehindTheAddress(t *testing.T) {
	s := workshop(t)
	p := open(t, s.console()+"/")
	p.endpoint("GET v1/books")
	p.send()
	require.Equal(t, "200 OK", p.text("#status"))
	require.Equal(t, "/api/v1/books?page=1", s.last(t).URI)
}

// A console behind Basic works, also where the address has the password, and what the
// browser knows for it is no credential of the calls.
func TestAConsoleBehindBasic(t *testing.T) {
	d := sallyport.NewApiDecider(sallyport.Config{})
	ada := auth.Basic(auth.Passwords{"ada": "analytical"})
	d.AddApi(api.GET("1", "console"), &console.Console{}, ada, ratelimit.Off)
	d.AddApi(api.GET("1", "open"), reflect, auth.None())
	d.AddApi(api.GET("1", "closed"), reflect, ada)
	s := serve(t, d, nil)
	p := open(t, strings.Replace(s.console(), "://", "://ada:analytical@", 1))
	p.expectStatus(401)
	p.endpoint("GET v1/open")
	p.send()
	require.Equal(t, "200 OK", p.text("#status"))
	require.NotContains(t, s.last(t).Header, "Authorization")
	require.NotContains(t, p.text("#curl"), "analytical")
	p.endpoint("GET v1/closed")
	p.send()
	require.Equal(t, "401 Unauthorized", p.text("#status"))
	p.fill("auth:basic:user", "ada")
	p.fill("auth:basic:password", "analytical")
	p.send()
	require.Equal(t, "200 OK", p.text("#status"))
}

// Several consoles of one program, each of its version.
func TestTheConsoleOfAVersion(t *testing.T) {
	one := &console.Console{}
	d := sallyport.NewApiDecider(sallyport.Config{BasePath: "/"})
	for _, version := range []string{"1", "2.1"} {
		d.AddApi(api.GET(version, "tools", "the console"), one, auth.None(), ratelimit.Off)
		d.AddApi(api.GET(version, "books"), reflect, auth.None())
	}
	s := serve(t, d, nil)
	for _, version := range []string{"1", "2.1"} {
		p := open(t, s.URL+"/v"+version+"/tools/the%20console")
		require.ElementsMatch(t, []string{"GET v" + version + "/books", "GET v" + version + "/tools/the console"}, p.shown())
		p.endpoint("GET v" + version + "/books")
		p.send()
		require.Equal(t, "200 OK", p.text("#status"))
		require.Equal(t, "/v"+version+"/books", s.last(t).URI)
	}
}
