package console

import (
	"context"
	"encoding/json"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/e2e/internal/program"
)

// example builds and runs a program of the repository until the test ends, and
// returns the address of its console.
func example(t *testing.T, name, version string) string {
	t.Helper()
	path, err := program.Build(t.Context(), name, t.TempDir())
	require.NoError(t, err)
	base, stop, err := program.Start(context.WithoutCancel(t.Context()), path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, stop()) })
	return base + "/api/v" + version + "/console"
}

func TestBookstore(t *testing.T) {
	address := example(t, "bookstore", "2")
	p := open(t, address)
	p.expectStatus(429, 401)

	p.write("#search", "login")
	p.endpoint("POST v2/login")
	p.fill("auth:basic:user", "ada")
	p.fill("auth:basic:password", "analytical")
	p.send()
	require.Equal(t, "200 OK", p.text("#status"))
	var login struct{ Token string }
	require.NoError(t, json.Unmarshal([]byte(p.text("#body")), &login))
	require.NotEmpty(t, login.Token)

	p.write("#search", "orders")
	p.endpoint("POST v2/orders")
	p.fill("auth:bearer", login.Token)
	p.fill("json:", `{"lines": [{"isbn": "9780134190440", "quantity": 1}]}`)
	p.send()
	require.Equal(t, "201 Created", p.text("#status"))
	p.endpoint("GET v2/orders")
	p.send()
	require.Equal(t, "200 OK", p.text("#status"), "the token is kept")
	require.Contains(t, p.text("#body"), "9780134190440")
	before := p.gauges()
	require.Equal(t, []string{"perIp", "perCustomer"}, []string{before[0].Policy, before[1].Policy})
	p.send()
	require.NotEqual(t, before[1].Remaining, p.gauges()[1].Remaining)

	p.write("#search", "export")
	p.endpoint("GET v2/export")
	p.fill("auth:apiKey:X-API-Key", "warehouse-demo-key")
	for _, want := range []string{"200 OK", "200 OK", "429 Too Many Requests"} {
		p.send()
		require.Equal(t, want, p.text("#status"))
	}
	require.True(t, p.visible("#retry-after"))

	p.write("#search", "find books")
	p.endpoint("GET v2/books")
	p.fill("query:author", "Kernighan & Ritchie")
	p.choose("query:sort", "-price")
	p.send()
	require.Equal(t, "200 OK", p.text("#status"))
	u, err := url.Parse(js[string](p, `document.querySelector("#history .url").textContent`))
	require.NoError(t, err)
	require.Equal(t, "Kernighan & Ritchie", u.Query().Get("author"))
	p.burst(120, "as fast as possible")
	require.NotEmpty(t, p.texts("#plot svg .refused"))
	require.Equal(t, "0", p.gauges()[0].Remaining)
}

func TestQuickstart(t *testing.T) {
	address := example(t, "quickstart", "1")
	p := open(t, address)
	p.expectStatus(429)
	p.endpoint("GET v1/reports")
	p.fill("auth:bearer", token)
	p.send()
	require.Equal(t, "200 OK", p.text("#status"))
	require.Len(t, p.gauges(), 2)
	p.endpoint("POST v1/export")
	p.burst(3, "")
	require.Len(t, p.texts("#plot svg .refused"), 1)
}
