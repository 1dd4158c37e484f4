package openapi

import (
	"slices"
	"strings"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/jsontree"
	"github.com/sallyport-go/sallyport/internal/typeschema"
)

// body describes the body of a request; nil when it has none. JSON, a raw body and
// a form stand side by side, each under its media type.
func (w *writer) body(e *api.Endpoint, id string) *jsontree.Object {
	var (
		contents    = &jsontree.Object{}
		description string
		required    bool
		fields      []api.Input
	)
	for _, input := range e.Inputs {
		switch input.In {
		case api.InJSON:
			schema, err := w.schema(input.Schema, typeschema.Read, id+"Body")
			w.mistake(e, err)
			for _, mediaType := range mediaTypes(input.MediaTypes, mediaJSON) {
				contents.Set(mediaType, mediaObject(schema, input.Examples))
			}
		case api.InRaw:
			for _, mediaType := range mediaTypes(input.MediaTypes, mediaText) {
				schema := &jsontree.Object{}
				if strings.HasPrefix(mediaType, "text/") {
					schema.Set("type", "string")
				}
				contents.Set(mediaType, mediaObject(schema, input.Examples))
			}
		case api.InForm, api.InFile:
			fields = append(fields, input)
			continue
		default:
			continue
		}
		required = required || input.Required
		if description == "" {
			description = input.Description
		}
	}
	if len(fields) > 0 {
		mediaType, form := formObject(fields)
		contents.Set(mediaType, form)
		required = true
	}
	if len(contents.Members) == 0 {
		return nil
	}
	body := &jsontree.Object{}
	if description != "" {
		body.Set("description", description)
	}
	body.Set("content", contents)
	if required {
		body.Set("required", true)
	}
	return body
}

// mediaTypes are those that a client can choose from, without the patterns that
// stand for a family of the first.
func mediaTypes(accepted []string, otherwise string) []string {
	list := slices.DeleteFunc(slices.Clone(accepted), func(m string) bool { return strings.Contains(m, "*+") })
	if len(list) == 0 || slices.Equal(list, []string{"*/*"}) && otherwise == mediaJSON {
		return []string{otherwise}
	}
	return list
}

func mediaObject(schema any, examples []api.Example) *jsontree.Object {
	media := jsontree.Of("schema", schema)
	addExamples(media, examples)
	return media
}

// formObject describes the fields of a form as one object. It is multipart as soon
// as there is a file.
func formObject(fields []api.Input) (mediaType string, media *jsontree.Object) {
	mediaType = "application/x-www-form-urlencoded"
	var (
		properties = &jsontree.Object{}
		encoding   = &jsontree.Object{}
		example    = &jsontree.Object{}
		required   []any
		complete   = true // the example has all that is required
	)
	for _, f := range fields {
		name := f.Name
		if f.Multi {
			name += "[]"
		}
		schema := textSchema(f)
		if f.In == api.InFile {
			mediaType = "multipart/form-data"
			schema = jsontree.Of("type", "string", "format", "binary")
			if f.Multi {
				schema = jsontree.Of("type", "array", "items", schema)
			}
			if len(f.MediaTypes) > 0 {
				encoding.Set(name, jsontree.Of("contentType", strings.Join(f.MediaTypes, ", ")))
			}
		}
		if text := describe(f); text != "" {
			schema.Set("description", text)
		}
		examples := textExamples(f)
		if len(examples) > 0 {
			example.Set(name, examples[0].Value)
		}
		properties.Set(name, schema)
		if f.Required {
			required = append(required, name)
			complete = complete && len(examples) > 0
		}
	}
	media = jsontree.Of("schema", jsontree.Of("type", "object", "properties", properties, "required", required))
	if complete && len(example.Members) > 0 {
		media.Set("example", example)
	}
	if len(encoding.Members) > 0 {
		media.Set("encoding", encoding)
	}
	return mediaType, media
}
