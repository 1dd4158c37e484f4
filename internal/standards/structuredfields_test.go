package standards_test

import (
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/sfv"
)

// RFC 9651
var structuredFields = map[string]runner{
	"structured-fields/serialize_string": func(t *testing.T, input json.RawMessage) any {
		return text(sfv.AppendString(nil, decode[struct{ Value string }](t, input).Value))
	},
	"structured-fields/serialize_integer": func(t *testing.T, input json.RawMessage) any {
		return text(sfv.AppendInteger(nil, decode[struct{ Value int64 }](t, input).Value))
	},
	"structured-fields/serialize_key": func(t *testing.T, input json.RawMessage) any {
		return text(sfv.AppendKey(nil, decode[struct{ Value string }](t, input).Value))
	},
	"structured-fields/serialize_bytes": func(t *testing.T, input json.RawMessage) any {
		in := decode[struct {
			Value []byte `json:"value_b64"`
		}](t, input)
		return text(sfv.AppendBytes(nil, in.Value), nil)
	},
	"structured-fields/serialize_list": func(t *testing.T, input json.RawMessage) any {
		var list sfv.List
		for _, member := range decode[struct{ Items [][2]json.RawMessage }](t, input).Items {
			item := sfv.Item{Value: typed(t, member[0])}
			for _, param := range decode[[][2]json.RawMessage](t, member[1]) {
				item.Params = append(item.Params, sfv.Param{Key: decode[string](t, param[0]), Value: typed(t, param[1])})
			}
			list = append(list, item)
		}
		field, err := sfv.AppendList(nil, list)
		if err == nil && len(field) == 0 {
			return omitted
		}
		return text(field, err)
	},
	"structured-fields/parse_item": func(t *testing.T, input json.RawMessage) any {
		item, err := sfv.ParseItem([]string{decode[struct{ Raw string }](t, input).Raw})
		if err != nil {
			return refused
		}
		return answer{"type": typeName(item.Value), "value": plain(item.Value)}
	},
	"structured-fields/parse_list": func(t *testing.T, input json.RawMessage) any {
		list, err := sfv.ParseList(decode[struct{ Lines []string }](t, input).Lines)
		if err != nil {
			return refused
		}
		items := make([]answer, len(list))
		for i, member := range list {
			switch m := member.(type) {
			case sfv.Item:
				items[i] = answer{"value": plain(m.Value), "params": plainParams(m.Params)}
			case sfv.InnerList:
				values := make([]any, len(m.Items))
				for j, item := range m.Items {
					values[j] = plain(item.Value)
				}
				items[i] = answer{"value": values, "params": plainParams(m.Params)}
			}
		}
		return answer{"items": items}
	},
}

func text(out []byte, err error) any {
	if err != nil {
		return refused
	}
	return answer{"out": string(out)}
}

// typed is the bare item for a value of JSON: numbers are whole.
func typed(t *testing.T, value json.RawMessage) sfv.Value {
	t.Helper()
	switch v := decode[any](t, value).(type) {
	case string:
		return sfv.String(v)
	case bool:
		return sfv.Boolean(v)
	case float64:
		return sfv.Integer(decode[int64](t, value))
	default:
		require.Fail(t, "no bare item", "%s", value)
		return nil
	}
}

func typeName(v sfv.Value) string {
	switch v.(type) {
	case sfv.Integer:
		return "integer"
	case sfv.Decimal:
		return "decimal"
	case sfv.String:
		return "string"
	case sfv.Token:
		return "token"
	case sfv.Bytes:
		return "bytes"
	case sfv.Boolean:
		return "boolean"
	case sfv.Date:
		return "date"
	default:
		return "display string"
	}
}

// plain is a bare item as the vectors write it.
func plain(v sfv.Value) any {
	switch v := v.(type) {
	case sfv.Decimal:
		return float64(v) / 1000
	case sfv.Bytes:
		return base64.StdEncoding.EncodeToString(v)
	default:
		return v
	}
}

func plainParams(params sfv.Params) answer {
	plained := answer{}
	for _, p := range params {
		plained[p.Key] = plain(p.Value)
	}
	return plained
}
