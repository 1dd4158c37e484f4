package main

import (
	"context"
	"net/http"
	"time"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/handler/output"
	"github.com/sallyport-go/sallyport/handler/param"
)

const noteSchema = `{
	"type": "object",
	"properties": {
		"title": {"type": "string", "minLength": 1, "maxLength": 100},
		"tags":  {"type": "array", "items": {"type": "string"}, "maxItems": 10},
		"due":   {"type": ["string", "null"], "format": "date-time"}
	},
	"required": ["title"],
	"additionalProperties": false
}`

func findInCode(n *notes) api.Handler {
	var (
		tags  = param.Query[string]("tag").Multi().Description("Notes that have all of these tags")
		page  = param.Query[int]("page").Default(1).Validate("min=1")
		since = param.Query[time.Time]("since").Format("date")
		sort  = param.Query[string]("sort").Allowed("title", "created").Default("created")
	)
	return handler.Describe(handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
		return api.JSON(http.StatusOK, n.list(tags.Get(r), since.Get(r), sort.Get(r), page.Get(r))), nil
	}), api.Description{
		Summary: "Find notes",
		Tags:    []string{"notes"},
		Params:  []api.Param{tags, page, since, sort},
		Outputs: []api.Output{output.JSON(http.StatusOK, `{"type": "array", "items": {"type": "object"}}`)},
	})
}

func createInCode(n *notes) api.Handler {
	body := param.JSON[note]("note", noteSchema).Required()
	return handler.Describe(handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
		created, err := n.add(body.Get(r))
		if err != nil {
			return nil, err
		}
		return api.JSON(http.StatusCreated, created), nil
	}), api.Description{
		Summary: "Write a note",
		Tags:    []string{"notes"},
		Params:  []api.Param{body},
		Outputs: []api.Output{output.JSON(http.StatusCreated, `{"type": "object", "required": ["id", "title"]}`)},
	})
}
