package sallyport_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
)

func TestConfigurators(t *testing.T) {
	inside := func(r *http.Request) bool { return r.Header.Get("X-Inside") != "" }
	query := sallyport.QueryConfigurator{Guard: inside}
	for name, row := range map[string]struct {
		env            string // "-": not set
		make           func() sallyport.OutputConfigurator
		query          string
		schema, detail bool
	}{
		"off by default":        {"-", func() sallyport.OutputConfigurator { return sallyport.Switches{} }, "", false, false},              // FW-162
		"schema alone":          {"-", func() sallyport.OutputConfigurator { return sallyport.Switches{Schema: true} }, "", true, false},   // FW-161
		"detail alone":          {"-", func() sallyport.OutputConfigurator { return sallyport.Switches{Detail: true} }, "", false, true},   // FW-161
		"no environment":        {"-", func() sallyport.OutputConfigurator { return sallyport.EnvConfigurator("", "") }, "", false, false}, // FW-164
		"empty environment":     {"", func() sallyport.OutputConfigurator { return sallyport.EnvConfigurator("", "") }, "", false, false},
		"production":            {"production", func() sallyport.OutputConfigurator { return sallyport.EnvConfigurator("", "") }, "", false, false}, // FW-163
		"development":           {"dev", func() sallyport.OutputConfigurator { return sallyport.EnvConfigurator("", "") }, "", true, true},          // FW-163
		"own production":        {"live", func() sallyport.OutputConfigurator { return sallyport.EnvConfigurator("APP_ENV", "live") }, "", false, false},
		"another variable":      {"live", func() sallyport.OutputConfigurator { return sallyport.EnvConfigurator("OTHER_ENV", "live") }, "", false, false},
		"query: nothing":        {"-", func() sallyport.OutputConfigurator { return query }, "", false, false},
		"query: another":        {"-", func() sallyport.OutputConfigurator { return query }, "?a=1", false, false},
		"query: schema":         {"-", func() sallyport.OutputConfigurator { return query }, "?schema_validate=1", true, false},                     // FW-165
		"query: detail, empty":  {"-", func() sallyport.OutputConfigurator { return query }, "?error_detail", false, true},                          // FW-165
		"query: zero and false": {"-", func() sallyport.OutputConfigurator { return query }, "?schema_validate=0&error_detail=false", false, false}, // FW-165
		"query: own names": {"-", func() sallyport.OutputConfigurator {
			return sallyport.QueryConfigurator{Guard: inside, SchemaParam: "s", DetailParam: "d"}
		}, "?s=1&d=1&schema_validate=0", true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("APP_ENV", row.env)
			if row.env == "-" {
				require.NoError(t, os.Unsetenv("APP_ENV"))
			}
			c := row.make()
			r := httptest.NewRequest(http.MethodGet, "/"+row.query, nil)
			r.Header.Set("X-Inside", "1")
			require.Equal(t, row.schema, c.ValidateSchema(r))
			require.Equal(t, row.detail, c.ShowErrorDetail(r))
			r.Header.Del("X-Inside")
			if _, ok := c.(sallyport.QueryConfigurator); ok { // FW-166
				require.False(t, c.ValidateSchema(r))
				require.False(t, c.ShowErrorDetail(r))
			}
		})
	}
}

func TestAQuerySwitchNeedsAGuard(t *testing.T) { // FW-166
	p := newProgram(sallyport.Config{Output: sallyport.QueryConfigurator{}})
	_, err := sallyport.NewPresenter(p.ApiDecider)
	require.ErrorContains(t, err, "the output configurator: QueryConfigurator has no Guard: any client could switch")
}

// moody is a configurator of one's own.
type moody struct{}

func (moody) ValidateSchema(*http.Request) bool { panic("no mood") }
func (moody) ShowErrorDetail(r *http.Request) bool {
	if r.Header.Get("X-Mood") == "bad" {
		panic("no mood")
	}
	return r.Header.Get("X-Mood") == "good"
}

func TestConfiguratorsAreAskedForEachRequest(t *testing.T) { // FW-160
	p := newProgram(sallyport.Config{Output: moody{}})
	p.AddApi(api.GET("1", "a"), returns(nil, errors.New("the cause")), open)
	h := p.build(t)
	const hidden = `{"status":"error","message":"Internal server error"}`
	for mood, want := range map[string]string{
		"good": `{"status":"error","message":"Internal server error","detail":"the cause"}`,
		"bad":  hidden,
		"":     hidden,
	} {
		res := send(h, request{path: "/api/v1/a", header: http.Header{"X-Mood": {mood}}})
		require.Equal(t, http.StatusInternalServerError, res.StatusCode)
		require.Equal(t, want, body(t, res))
	}
}
