package sfv_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/sfv"
)

func TestParseItemReadsValues(t *testing.T) {
	for _, tc := range []struct {
		input string
		want  sfv.Value
	}{
		{`0`, sfv.Integer(0)},
		{`-0`, sfv.Integer(0)},
		{`0042`, sfv.Integer(42)},
		{`-999999999999999`, sfv.Integer(-sfv.MaxInteger)},
		{`999999999999999`, sfv.Integer(sfv.MaxInteger)},
		{`  7  `, sfv.Integer(7)},
		{`1.5`, sfv.Decimal(1500)},
		{`-0.5`, sfv.Decimal(-500)},
		{`1.050`, sfv.Decimal(1050)},
		{`999999999999.999`, sfv.Decimal(sfv.MaxInteger)},
		{`""`, sfv.String("")},
		{`"a \"b\" \\ c"`, sfv.String(`a "b" \ c`)},
		{`" ~"`, sfv.String(" ~")},
		{`sugar`, sfv.Token("sugar")},
		{`*a:/!#$%&'*+-.^_` + "`|~9", sfv.Token("*a:/!#$%&'*+-.^_`|~9")},
		{`::`, sfv.Bytes{}},
		{`:aGVsbG8=:`, sfv.Bytes("hello")},
		{`:aGVsbG8:`, sfv.Bytes("hello")},
		{`:YQ=:`, sfv.Bytes("a")},
		{`:iZ==:`, sfv.Bytes{0x89}}, // pad bits that are set
		{`:+/+/:`, sfv.Bytes{0xfb, 0xff, 0xbf}},
		{`?0`, sfv.Boolean(false)},
		{`?1`, sfv.Boolean(true)},
		{`@1688169599`, sfv.Date(1688169599)},
		{`@-1`, sfv.Date(-1)},
		{`%"f%c3%bc %22\ %25"`, sfv.DisplayString(`fü "\ %`)},
	} {
		t.Run(tc.input, func(t *testing.T) {
			item, err := sfv.ParseItem([]string{tc.input})
			require.NoError(t, err)
			require.Equal(t, sfv.Item{Value: tc.want}, item)
		})
	}
}

