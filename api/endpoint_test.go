package api_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/ratelimit"
)

func TestEndpointIdentifier(t *testing.T) {
	type parts struct{ method, version, pkg, action, url, text, name string }
	for _, row := range []struct {
		endpoint api.EndpointIdentifier
		want     parts
	}{
		{ // FW-001, FW-003, FW-008, FW-010, TC-030
			api.NewEndpointIdentifier("POST", "1", "core", "show"),
			parts{"POST", "1", "core", "show", "v1/core/show", "POST v1/core/show", "POST.v1.core.show"},
		},
		{ // TC-031
			api.NewEndpointIdentifier("POST", "1.1", "core", "show"),
			parts{"POST", "1.1", "core", "show", "v1.1/core/show", "POST v1.1/core/show", "POST.v1.1.core.show"},
		},
		{ // TC-031
			api.NewEndpointIdentifier("POST", "1.1.2", "core", "show"),
			parts{"POST", "1.1.2", "core", "show", "v1.1.2/core/show", "POST v1.1.2/core/show", "POST.v1.1.2.core.show"},
		},
		{ // FW-002, FW-007, FW-009, TC-032
			api.NewEndpointIdentifier("get", "2", "main", ""),
			parts{"GET", "2", "main", "", "v2/main", "GET v2/main", "GET.v2.main"},
		},
		{ // RL-038
			api.POST("1", "export"),
			parts{"POST", "1", "export", "", "v1/export", "POST v1/export", "POST.v1.export"},
		},
		{
			api.GET("1", "users", "{id}"),
			parts{"GET", "1", "users", "{id}", "v1/users/{id}", "GET v1/users/{id}", "GET.v1.users.id"},
		},
		{
			api.PUT("1", "users", "{id}", "photo"),
			parts{"PUT", "1", "users", "{id}/photo", "v1/users/{id}/photo", "PUT v1/users/{id}/photo", "PUT.v1.users.id.photo"},
		},
		{
			api.PATCH("1", "shop/cart", "{path...}"),
			parts{"PATCH", "1", "shop/cart", "{path...}", "v1/shop/cart/{path...}", "PATCH v1/shop/cart/{path...}", "PATCH.v1.shop.cart.path"},
		},
		{
			api.DELETE("1", "users", ""),
			parts{"DELETE", "1", "users", "", "v1/users", "DELETE v1/users", "DELETE.v1.users"},
		},
		{ // characters that no policy name holds
			api.GET("1+b", "größe", "a b", "a...b"),
			parts{"GET", "1+b", "größe", "a b/a...b", "v1+b/größe/a b/a...b", "GET v1+b/größe/a b/a...b", "GET.v1_b.gr__e.a_b.a...b"},
		},
		{
			api.NewEndpointIdentifier("M-SEARCH", "1", "discovery", ""),
			parts{"M-SEARCH", "1", "discovery", "", "v1/discovery", "M-SEARCH v1/discovery", "M-SEARCH.v1.discovery"},
		},
	} {
		e := row.endpoint
		require.Equal(t, row.want, parts{e.Method(), e.Version(), e.Package(), e.Action(), e.URL(), e.String(), e.Name()})
		require.NoError(t, e.Validate(), e)
	}
}

func TestEndpointIdentifierVersions(t *testing.T) {
	for _, version := range []string{"0", "1", "1.0", "1.1", "1.33", "1.33-dev", "0.33.43"} { // FW-005, TC-033
		e := api.NewEndpointIdentifier("POST", version, "core", "show")
		require.NoError(t, e.Validate())
		require.Equal(t, version, e.Version())
		require.Equal(t, "v"+version+"/core/show", e.URL())
	}
}

