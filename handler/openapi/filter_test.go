package openapi_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler/openapi"
)

// names are those of the members of an object.
func names(v any) []string {
	object, _ := v.(map[string]any)
	return slices.Sorted(maps.Keys(object))
}

func TestAFilterChoosesEndpoints(t *testing.T) { // FW-339
	for name, tc := range map[string]struct {
		filter []string
		want   map[string][]string
	}{
		"whole paths": { // FW-340, TC-213
			[]string{"user/list"}, map[string][]string{"/v1/user/list": {"get", "post"}}},
		"a star is one segment": { // FW-341, TC-214
			[]string{"user/*"}, map[string][]string{"/v1/user/list": {"get", "post"}}},
		"a star in between": { // FW-341, TC-214
			[]string{"user/*/x"}, map[string][]string{"/v1/user/a/x": {"get"}}},
		"a star in front": { // TC-214
			[]string{"*/list"}, map[string][]string{"/v1/user/list": {"get", "post"}}},
		"a variable": {
			[]string{"users/{id}"}, map[string][]string{"/v1/users/{id}": {"delete"}}},
		"upper case": { // TC-216
			[]string{"get USER/List"}, map[string][]string{"/v1/user/list": {"get"}}},
		"a method": {
			[]string{"POST user/list"}, map[string][]string{"/v1/user/list": {"post"}}},
		"methods": {
			[]string{"GET,POST /user/list/"}, map[string][]string{"/v1/user/list": {"get", "post"}}},
		"every method": { // FW-342
			[]string{"* user/list"}, map[string][]string{"/v1/user/list": {"get", "post"}}},
		"several": {
			[]string{"GET user/list", "DELETE users/*"}, map[string][]string{"/v1/user/list": {"get"}, "/v1/users/{id}": {"delete"}}},
	} {
		t.Run(name, func(t *testing.T) {
			d := program{document: &openapi.Document{Endpoints: tc.filter}, register: endpoints}.read(t)
			got := map[string][]string{}
			for _, path := range names(d.at("paths")) {
				got[path] = names(d.at("paths", path))
			}
			require.Equal(t, tc.want, got)
			if _, hasDelete := tc.want["/v1/users/{id}"]; hasDelete { // FW-344
				require.Equal(t, []string{"Bearer"}, names(d.at("components", "securitySchemes")))
			} else {
				require.Nil(t, d.at("components", "securitySchemes"))
			}
		})
	}
	require.Contains(t, program{document: &openapi.Document{Endpoints: []string{"users", "GET superuser/*"}}, register: endpoints}.mistakes(t),
		`the filter "users" matches no endpoint`)
}

func endpoints(d *sallyport.ApiDecider) {
	d.AddApi(api.GET("1", "user", "list"), says, open).AddApi(api.POST("1", "user", "list"), says, open)
	d.AddApi(api.GET("1", "superuser", "listing"), says, open).AddApi(api.GET("1", "user", "a", "x"), says, open)
	d.AddApi(api.DELETE("1", "users", "{id}"), says, auth.Bearer(auth.StaticTokens{"t": "*"}))
	d.AddApi(api.GET("2", "user", "list"), says, open)
}