func TestParseItemRefuses(t *testing.T) {
	for _, tc := range []struct {
		input string
		want  sfv.SyntaxError
	}{
		{``, sfv.SyntaxError{Offset: 0, Reason: "expected a value"}},
		{`'a'`, sfv.SyntaxError{Offset: 0, Reason: "expected a value"}},
		{"\t1", sfv.SyntaxError{Offset: 0, Reason: "expected a value"}},
		{`(a)`, sfv.SyntaxError{Offset: 0, Reason: "expected a value"}},
		{`a b`, sfv.SyntaxError{Offset: 2, Reason: "expected the end of the field"}},
		{`a, b`, sfv.SyntaxError{Offset: 1, Reason: "expected the end of the field"}},
		{"a\t", sfv.SyntaxError{Offset: 1, Reason: "expected the end of the field"}},
		{`1.5.5`, sfv.SyntaxError{Offset: 3, Reason: "expected the end of the field"}},

		{`-`, sfv.SyntaxError{Offset: 1, Reason: "expected a digit"}},
		{`--1`, sfv.SyntaxError{Offset: 1, Reason: "expected a digit"}},
		{`-a`, sfv.SyntaxError{Offset: 1, Reason: "expected a digit"}},
		{`-.5`, sfv.SyntaxError{Offset: 3, Reason: "expected a digit"}},
		{`1000000000000000`, sfv.SyntaxError{Offset: 16, Reason: "an Integer has at most 15 digits"}},
		{`1.`, sfv.SyntaxError{Offset: 2, Reason: "a Decimal has at most 12 digits, a point and one to three digits"}},
		{`1.2345`, sfv.SyntaxError{Offset: 6, Reason: "a Decimal has at most 12 digits, a point and one to three digits"}},
		{`1000000000000.0`, sfv.SyntaxError{Offset: 15, Reason: "a Decimal has at most 12 digits, a point and one to three digits"}},

		{`"a`, sfv.SyntaxError{Offset: 2, Reason: "a String holds printable ASCII and ends with a quote"}},
		{"\"a\tb\"", sfv.SyntaxError{Offset: 3, Reason: "a String holds printable ASCII and ends with a quote"}},
		{"\"a\x00b\"", sfv.SyntaxError{Offset: 3, Reason: "a String holds printable ASCII and ends with a quote"}},
		{`"é"`, sfv.SyntaxError{Offset: 2, Reason: "a String holds printable ASCII and ends with a quote"}},
		{`"a\,"`, sfv.SyntaxError{Offset: 4, Reason: "a backslash in a String stands before a quote or a backslash only"}},
		{`"a\`, sfv.SyntaxError{Offset: 3, Reason: "a backslash in a String stands before a quote or a backslash only"}},

		{`:aGVsbG8=`, sfv.SyntaxError{Offset: 1, Reason: "a Byte Sequence ends with a colon"}},
		{`:aGVs bG8=:`, sfv.SyntaxError{Offset: 1, Reason: "a Byte Sequence holds base64"}},
		{":aGVs\r\nbG8=:", sfv.SyntaxError{Offset: 1, Reason: "a Byte Sequence holds base64"}},
		{`:_-Ah:`, sfv.SyntaxError{Offset: 1, Reason: "a Byte Sequence holds base64"}},
		{`:=aGVsbG8=:`, sfv.SyntaxError{Offset: 1, Reason: "a Byte Sequence holds base64"}},
		{`:a:`, sfv.SyntaxError{Offset: 1, Reason: "a Byte Sequence holds base64"}},
		{`:YQ===:`, sfv.SyntaxError{Offset: 1, Reason: "a Byte Sequence holds base64"}},
		{`:=:`, sfv.SyntaxError{Offset: 1, Reason: "a Byte Sequence holds base64"}},

		{`?`, sfv.SyntaxError{Offset: 1, Reason: "a Boolean is ?0 or ?1"}},
		{`?2`, sfv.SyntaxError{Offset: 2, Reason: "a Boolean is ?0 or ?1"}},
		{`?T`, sfv.SyntaxError{Offset: 2, Reason: "a Boolean is ?0 or ?1"}},
		{`?10`, sfv.SyntaxError{Offset: 2, Reason: "expected the end of the field"}},

		{`@`, sfv.SyntaxError{Offset: 1, Reason: "expected a digit"}},
		{`@1.5`, sfv.SyntaxError{Offset: 4, Reason: "a Date has whole seconds"}},

		{`%a"`, sfv.SyntaxError{Offset: 1, Reason: "a Display String starts with a quote"}},
		{`%"a`, sfv.SyntaxError{Offset: 3, Reason: "a Display String holds printable ASCII and ends with a quote"}},
		{`%"ü"`, sfv.SyntaxError{Offset: 3, Reason: "a Display String holds printable ASCII and ends with a quote"}},
		{`%"%C3%BC"`, sfv.SyntaxError{Offset: 5, Reason: "a percent sign in a Display String stands before two lower-case hex digits"}},
		{`%"%c`, sfv.SyntaxError{Offset: 4, Reason: "a percent sign in a Display String stands before two lower-case hex digits"}},
		{`%"%c3%28"`, sfv.SyntaxError{Offset: 9, Reason: "a Display String holds UTF-8"}},

		{`a;`, sfv.SyntaxError{Offset: 2, Reason: "expected the key of a parameter"}},
		{`a;Q=1`, sfv.SyntaxError{Offset: 2, Reason: "expected the key of a parameter"}},
		{`a;_a=1`, sfv.SyntaxError{Offset: 2, Reason: "expected the key of a parameter"}},
		{`a;q=`, sfv.SyntaxError{Offset: 4, Reason: "expected a value"}},
		{`a;q= 1`, sfv.SyntaxError{Offset: 4, Reason: "expected a value"}},
		{`a;q =1`, sfv.SyntaxError{Offset: 4, Reason: "expected the end of the field"}},
		{`a ;q=1`, sfv.SyntaxError{Offset: 2, Reason: "expected the end of the field"}},
	} {
		t.Run(tc.input, func(t *testing.T) {
			item, err := sfv.ParseItem([]string{tc.input})
			require.Equal(t, &tc.want, err)
			require.Zero(t, item)
		})
	}
}

func TestParseListReadsMembers(t *testing.T) {
	item := func(v sfv.Value, params ...sfv.Param) sfv.Item {
		return sfv.Item{Value: v, Params: params}
	}
	for _, tc := range []struct {
		name  string
		lines []string
		want  sfv.List
	}{
		{"no line", nil, nil},
		{"an empty line", []string{""}, nil},
		{"spaces alone", []string{"  "}, nil},
		{"members", []string{"1, 2"}, sfv.List{item(sfv.Integer(1)), item(sfv.Integer(2))}},
		{"no space behind the comma", []string{"1,2"}, sfv.List{item(sfv.Integer(1)), item(sfv.Integer(2))}},
		{"tabs around the comma", []string{"1\t,\t2"}, sfv.List{item(sfv.Integer(1)), item(sfv.Integer(2))}},
		{"white space around the list", []string{" 1 \t"}, sfv.List{item(sfv.Integer(1))}},
		{"several lines are one list", []string{"1, 2", "3"}, sfv.List{item(sfv.Integer(1)), item(sfv.Integer(2)), item(sfv.Integer(3))}},
		{"a string over two lines", []string{`"a`, `b"`}, sfv.List{item(sfv.String("a, b"))}},
		{
			"parameters", []string{`"a";q=1; r="x";s;t=?0`},
			sfv.List{item(sfv.String("a"),
				sfv.Param{Key: "q", Value: sfv.Integer(1)}, sfv.Param{Key: "r", Value: sfv.String("x")},
				sfv.Param{Key: "s", Value: sfv.Boolean(true)}, sfv.Param{Key: "t", Value: sfv.Boolean(false)})},
		},
		{
			"a repeated parameter keeps its place and takes its last value", []string{"a;b=1;c=2;b=3"},
			sfv.List{item(sfv.Token("a"), sfv.Param{Key: "b", Value: sfv.Integer(3)}, sfv.Param{Key: "c", Value: sfv.Integer(2)})},
		},
		{"all characters of a key", []string{"a;*b9_-.*"}, sfv.List{item(sfv.Token("a"), sfv.Param{Key: "*b9_-.*", Value: sfv.Boolean(true)})}},
		{"an empty inner list", []string{"()"}, sfv.List{sfv.InnerList{}}},
		{
			"inner lists", []string{"( a  b;x );y=1, c"},
			sfv.List{
				sfv.InnerList{
					Items:  []sfv.Item{item(sfv.Token("a")), item(sfv.Token("b"), sfv.Param{Key: "x", Value: sfv.Boolean(true)})},
					Params: sfv.Params{{Key: "y", Value: sfv.Integer(1)}},
				},
				item(sfv.Token("c")),
			},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			list, err := sfv.ParseList(tc.lines)
			require.NoError(t, err)
			require.Equal(t, tc.want, list)
		})
	}
}

