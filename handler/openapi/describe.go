package openapi

import (
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler/output"
	"github.com/sallyport-go/sallyport/handler/param"
)

const (
	mediaJSON = "application/json"
	mediaYAML = "application/yaml" // RFC 9512
	mediaText = "text/plain"
)

var format = param.Query[string]("format").Allowed("json", "yaml").Default("json").Description("Response format")

var description = api.Description{
	Summary: "Open API",
	Tags:    []string{"openapi"},
	Params:  []api.Param{format},
	Outputs: []api.Output{
		output.JSON(200, `{"type": "object"}`).Description("The OpenAPI document"),
		output.Raw(200, mediaYAML),
	},
}

// Describe is for the document itself, which it is a part of.
func (d *Document) Describe() api.Description { return description }
