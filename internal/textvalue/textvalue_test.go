package textvalue_test

import (
	"encoding"
	"errors"
	"math"
	"math/big"
	"net/netip"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/textvalue"
)

type (
	id    int64
	color string
	level uint8
)

// pair is a TextUnmarshaler that writes before it fails.
type pair struct{ left, right string }

func (p *pair) UnmarshalText(text []byte) error {
	p.left = "half"
	if len(text) != 2 {
		return errors.New("not two: " + string(text))
	}
	p.left, p.right = string(text[:1]), string(text[1:])
	return nil
}

func (p *pair) MarshalText() ([]byte, error) { return []byte(p.left + p.right), nil }

// set is a TextUnmarshaler by its value.
type set map[string]bool

func (s set) UnmarshalText(text []byte) error { s[string(text)] = true; return nil }

var (
	_ encoding.TextUnmarshaler = (*pair)(nil)
	_ encoding.TextUnmarshaler = set(nil)
)

func TestSet(t *testing.T) {
	type row struct {
		text string
		want any // nil: it is none of the type
	}
	for _, test := range []struct {
		of       any
		format   string
		expected string
		rows     []row
	}{
		{false, "", "boolean", []row{ // FW-194
			{"1", true}, {"true", true}, {"TRUE", true}, {"tRue", true}, // FW-196
			{"0", false}, {"false", false}, {"False", false}, // TC-180
			{"abc", nil}, {"yes", nil}, {"2", nil}, {"", nil}, {"t", nil}, {" true", nil}, {"falſe", nil}, // FW-197 TC-180
		}},
		{0, "", "integer", []row{ // FW-194 FW-200
			{"5", 5}, {"-3", -3}, {"0", 0}, // FW-198 TC-175
			{"9223372036854775807", math.MaxInt64}, {"-9223372036854775808", math.MinInt64},
			{"1.9", nil}, {"1e3", nil}, {" 5", nil}, {"5 ", nil}, {"99999999999999999999", nil}, // FW-199 TC-177
			{"+5", nil}, {"0x10", nil}, {"1_000", nil}, {"", nil}, {"-", nil}, {"abc", nil}, {"٣", nil},
		}},
		{int8(0), "", "integer", []row{{"127", int8(127)}, {"128", nil}, {"-128", int8(-128)}, {"-129", nil}}}, // FW-199
		{uint16(0), "", "integer", []row{{"65535", uint16(65535)}, {"65536", nil}, {"-1", nil}, {"+1", nil}}},
		{id(0), "", "integer", []row{{"7", id(7)}, {"x", nil}}},
		{level(0), "", "integer", []row{{"255", level(255)}, {"256", nil}}},
		{0.0, "", "float", []row{ // FW-194
			{"1.5", 1.5}, {"-2", -2.0}, {"1e3", 1000.0}, // FW-203 TC-181
			{"", nil}, {"abc", nil}, {"NaN", nil}, {"Inf", nil}, {"-inf", nil}, {"1e999", nil}, // FW-203 TC-181
			{"0x1p-2", nil}, {"1_0", nil}, {" 1", nil},
		}},
		{float32(0), "", "float", []row{{"1.5", float32(1.5)}, {"1e39", nil}}},
		{"", "", "string", []row{{"", ""}, {"a b", "a b"}, {"5", "5"}, {"é", "é"}, {"\xff", nil}}}, // FW-194 FW-204
		{color(""), "", "string", []row{{"red", color("red")}}},
		{time.Duration(0), "", "duration", []row{{"1m30s", 90 * time.Second}, {"-1h", -time.Hour}, {"5", nil}, {"", nil}}},
		{time.Time{}, "", "date-time", []row{
			{"2024-02-29T12:00:00Z", time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)},
			{"2023-02-29T12:00:00Z", nil}, {"2024-02-29T1:00:00Z", nil}, {"2024-02-29T12:00:00,5Z", nil}, {"2024-02-29", nil}, {"", nil},
			{"2024-02-29T12:00:00+24:00", nil}, {"2024-02-29T12:00:00+01:60", nil}, {"2024-02-29t12:00:00z", nil},
		}},
		{time.Time{}, "date", "date", []row{ // peer-fw 41
			{"2024-02-29", time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)}, {"2023-02-29", nil}, {"2024-02-29T12:00:00Z", nil},
		}},
		{time.Time{}, "unix", "integer", []row{
			{"86400", time.Date(1970, 1, 2, 0, 0, 0, 0, time.UTC)}, {"1.5", nil}, {"9223372036854775807", nil}, {"253402300800", nil},
		}},
		{time.Time{}, "02.01.2006", `time in the layout "02.01.2006"`, []row{ // peer-fw 41
			{"29.02.2024", time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)}, {"2024-02-29", nil},
		}},
		{netip.Addr{}, "", "ip", []row{{"::1", netip.IPv6Loopback()}, {"localhost", nil}}},
		{big.Int{}, "", "integer", []row{{"5", *big.NewInt(5)}, {"x", nil}}},
		{pair{}, "", "pair", []row{{"ab", pair{"a", "b"}}, {"abc", nil}}},
		{set{}, "", "set", []row{{"a", set{"a": true}}}},
	} {
		typ := reflect.TypeOf(test.of)
		c, err := textvalue.New(typ, test.format)
		require.NoError(t, err)
		require.Equal(t, test.expected, c.Expected())
		for _, row := range test.rows {
			dst := reflect.New(typ).Elem()
			ok := c.Set(dst, row.text)
			if row.want == nil {
				require.False(t, ok, "%v %q", typ, row.text)
				require.True(t, dst.IsZero(), "%v %q", typ, row.text)
				continue
			}
			require.True(t, ok, "%v %q", typ, row.text)
			require.Equal(t, reflect.ValueOf(row.want).Convert(typ).Interface(), dst.Interface(), "%v %q", typ, row.text)
		}
	}
}