func TestEndpointIdentifierIsComparable(t *testing.T) {
	require.Equal(t, api.POST("1", "core", "show"), api.NewEndpointIdentifier("post", "1", "core", "show")) // FW-001, FW-002
	require.Equal(t, api.GET("1", "core"), api.NewEndpointIdentifier("GET", "1", "core", ""))               // FW-007

	endpoints := map[api.EndpointIdentifier]bool{}
	texts := map[string]bool{}
	for _, e := range []api.EndpointIdentifier{ // RL-218: every part tells endpoints apart
		api.GET("1", "a"),
		api.POST("1", "a"),
		api.GET("2", "a"),
		api.GET("1", "b"),
		api.GET("1", "a", "b"),
		api.GET("1", "a.b"),
		api.GET("1", "a|b"),
		api.GET("1.a", "b"),
		api.GET("1", "a", "{b}"),
		api.GET("1", "A"),   // FW-011
		api.GET("1", "%61"), // FW-011: nothing is decoded
	} {
		require.NoError(t, e.Validate())
		endpoints[e], texts[e.String()] = true, true
	}
	require.Len(t, endpoints, 11)
	require.Len(t, texts, 11)
}

func TestEndpointIdentifierNamesMayMeet(t *testing.T) {
	first, second := api.POST("1", "a.b"), api.POST("1", "a", "b")
	require.Equal(t, first.Name(), second.Name())
	require.NotEqual(t, first.String(), second.String())
}

// Two valid identifiers have one String only when they are one method and one path.
func TestEndpointIdentifierStringIsInjective(t *testing.T) {
	segment := rapid.SampledFrom([]string{"a", "b", "a.b", "v1", "a b", "{a}", "1"})
	endpoint := rapid.Custom(func(t *rapid.T) api.EndpointIdentifier {
		return api.NewEndpointIdentifier(
			rapid.SampledFrom([]string{"GET", "GE", "T", "V1"}).Draw(t, "method"),
			rapid.SampledFrom([]string{"1", "1 v1", "1.a", "a"}).Draw(t, "version"),
			strings.Join(rapid.SliceOfN(segment, 1, 2).Draw(t, "package"), "/"),
			strings.Join(rapid.SliceOfN(segment, 0, 2).Draw(t, "action"), "/"),
		)
	}).Filter(func(e api.EndpointIdentifier) bool { return e.Validate() == nil })

	rapid.Check(t, func(t *rapid.T) {
		a, b := endpoint.Draw(t, "a"), endpoint.Draw(t, "b")
		same := a.Method() == b.Method() && a.Version() == b.Version() &&
			strings.Join(a.Segments(), "/") == strings.Join(b.Segments(), "/")
		require.Equal(t, same, a.String() == b.String())
	})
}

func TestEndpointIdentifierSegments(t *testing.T) {
	require.Equal(t, []string{"users"}, api.GET("1", "users").Segments())
	require.Equal(t, []string{"users", "{id}", "photo"}, api.GET("1", "users", "{id}", "photo").Segments())
	require.Equal(t, []string{"shop", "cart", "items"}, api.GET("1", "shop/cart", "items").Segments())
}