func TestParseListRefuses(t *testing.T) {
	for _, tc := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"an empty member", []string{"a,,b"}, "sfv: offset 2: expected a value"},
		{"a comma first", []string{", a"}, "sfv: offset 0: expected a value"},
		{"a comma last", []string{"a, "}, "sfv: offset 3: nothing follows the last comma"},
		{"an empty line among others", []string{"a", "", "b"}, "sfv: offset 3: expected a value"},
		{"no comma", []string{"a b"}, "sfv: offset 2: expected a comma"},
		{"a semicolon instead", []string{"a; b, c; "}, "sfv: offset 9: expected the key of a parameter"},
		{"a dictionary", []string{"limit=100"}, "sfv: offset 5: expected a comma"},
		{"an open inner list", []string{"(a"}, "sfv: offset 2: expected a space or the end of the inner list"},
		{"an open inner list behind a space", []string{"(a "}, "sfv: offset 3: expected a value"},
		{"an inner list with a comma", []string{"(a,b)"}, "sfv: offset 2: expected a space or the end of the inner list"},
		{"an inner list with a tab", []string{"(a\tb)"}, "sfv: offset 2: expected a space or the end of the inner list"},
		{"an inner list in another", []string{"((a))"}, "sfv: offset 1: expected a value"},
		{"a fault in an inner list's parameters", []string{"(a);Q"}, "sfv: offset 4: expected the key of a parameter"},
		{"a fault in the second line", []string{"a", `"b`}, "sfv: offset 5: a String holds printable ASCII and ends with a quote"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			list, err := sfv.ParseList(tc.lines)
			require.EqualError(t, err, tc.want)
			require.Nil(t, list)
			var syntax *sfv.SyntaxError
			require.ErrorAs(t, err, &syntax)
		})
	}
}

// The RFC says how much every parser must take.
func TestParseListTakesWhatEveryParserMust(t *testing.T) {
	keys := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(";k" + strings.Repeat("x", i/26) + string(rune('a'+i%26)))
		}
		return b.String()
	}
	for _, tc := range []struct {
		name, input string
		members     int
		params      int // of the first member
	}{
		{"1024 members", strings.Repeat("a, ", 1023) + "a", 1024, 0},
		{"256 items in an inner list", "(" + strings.Repeat("a ", 256) + ")", 1, 0},
		{"256 parameters", "a" + keys(256), 1, 256},
		{"256 parameters of an inner list", "()" + keys(256), 1, 256},
		{"a key of 64 characters", "a;" + strings.Repeat("k", 64), 1, 1},
		{"a string of 1024 characters", `"` + strings.Repeat("x", 1024) + `"`, 1, 0},
		{"a token of 512 characters", strings.Repeat("x", 512), 1, 0},
		{"16384 octets", ":" + strings.Repeat("YWJj", 16384/3) + "YQ==:", 1, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			list, err := sfv.ParseList([]string{tc.input})
			require.NoError(t, err)
			require.Len(t, list, tc.members)
			switch first := list[0].(type) {
			case sfv.Item:
				require.Len(t, first.Params, tc.params)
			case sfv.InnerList:
				require.Len(t, first.Params, tc.params)
			}
		})
	}

	_, err := sfv.ParseList([]string{"a" + keys(257)})
	require.ErrorContains(t, err, "too many parameters")
}

func FuzzParseList(f *testing.F) {
	for _, seed := range []string{
		"", `"perIp";q=100;w=60, "daily";q=1000;w=86400`, `"a\"b\\c";pk=:YWJj:`, "(a b);x=1, c;y", "a\t,\tb",
		"-0, 1.5, -0.001, 999999999999999", ":iZ==:, ::", "?0, ?1", "@-1", `%"f%c3%bc%22"`, "a;b=1;c=2;b=3", "*a:/",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input string) {
		list, err := sfv.ParseList([]string{input})
		if err != nil {
			require.Nil(t, list)
			return
		}
		text, err := sfv.AppendList(nil, list)
		require.NoError(t, err, "what was read can be written")
		again, err := sfv.ParseList([]string{string(text)})
		require.NoError(t, err, "what was written can be read: %q", text)
		require.Equal(t, list, again)
	})
}