func TestText(t *testing.T) {
	for _, row := range []struct {
		value  any
		format string
		text   string
	}{
		{true, "", "true"},
		{int8(-3), "", "-3"},
		{uint64(math.MaxUint64), "", "18446744073709551615"},
		{float32(0.1), "", "0.1"},
		{"a", "", "a"},
		{90 * time.Second, "", "1m30s"},
		{time.Date(2024, 2, 29, 12, 0, 0, 5e8, time.UTC), "", "2024-02-29T12:00:00.5Z"},
		{time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC), "date", "2024-02-29"},
		{time.Unix(5, 0), "unix", "5"},
		{netip.IPv6Loopback(), "", "::1"},
		{pair{"a", "b"}, "", "ab"},
	} {
		c, err := textvalue.New(reflect.TypeOf(row.value), row.format)
		require.NoError(t, err)
		require.Equal(t, row.text, c.Text(reflect.ValueOf(row.value)))
	}
}

func TestNewMistakes(t *testing.T) {
	for _, row := range []struct {
		of      reflect.Type
		format  string
		message string
	}{
		{reflect.TypeFor[[]string](), "", "no text is read as []string: unsupported operation"},
		{reflect.TypeFor[*int](), "", "no text is read as *int: unsupported operation"},
		{reflect.TypeFor[*netip.Addr](), "", "no text is read as *netip.Addr: unsupported operation"},
		{reflect.TypeFor[struct{}](), "", "no text is read as struct {}: unsupported operation"},
		{reflect.TypeFor[any](), "", "no text is read as interface {}: unsupported operation"},
		{nil, "", "no text is read as <nil>: unsupported operation"},
		{reflect.TypeFor[string](), "date", `format "date": only time.Time has formats`},
		{reflect.TypeFor[time.Time](), "dat", `format "dat": it is neither "date-time", "date" nor "unix", and as a layout of package time it holds no time`},
		{reflect.TypeFor[time.Time](), "2006 12", `format "2006 12": not all times in this layout can be read`},
	} {
		_, err := textvalue.New(row.of, row.format)
		require.EqualError(t, err, row.message)
	}
}

// What is written is read as the same again.
func FuzzText(f *testing.F) {
	for _, text := range []string{"", "1", "-3", "+5", "true", "1.5", "1e3", "NaN", "0x1", "1m30s", "2024-02-29T12:00:00Z", "2024-02-29", "::1", "\xff", " 5"} {
		f.Add(text)
	}
	var codecs []*textvalue.Codec
	var types []reflect.Type
	for _, of := range []any{false, 0, int8(0), uint8(0), 0.0, float32(0), "", time.Duration(0), netip.Addr{}} {
		c, err := textvalue.New(reflect.TypeOf(of), "")
		require.NoError(f, err)
		codecs, types = append(codecs, c), append(types, reflect.TypeOf(of))
	}
	for _, format := range []string{"date-time", "date", "unix"} {
		c, err := textvalue.New(reflect.TypeFor[time.Time](), format)
		require.NoError(f, err)
		codecs, types = append(codecs, c), append(types, reflect.TypeFor[time.Time]())
	}
	f.Fuzz(func(t *testing.T, text string) {
		for i, c := range codecs {
			v, again := reflect.New(types[i]).Elem(), reflect.New(types[i]).Elem()
			if !c.Set(v, text) {
				require.True(t, v.IsZero())
				continue
			}
			require.True(t, c.Set(again, c.Text(v)), "%v %q", types[i], text)
			require.Equal(t, c.Text(v), c.Text(again))
		}
	})
}
