package sallyport_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
)

// What docs/versions.md shows.
func TestVersionsOfTheGuide(t *testing.T) {
	config := sallyport.Config{
		Versions: map[string]api.Lifecycle{
			"1": {
				Deprecated:    time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC),
				Sunset:        time.Date(2027, time.June, 30, 23, 59, 59, 0, time.UTC),
				Documentation: "https://dev.example/v1-to-v2",
				Successor:     "2",
			},
		},
	}
	decider := sallyport.NewApiDecider(config)
	listUsers, searchUsers, showUser := says, says, says

	decider.AddApi(api.GET("1", "users"), listUsers, auth.None())
	decider.AddApi(api.GET("1", "users", "{id}"), showUser, auth.None())

	decider.AddApi(api.GET("2", "users"), searchUsers, auth.None()) // another handler
	decider.CarryOver(api.GET("1", "users", "{id}"), "2")           // the same, with all that it was registered with

	report := says
	decider.Add(api.Api{
		Endpoint: api.GET("1", "report"), Handler: report, Authorization: auth.None(),
		Sunset: time.Date(2027, time.January, 1, 0, 0, 0, 0, time.UTC),
	})
	presenter, err := sallyport.NewPresenter(decider)
	require.NoError(t, err)
	header := get(presenter, "/api/v1/users/7").Header
	require.Equal(t, http.Header{
		"Deprecation": {"@1767225600"},
		"Sunset":      {"Wed, 30 Jun 2027 23:59:59 GMT"},
		"Link":        {`<https://dev.example/v1-to-v2>; rel="deprecation"; type="text/html"`, `</api/v2/users/7>; rel="successor-version"`},
	}, http.Header{"Deprecation": header["Deprecation"], "Sunset": header["Sunset"], "Link": header["Link"]})
}
