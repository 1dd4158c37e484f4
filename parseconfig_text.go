package sallyport

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// maxFileSize bounds what a file can cost.
const maxFileSize = 1 << 20

// byteOrderMark may stand before a file, and is not counted as a column.
const byteOrderMark = "\ufeff"

// parseDocument parses the one document of a file into its nodes.
func parseDocument(data []byte) (*yaml.Node, *fault) {
	if len(data) > maxFileSize {
		return nil, &fault{err: fmt.Errorf("%d bytes: at most %d", len(data), maxFileSize)}
	}
	data = bytes.TrimPrefix(data, []byte(byteOrderMark))
	if f := checkCharacters(data); f != nil {
		return nil, f
	}
	if isJSON(data) {
		return parseJSON(data)
	}
	return parseYAML(data)
}

func parseYAML(data []byte) (*yaml.Node, *fault) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	root, err := parseNext(decoder)
	switch {
	case errors.Is(err, io.EOF) || err == nil && isEmpty(root):
		return nil, &fault{err: errors.New("the file is empty: write {} for a configuration without settings")}
	case err != nil:
		return nil, syntaxFault(data, err)
	}
	second, err := parseNext(decoder)
	switch {
	case errors.Is(err, io.EOF):
		return root, nil
	case err != nil:
		return nil, syntaxFault(data, err)
	}
	return nil, &fault{at: positionOf(second), err: errors.New("a second document begins here: a file has one")}
}

// isEmpty is false for an anchor or a tag without a value, which are mistakes.
func isEmpty(root *yaml.Node) bool {
	return isNull(root) && root.Anchor == "" && root.Style&yaml.TaggedStyle == 0
}

// parseNext keeps a fault of the YAML parser from ending the program.
func parseNext(decoder *yaml.Decoder) (root *yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	var document yaml.Node
	if err := decoder.Decode(&document); err != nil {
		return nil, err
	}
	return document.Content[0], nil
}

// checkCharacters finds what no text has, or what ends a line for the parser
// and not for editors, so that the lines of mistakes would be wrong.
func checkCharacters(data []byte) *fault {
	at := position{line: 1}
	for rest := data; len(rest) > 0; {
		c, size := utf8.DecodeRune(rest)
		rest = rest[size:]
		at.column++
		switch {
		case c == '\n':
			at = position{line: at.line + 1}
		case c == utf8.RuneError && size == 1:
			return &fault{at: at, err: errors.New("a byte that is no UTF-8")}
		case c == '\r' && !bytes.HasPrefix(rest, []byte("\n")):
			return &fault{at: at, err: errors.New("a carriage return that no line feed follows")}
		case unicode.IsControl(c) && c != '\t' && c != '\r':
			return &fault{at: at, err: fmt.Errorf("the control character %U", c)}
		case unicode.In(c, unicode.Zl, unicode.Zp) || c == '\ufeff':
			return &fault{at: at, err: fmt.Errorf("the invisible character %U: write it as an escape in double quotes", c)}
		}
	}
	return nil
}

var yamlError = regexp.MustCompile(`(?s)^yaml: (?:line (\d+): )?(.*)$`)

// syntaxFault tells where the parser gave up. The parser leaves out the first
// line, and counts from 0 where something else was expected.
func syntaxFault(data []byte, err error) *fault {
	parts := yamlError.FindStringSubmatch(err.Error())
	if parts == nil {
		return &fault{err: err}
	}
	line, text := 1, parts[2]
	if n, err := strconv.Atoi(parts[1]); err == nil {
		line = n
		if strings.HasPrefix(text, "did not find expected") {
			line++
		}
		line = min(line, 1+bytes.Count(data, []byte("\n"))) // not behind the end
	}
	switch text {
	case "found character that cannot start any token", "found a tab character that violates indentation":
		if at, ok := tabInIndentation(data, line); ok {
			return &fault{at: at, err: errors.New("a tab: YAML is indented with spaces")}
		}
	}
	if name, ok := unknownAnchor(err); ok { // of which it tells no line at all
		return &fault{at: aliasPosition(data, name), err: errAlias}
	}
	return &fault{at: firstColumn(data, line), err: errors.New(text)}
}

// firstColumn is where a line begins, behind its indentation.
func firstColumn(data []byte, line int) position {
	lines := bytes.SplitN(data, []byte("\n"), line+1)
	text := bytes.TrimRight(lines[line-1], " \t\r")
	return position{line, 1 + len(text) - len(bytes.TrimLeft(text, " \t"))}
}

// unknownAnchor is the name of an alias of nothing.
func unknownAnchor(err error) (name string, ok bool) {
	if err == nil {
		return "", false
	}
	name, ok = strings.CutPrefix(err.Error(), "yaml: unknown anchor '")
	return strings.TrimSuffix(name, "' referenced"), ok
}

// aliasPosition finds the alias that the parser stopped at. The same text can
// stand in comments and quotes before it, so the shortest beginning of the file
// is looked for that the parser stops at, too.
func aliasPosition(data []byte, name string) position {
	alias := regexp.MustCompile(`\*` + regexp.QuoteMeta(name) + `(?:[^0-9A-Za-z_-]|$)`)
	found := alias.FindAllIndex(data, -1)
	i := sort.Search(len(found), func(i int) bool {
		_, stops := unknownAnchor(parseAll(data[:found[i][0]+1+len(name)]))
		return stops
	})
	if i == len(found) {
		return position{}
	}
	before := data[:found[i][0]]
	return position{1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])}
}

// parseAll is the first error of all documents.
func parseAll(data []byte) error {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		if _, err := parseNext(decoder); err != nil {
			return err
		}
	}
}

// tabInIndentation looks for a tab in the line where the parser gave up, or in
// the next, as it sometimes means the one before.
func tabInIndentation(data []byte, line int) (at position, ok bool) {
	lines := bytes.SplitN(data, []byte("\n"), line+2)
	for i := line - 1; i < min(line+1, len(lines)); i++ {
		text := bytes.TrimLeft(lines[i], " -")
		if bytes.HasPrefix(text, []byte("\t")) {
			return position{line: i + 1, column: len(lines[i]) - len(text) + 1}, true
		}
	}
	return position{}, false
}
