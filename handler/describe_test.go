package handler_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/handler/output"
)

func describe(h api.Handler) api.Description { return h.(api.Describer).Describe() }

func returning[Out any](o handler.TypedOptions) api.Handler {
	return handler.TypedWith(o, func(context.Context, struct{}) (out Out, err error) { return out, nil })
}

// What a typed handler derives of its type is a check of status and media type.
func TestTypedOutputsCheck(t *testing.T) {
	json := http.Header{"Content-Type": {"application/json; charset=utf-8"}}
	const status, noJSON, full = "Response code doesn't match", "Response is not JSON", "Response is not empty"
	var (
		usual   = returning[user](handler.TypedOptions{})
		created = returning[user](handler.TypedOptions{Status: 201})
		nothing = returning[struct{}](handler.TypedOptions{})
		reply   = returning[api.Reply[user]](handler.TypedOptions{})
		bare    = returning[api.Reply[struct{}]](handler.TypedOptions{})
	)
	for name, row := range map[string]struct {
		handler api.Handler
		answer  api.Answer
		want    string // "": it fits
	}{
		"JSON":                  {usual, api.Answer{Status: 200, Header: json}, ""},
		"problem JSON":          {usual, api.Answer{Status: 200, Header: http.Header{"Content-Type": {"application/problem+json"}}}, ""},
		"text":                  {usual, api.Answer{Status: 200, Header: http.Header{"Content-Type": {"text/plain"}}}, noJSON},
		"no media type":         {usual, api.Answer{Status: 200}, noJSON},
		"another status":        {usual, api.Answer{Status: 201, Header: json}, status},
		"not modified":          {usual, api.Answer{Status: 304}, ""},
		"the status":            {created, api.Answer{Status: 201, Header: json}, ""},
		"not the status":        {created, api.Answer{Status: 200, Header: json}, status},
		"nothing":               {nothing, api.Answer{Status: 204}, ""},
		"nothing, by 200":       {nothing, api.Answer{Status: 200}, status},
		"a reply":               {reply, api.Answer{Status: 202, Header: json}, ""},
		"a reply of failure":    {reply, api.Answer{Status: 418, Header: json}, status},
		"a reply of text":       {reply, api.Answer{Status: 202}, noJSON},
		"a bare reply":          {bare, api.Answer{Status: 202}, ""},
		"a bare reply, full":    {bare, api.Answer{Status: 202, Body: []byte("a")}, full},
		"a bare reply, partial": {bare, api.Answer{Status: 202, Partial: true}, full},
	} {
		t.Run(name, func(t *testing.T) {
			outputs := describe(row.handler).Outputs
			require.Len(t, outputs, 1)
			if got := outputs[0].Check(&row.answer); row.want == "" {
				require.Empty(t, got)
			} else {
				require.Equal(t, []string{row.want}, got)
			}
		})
	}
}

// The outputs of the author decide, and not the one that stands for none.
func TestDescribeReplacesDerivedOutputs(t *testing.T) {
	typed := returning[user](handler.TypedOptions{})
	first, second := output.JSON(200, `{"type": "object"}`), output.Text(200)
	once := handler.Describe(typed, api.Description{Outputs: []api.Output{first}})
	require.Equal(t, []api.Output{first}, describe(once).Outputs)
	require.Equal(t, []api.Output{first, second}, describe(handler.Describe(once, api.Description{Outputs: []api.Output{second}})).Outputs)
	require.Equal(t, describe(typed).Outputs, describe(handler.Describe(typed, api.Description{Summary: "S"})).Outputs)
	require.Len(t, describe(typed).Outputs, 1, "the typed handler keeps its own")
}

// circle unwraps to whatever it is told to.
type circle struct {
	handler.AlwaysOk
	inner api.Handler
}

func (c *circle) Unwrap() api.Handler { return c.inner }

func TestDescribeOfWrappersWithoutAnEnd(t *testing.T) {
	own := api.Description{Summary: "S"}
	self := &circle{}
	self.inner = self
	around := &circle{}
	around.inner = handler.Describe(around, api.Description{Tags: []string{"t"}})
	for _, h := range []api.Handler{self, around} {
		require.Equal(t, own, describe(handler.Describe(h, own)))
	}
	require.Equal(t, own, describe(handler.Describe(&circle{}, own)))
	require.Equal(t, own, describe(handler.Describe(nil, own)))
}
