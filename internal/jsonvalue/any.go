package jsonvalue

import "encoding/json"

// Any is the document as map[string]any, []any, json.Number, string, bool and nil.
// Numbers keep their digits.
func (d *Document) Any() any { return d.any(0) }

func (d *Document) any(i uint32) any {
	switch n := &d.nodes[i]; n.kind {
	case kindTrue:
		return true
	case kindFalse:
		return false
	case kindNumber:
		return json.Number(d.text(i))
	case kindString:
		return d.str(i)
	case kindArray:
		list := make([]any, 0, n.size)
		for e := i + 1; e < n.next; e = d.nodes[e].next {
			list = append(list, d.any(e))
		}
		return list
	case kindObject:
		object := make(map[string]any, n.size)
		for name := i + 1; name < n.next; name = d.nodes[name].next {
			object[d.str(name)] = d.any(name + 1)
		}
		return object
	}
	return nil
}
