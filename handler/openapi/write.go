package openapi

import (
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/jsontree"
)

// write makes the answers of a document.
func write(tree *jsontree.Object) (*content, error) {
	asJSON, err := jsontree.Append(nil, tree)
	if err != nil {
		return nil, err
	}
	written, err := jsontree.Parse(asJSON) // with the texts that are known only now
	if err != nil {
		return nil, err
	}
	return &content{json: api.Static(mediaJSON, asJSON), yaml: api.Static(mediaYAML, appendYAML(nil, written, 0))}, nil
}
