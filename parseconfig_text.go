package sallyport

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// maxFileSize bounds what a file can cost.
const maxFileSize = 1 << 20

// parseDocument parses the one document of a file into its nodes. JSON is YAML.
func parseDocument(data []byte) (*yaml.Node, *fault) {
	if len(data) > maxFileSize {
		return nil, &fault{err: fmt.Errorf("%d bytes: at most %d", len(data), maxFileSize)}
	}
	if f := checkCharacters(data); f != nil {
		return nil, f
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	root, err := parseNext(decoder)
	switch {
	case errors.Is(err, io.EOF) || err == nil && isNull(root):
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

// checkCharacters finds what no text has; the parser would not tell where.
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
		case unicode.IsControl(c) && c != '\t' && c != '\r':
			return &fault{at: at, err: fmt.Errorf("the control character %U", c)}
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
	if strings.HasPrefix(text, "unknown anchor") { // of which it tells no line at all
		return &fault{err: errors.New(text)}
	}
	return &fault{at: position{line: line}, err: errors.New(text)}
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
