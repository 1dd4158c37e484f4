package openapi_test

import (
	"context"
	"mime/multipart"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/handler/param"
)

func TestBodies(t *testing.T) {
	for name, tc := range map[string]struct {
		params []api.Param
		want   string
	}{
		"JSON": {[]api.Param{param.JSON[any]("b", `{"type":"object","properties":{}}`).Required().Description("B").Example(`{"a":0}`)}, // FW-308, FW-337
			`{"description":"B","required":true,"content":{"application/json":{"schema":{"type":"object","properties":{}},"example":{"a":0}}}}`},
		"JSON with several examples": {[]api.Param{param.JSON[any]("b", "").NamedExample("one", "1").NamedExample("none", "null")}, // FW-322
			`{"content":{"application/json":{"schema":{},"examples":{"one":{"value":1},"none":{"value":null}}}}}`},
		"raw": {[]api.Param{param.Raw("b").Description("text")}, // FW-309
			`{"description":"text","content":{"text/plain":{"schema":{"type":"string"}}}}`},
		"raw of a media type": {[]api.Param{param.Raw("b").MediaTypes("image/png", "text/csv")},
			`{"content":{"image/png":{"schema":{}},"text/csv":{"schema":{"type":"string"}}}}`},
		"a form": {[]api.Param{param.Form[string]("a").Required().Example("x").Description("A"), param.Form[int]("n")}, // FW-310, FW-406
			`{"required":true,"content":{"application/x-www-form-urlencoded":{"schema":{"type":"object","required":["a"],"properties":{
				"a":{"type":"string","description":"A"},"n":{"type":"integer","format":"int64"}}},"example":{"a":"x"}}}}`},
		"several": {[]api.Param{param.Form[string]("tags").Multi().Required()}, // FW-310, TC-220
			`{"required":true,"content":{"application/x-www-form-urlencoded":{"schema":{"type":"object","required":["tags[]"],"properties":{
				"tags[]":{"type":"array","items":{"type":"string"}}}}}}}`},
		"a file": {[]api.Param{param.File("f").Description("F").MediaTypes("image/*").MaxSize(100), param.File("g").Multi()}, // FW-311, FW-312, FW-405
			`{"required":true,"content":{"multipart/form-data":{"schema":{"type":"object","properties":{
				"f":{"type":"string","format":"binary","description":"F\nAt most 100 bytes."},
				"g[]":{"type":"array","items":{"type":"string","format":"binary"}}}},"encoding":{"f":{"contentType":"image/*"}}}}}`},
		"all at once": { // FW-313, TC-219, FW-406
			[]api.Param{param.JSON[any]("b", ""), param.Raw("r"), param.Form[string]("a"), param.File("f"), param.Query[string]("q")},
			`{"required":true,"content":{"application/json":{"schema":{}},"text/plain":{"schema":{"type":"string"}},
				"multipart/form-data":{"schema":{"type":"object","properties":{"a":{"type":"string"},"f":{"type":"string","format":"binary"}}}}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			_, op := one(t, api.PUT("1", "a"), api.Description{Params: tc.params})
			op.requireJSON(t, tc.want, "put", "requestBody")
			require.Contains(t, names(op.at("put", "responses")), "413")
		})
	}
}

type author struct {
	Name string `json:"name" validate:"required,max=80"`
}

type newBook struct {
	Title  string  `json:"title" validate:"required,min=1" description:"On the cover"`
	Author *author `json:"author" validate:"required"`
	Shelf  string  `query:"shelf"`
}

type book struct {
	ID     string  `json:"id"`
	Author *author `json:"author,omitempty"`
}

type upload struct {
	Cover *multipart.FileHeader `file:"cover" validate:"required" accept:"image/png"`
	Title string                `form:"title"`
}

// The types of a typed handler become components.
func TestTypedBodies(t *testing.T) {
	d := program{register: func(d *sallyport.ApiDecider) {
		d.AddApi(api.POST("1", "books"), handler.Typed(func(context.Context, newBook) (api.Reply[book], error) { return api.Reply[book]{}, nil }), open)
		d.AddApi(api.PUT("1", "books"), handler.Typed(func(context.Context, newBook) (*[]book, error) { return nil, nil }), open)
		d.AddApi(api.PUT("1", "cover"), handler.Typed(func(context.Context, upload) (struct{}, error) { return struct{}{}, nil }), open)
	}}.read(t)
	d.requireJSON(t, `{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/NewBook"}}}}`, "paths", "/v1/books", "post", "requestBody")
	d.requireJSON(t, `{"type":"object","required":["title","author"],"properties":{
		"title":{"type":"string","minLength":1,"description":"On the cover"},
		"author":{"anyOf":[{"$ref":"#/components/schemas/AuthorInput"},{"type":"null"}]}}}`, "components", "schemas", "NewBook")
	d.requireJSON(t, `{"type":"object","required":["name"],"properties":{"name":{"type":"string","maxLength":80}}}`, "components", "schemas", "AuthorInput")
	d.requireJSON(t, `{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}}`, "components", "schemas", "Author")
	d.requireJSON(t, `{"type":"object","required":["id"],"properties":{"id":{"type":"string"},"author":{"$ref":"#/components/schemas/Author"}}}`, "components", "schemas", "Book")
	d.requireJSON(t, `{"description":"Success","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Book"}}}}`, "paths", "/v1/books", "post", "responses", "2XX")
	d.requireJSON(t, `{"type":"array","items":{"$ref":"#/components/schemas/Book"}}`, "paths", "/v1/books", "put", "responses", "200", "content", "application/json", "schema")
	d.requireJSON(t, `{"multipart/form-data":{"schema":{"type":"object","required":["cover"],"properties":{
		"cover":{"type":"string","format":"binary"},"title":{"type":"string"}}},"encoding":{"cover":{"contentType":"image/png"}}}}`, "paths", "/v1/cover", "put", "requestBody", "content")
}
