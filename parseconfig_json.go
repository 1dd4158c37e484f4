package sallyport

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// isJSON tells JSON that begins with an object from YAML. Most of JSON is YAML,
// but not its escapes \/ and \ud83d\ude00, and no key of more than 1,024
// characters.
func isJSON(data []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) && json.Valid(data)
}

// jsonReader makes the nodes that the YAML parser would make.
type jsonReader struct {
	data    []byte
	decoder *json.Decoder
	offset  int // where at is
	at      position
}

// parseJSON expects data that is valid.
func parseJSON(data []byte) (*yaml.Node, *fault) {
	r := jsonReader{data: data, decoder: json.NewDecoder(bytes.NewReader(data)), at: position{1, 1}}
	r.decoder.UseNumber()
	root, err := r.node()
	if f := (*fault)(nil); errors.As(err, &f) {
		return nil, f
	} else if err != nil {
		return nil, &fault{at: r.at, err: err}
	}
	return root, nil
}

// node reads the next value, or the end of a list or map, which is nil.
func (r *jsonReader) node() (*yaml.Node, error) {
	between := r.data[r.decoder.InputOffset():]
	r.advance(len(r.data) - len(bytes.TrimLeft(between, " \t\r\n,:")))
	n := &yaml.Node{Kind: yaml.ScalarNode, Line: r.at.line, Column: r.at.column}
	token, err := r.decoder.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case json.Delim:
		return r.collection(n, t)
	case string:
		if lost := strings.Count(t, "\ufffd") - countReplacements(r.data[r.offset:r.decoder.InputOffset()]); lost > 0 {
			return nil, &fault{at: r.at, err: errors.New("half of a surrogate pair")}
		}
		n.Tag, n.Value, n.Style = "!!str", t, yaml.DoubleQuotedStyle
	case json.Number:
		n.Tag, n.Value = "!!int", t.String()
		if strings.ContainsAny(n.Value, ".eE") {
			n.Tag = "!!float"
		}
	case bool:
		n.Tag, n.Value = "!!bool", "false"
		if t {
			n.Value = "true"
		}
	case nil:
		n.Tag, n.Value = "!!null", "null"
	}
	return n, nil
}

// countReplacements counts what a text has of U+FFFD, which is also what the
// decoder makes of half a surrogate pair.
func countReplacements(text []byte) int {
	return bytes.Count(text, []byte("\ufffd")) + bytes.Count(bytes.ToLower(text), []byte(`\ufffd`))
}

func (r *jsonReader) collection(n *yaml.Node, begin json.Delim) (*yaml.Node, error) {
	switch begin {
	case '{':
		n.Kind, n.Tag, n.Style = yaml.MappingNode, "!!map", yaml.FlowStyle
	case '[':
		n.Kind, n.Tag, n.Style = yaml.SequenceNode, "!!seq", yaml.FlowStyle
	default:
		return nil, nil
	}
	for {
		item, err := r.node()
		if item == nil || err != nil {
			return n, err
		}
		n.Content = append(n.Content, item)
	}
}

// advance counts lines, and columns in characters, from 1.
func (r *jsonReader) advance(to int) {
	passed := r.data[r.offset:to]
	r.offset = to
	if lines := bytes.Count(passed, []byte("\n")); lines > 0 {
		r.at = position{r.at.line + lines, 1}
		passed = passed[bytes.LastIndexByte(passed, '\n')+1:]
	}
	r.at.column += utf8.RuneCount(passed)
}