func TestEndpointIdentifierValidate(t *testing.T) {
	const (
		badVersion = `: write "1", "1.1", "0.13.2"`
		badName    = ": the name of a variable has letters, digits and _ and starts with no digit"
	)
	for _, row := range []struct {
		method, version, pkg, action string
		want                         string // "": it is valid
	}{
		{"GET", "1", "users", "", ""},
		{"GET", "1", "users", "{id}/{path...}", ""},
		{"GET", "1", "users", "{_i2}", ""},
		{"GET", "1", "größe", "a b", ""},

		{"GET", "1.0/dev", "users", "", `version "1.0/dev"` + badVersion}, // FW-004, TC-034
		{"GET", "v1", "users", "", `version "v1": write "1", the path gets its v by itself`},
		{"GET", "{v}", "users", "", `version "{v}"` + badVersion},
		{"GET", "1\n", "users", "", `version "1\n"` + badVersion},
		{"GET", "1\xff", "users", "", `version "1\xff"` + badVersion},
		{"GET", "", "users", "", "the version is empty" + badVersion}, // FW-006

		{"", "1", "users", "", `method "" is not an HTTP method`},           // FW-006
		{"GET X", "1", "users", "", `method "GET X" is not an HTTP method`}, // FW-006
		{"GET/", "1", "users", "", `method "GET/" is not an HTTP method`},
		{"GÉT", "1", "users", "", `method "GÉT" is not an HTTP method`},
		{"GET\x00", "1", "users", "", `method "GET\x00" is not an HTTP method`},

		{"GET", "1", "", "", "the package is empty"}, // FW-006
		{"GET", "1", "", "show", "the package is empty"},
		{"GET", "1", "/users", "", "the path has an empty segment"},
		{"GET", "1", "users/", "", "the path has an empty segment"},
		{"GET", "1", "users", "a//b", "the path has an empty segment"},
		{"GET", "1", "users", "..", `segment "..": clients and proxies resolve it away`},
		{"GET", "1", ".", "", `segment ".": clients and proxies resolve it away`},
		{"GET", "1", "us\ners", "", `segment "us\ners" has characters that are not printable`}, // FW-006
		{"GET", "1", "users", "\x7f", `segment "\x7f" has characters that are not printable`},
		{"GET", "1", "users", "\u0085", `segment "\u0085" has characters that are not printable`},
		{"GET", "1", "users", "\xff", `segment "\xff" has characters that are not printable`},

		{"GET", "1", "users", "{id}.json", `segment "{id}.json": a variable is a whole segment, {name} or {name...}`},
		{"GET", "1", "users", "{id", `segment "{id": a variable is a whole segment, {name} or {name...}`},
		{"GET", "1", "users", "id}", `segment "id}": a variable is a whole segment, {name} or {name...}`},
		{"GET", "1", "users", "{}", `segment "{}"` + badName},
		{"GET", "1", "users", "{...}", `segment "{...}"` + badName},
		{"GET", "1", "users", "{1id}", `segment "{1id}"` + badName},
		{"GET", "1", "users", "{user-id}", `segment "{user-id}"` + badName},
		{"GET", "1", "users", "{a}{b}", `segment "{a}{b}"` + badName},
		{"GET", "1", "users", "{id}/posts/{id}", `variable "id" stands twice in the path`},
		{"GET", "1", "{id}", "{id...}", `variable "id" stands twice in the path`},
		{"GET", "1", "users", "{path...}/photo", `segment "{path...}" takes the rest of the path, so it must be the last`},

		{ // all mistakes together
			"", "", "users/", "{id}/{id}",
			strings.Join([]string{
				`method "" is not an HTTP method`,
				"the version is empty" + badVersion,
				"the path has an empty segment",
				`variable "id" stands twice in the path`,
			}, "\n"),
		},
	} {
		err := api.NewEndpointIdentifier(row.method, row.version, row.pkg, row.action).Validate()
		if row.want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, row.want)
		}
	}
}

func TestVariable(t *testing.T) {
	for _, row := range []struct {
		segment, name string
		rest, ok      bool
	}{
		{"{id}", "id", false, true},
		{"{path...}", "path", true, true},
		{"{}", "", false, true},
		{"users", "", false, false},
		{"{id", "", false, false},
		{"id}", "", false, false},
		{"", "", false, false},
	} {
		name, rest, ok := api.Variable(row.segment)
		require.Equal(t, row.name, name, row.segment)
		require.Equal(t, row.rest, rest, row.segment)
		require.Equal(t, row.ok, ok, row.segment)
	}
}

// Whatever is valid has a path without empty segments, a String that gives its
// parts back, and a Name that a policy can have.
func FuzzEndpointIdentifier(f *testing.F) {
	f.Add("GET", "1", "users", "{id}/photo")
	f.Add("post", "1.33-dev", "a/b", "{path...}")
	f.Add("GET", "1...", "größe", "a...b")
	f.Add("M-SEARCH", "v 1", "%2F", "\u2028")
	f.Fuzz(func(t *testing.T, method, version, pkg, action string) {
		e := api.NewEndpointIdentifier(method, version, pkg, action)
		if e.Validate() != nil {
			return
		}
		require.NotContains(t, e.URL(), "//")
		require.False(t, strings.HasSuffix(e.URL(), "/"))

		gotMethod, url, _ := strings.Cut(e.String(), " ")
		gotVersion, path, _ := strings.Cut(url, "/")
		require.Equal(t, e.Method(), gotMethod)
		require.Equal(t, "v"+e.Version(), gotVersion)
		require.Equal(t, e.Segments(), strings.Split(path, "/"))

		require.NoError(t, ratelimit.Policy{Name: e.Name(), Limit: 1, Interval: time.Second}.Validate())
	})
}
