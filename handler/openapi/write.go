package openapi

import (
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v3"

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
	asYAML, err := yaml.Marshal(node(written))
	if err != nil {
		return nil, err
	}
	return &content{json: api.Static(mediaJSON, asJSON), yaml: api.Static(mediaYAML, asYAML)}, nil
}

// node is a tree as YAML. Texts are marked as such, so that the status 429 stays
// one.
func node(v any) *yaml.Node {
	switch v := v.(type) {
	case *jsontree.Object:
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, m := range v.Members {
			n.Content = append(n.Content, node(m.Name), node(m.Value))
		}
		return n
	case []any:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, item := range v {
			n.Content = append(n.Content, node(item))
		}
		return n
	case string:
		n := &yaml.Node{}
		n.SetString(v)
		if n.Style == 0 && !plain(v) {
			n.Style = yaml.DoubleQuotedStyle
		}
		return n
	case json.Number:
		tag := "!!int"
		if _, err := v.Int64(); err != nil {
			tag = "!!float"
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: v.String()}
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: fmt.Sprint(v)}
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
}

// plain reports whether a reader of YAML 1.1 or 1.2 takes the text for a text
// without quotes.
func plain(text string) bool {
	var v any
	err := yaml.Unmarshal([]byte(text), &v)
	s, ok := v.(string)
	return err == nil && ok && s == text
}
