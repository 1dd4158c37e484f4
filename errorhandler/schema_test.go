package errorhandler_test

import (
	"context"
	"encoding/json"
	"mime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/internal/schema"
)

func TestSchemasDescribeTheAnswers(t *testing.T) { // peer-fw 49
	for _, h := range ready {
		for _, kind := range allKinds() {
			f := failureOf(kind)
			f.Code = "user.taken"
			got := answerTo(t, h, f)
			mediaType, shape := h.(api.ErrorDescriber).ErrorSchema(kind)
			sent, _, err := mime.ParseMediaType(got.ContentType)
			require.NoError(t, err)
			require.Equal(t, sent, mediaType)

			compiled, err := schema.Compile(shape.JSON)
			require.NoError(t, err)
			require.Empty(t, compiled.Check(value(t, got.Body)), "%T %s: %s", h, kind, got.Body)
			require.NotEmpty(t, compiled.Check(map[string]any{}), "it describes something")
			require.Subset(t, members(t, shape.JSON), keys(t, got.Body), "%T %s: every member is described", h, kind)
		}
	}
}

func members(t *testing.T, shape json.RawMessage) []string {
	t.Helper()
	var s struct{ Properties json.RawMessage }
	require.NoError(t, json.Unmarshal(shape, &s))
	return keys(t, string(s.Properties))
}

func keys(t *testing.T, object string) (names []string) {
	t.Helper()
	for name := range value(t, object) {
		names = append(names, name)
	}
	return names
}

func value(t *testing.T, object string) (m map[string]any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(object))
	d.UseNumber()
	require.NoError(t, d.Decode(&m))
	return m
}

// A function cannot say what it answers, and is not called to find out.
func TestSchemasOfWrappers(t *testing.T) { // peer-fw 50
	never := func(context.Context, *api.Request, *api.Failure) api.Response { panic("there is no failure") }
	problem := errorhandler.ProblemDetails{}
	for name, row := range map[string]struct {
		h    api.ErrorDescriber
		like api.ErrorDescriber // nil: it cannot tell
	}{
		"Funcs without Base":  {errorhandler.Funcs{}, errorhandler.Default{}},
		"the Base of Funcs":   {errorhandler.Funcs{Base: problem, NotFound: never}, problem},
		"a function":          {errorhandler.Funcs{Base: problem, Input: never}, nil},
		"a Base that is one":  {errorhandler.Funcs{Base: errorhandler.Func(never)}, nil},
		"a Base of one's own": {errorhandler.Map{Base: silent{}}, nil},
		"Map without Base":    {errorhandler.Map{}, errorhandler.Default{}},
		"the Base of Map":     {errorhandler.Map{Base: errorhandler.Funcs{Base: problem}}, problem},
	} {
		t.Run(name, func(t *testing.T) {
			mediaType, shape := row.h.ErrorSchema(api.KindInput)
			if row.like == nil {
				require.Empty(t, mediaType)
				require.Zero(t, shape)
				return
			}
			wantType, want := row.like.ErrorSchema(api.KindInput)
			require.Equal(t, wantType, mediaType)
			require.Equal(t, want, shape)
		})
	}
}
