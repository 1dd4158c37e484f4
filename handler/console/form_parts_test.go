package console_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/handler/console"
	"github.com/sallyport-go/sallyport/handler/output"
	"github.com/sallyport-go/sallyport/handler/param"
	"github.com/sallyport-go/sallyport/ratelimit"
)

func TestBooleansAreChosen(t *testing.T) {
	nodes := form(t, takes(param.Query[bool]("dry").Default(false)), auth.None())
	options := where(nodes, func(n node) bool { return n.Tag == "option" && n.Attr["value"] != "0" })[:3]
	require.Equal(t, []string{"–", "true", "false"}, texts(options))
	require.Equal(t, map[string]string{"value": "false", "selected": "selected"}, options[2].Attr)
}

// Of a list, one control is there to begin with.
func TestControlsOfAList(t *testing.T) {
	nodes := form(t, takes(
		param.Query[string]("a").Multi(), param.Query[int]("b").Multi().Default(1, 2), param.File("c").Multi(), param.Form[string]("d").Multi().Allowed("x", "y"),
	), auth.None())
	shown := map[string][]bool{}
	for _, n := range nodes {
		name, ok := strings.CutPrefix(n.Attr["name"], "query:")
		if !ok {
			if name, ok = strings.CutPrefix(n.Attr["name"], "form:"); !ok {
				name, ok = strings.CutPrefix(n.Attr["name"], "file:")
			}
		}
		if _, hidden := n.Attr["hidden"]; ok {
			shown[name] = append(shown[name], !hidden)
		}
	}
	require.Equal(t, map[string][]bool{ // FW-371
		"a": {true, false, false, false, false}, "b": {true, true, false, false, false},
		"c": {true, false, false, false, false}, "d": {true, false, false, false, false},
	}, shown)
}

// The boxes stand where somebody may want them, and all others in one place.
func TestBoxesForEmptyValues(t *testing.T) {
	nodes := form(t, takes(
		param.Query[string]("a"), param.Query[int]("b").Required(), param.Query[bool]("c"), param.Form[string]("d").Multi(), param.File("e"), param.Form[string]("f").Allowed("x"),
	), auth.None())
	var beside, apart []string
	inMore := 0
	for _, n := range nodes {
		if hasClass("more")(n) {
			inMore = n.depth
		}
		if name, ok := strings.CutPrefix(n.Attr["name"], "omit:"); ok && inMore > 0 && n.depth > inMore {
			apart = append(apart, name)
		} else if ok {
			beside = append(beside, name)
		}
	}
	require.Equal(t, []string{"query:a", "form:d"}, beside)                     // FW-372
	require.Equal(t, []string{"query:b", "query:c", "file:e", "form:f"}, apart) // FW-372
	require.Contains(t, texts(nodes), "Do not send an empty value for B")
}

func TestNamesStandBesideLabels(t *testing.T) {
	nodes := form(t, takes(param.Query[string]("sort_By"), param.Header[string]("X-A")), auth.None())
	require.ElementsMatch(t, []string{"sort_By", "X-A"}, texts(where(nodes, hasClass("key"))))
}

func TestRulesAreHints(t *testing.T) {
	nodes := form(t, takes(
		param.Query[int]("a").Validate("min=1,max=50"),
		param.Query[string]("b").Validate("min=2").Multi().Validate("max=3"),
		param.File("c").MaxSize(1<<20),
		param.Query[string]("d").Validate("email"),
		param.Query[string]("e"),
	), auth.None())
	require.ElementsMatch(t, []string{"1 to 50", "at least 2 characters · at most 3 values", "at most 1 MiB", "an e-mail address"}, texts(where(nodes, hasClass("rules"))))
}

func TestAnswers(t *testing.T) {
	d := decider()
	d.AddApi(api.GET("1", "books"), handler.Describe(handler.AlwaysOk{}, api.Description{
		Outputs:  []api.Output{output.JSON(http.StatusOK, `{"type":"object","properties":{"product":{}}}`).Description("The *orders*"), output.Empty(http.StatusNoContent)},
		Failures: []int{404},
	}), auth.None(), ratelimit.Policy{Name: "perIp", Limit: 10, Interval: time.Minute})
	nodes := formOf(t, build(t, &console.Console{}, d), "GET v1/books")
	answers := where(nodes, hasClass("answers"))
	require.Len(t, answers, 1)
	require.Equal(t, "details", answers[0].Tag)
	var codes []string
	for _, n := range where(nodes, hasClass("code")) {
		codes = append(codes, n.Attr["data-kind"]+" "+n.Text)
	}
	require.Equal(t, []string{"2xx 200 OK", "2xx 204 No Content", "4xx 404 Not Found", "4xx 429 Too Many Requests"}, codes)
	for _, part := range []string{"application/json", "The orders", `"product"`, "A rate limit is used up: perIp 10/60s"} {
		require.Contains(t, answers[0].Text, part)
	}
}

func TestTheSuccessorIsNamed(t *testing.T) {
	old := api.Api{
		Endpoint: api.GET("1", "books"), Handler: handler.AlwaysOk{}, Authorization: auth.None(),
		Deprecated: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Successor: "2",
	}
	for all, want := range map[bool]string{
		true:  "Deprecated since 2026-01-01. Version 2 has it now: GET v2/books.",
		false: "Deprecated since 2026-01-01. Version 2 has it now.",
	} {
		d := decider()
		d.Add(old)
		d.AddApi(api.GET("2", "books"), handler.AlwaysOk{}, auth.None())
		nodes := formOf(t, build(t, &console.Console{AllVersions: all}, d), "GET v1/books")
		require.Equal(t, []string{want}, texts(where(nodes, hasClass("warning"))))
	}
}
