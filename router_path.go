package sallyport

import (
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/julienschmidt/httprouter"

	"github.com/sallyport-go/sallyport/api"
)

const maxPathLength = 8 << 10 // bytes of a decoded path

// The table works on decoded paths, in which three characters would be taken
// for what they are not: a slash that belongs to a segment ("%2F"), and the two
// that httprouter reads as the start of a variable. Bytes that UTF-8 never uses
// stand for them, so nothing can be mistaken for them and lengths stay the same.
const (
	slashMark    = '\xff'
	colonMark    = "\xfe"
	asteriskMark = "\xfd"
)

var (
	escapeWildcards = strings.NewReplacer(":", colonMark, "*", asteriskMark)
	removeMarks     = strings.NewReplacer(string([]byte{slashMark}), "/", colonMark, ":", asteriskMark, "*")
)

// canonicalPath is the decoded path of u, in which every slash parts two
// segments. All spellings of a path have one canonical form: "%75sers" and
// "users", "%2F" and "%2f".
func canonicalPath(u *url.URL) string {
	if u.RawPath == "" { // then no slash of Path was escaped
		return u.Path
	}
	return markSlashes(u.Path, u.RawPath)
}

// isText reports whether a decoded path has nothing that text cannot have.
func isText(path string) bool {
	return utf8.ValidString(path) && strings.IndexByte(path, 0) < 0
}

// markSlashes puts slashMark where raw has an escaped slash. As in
// [url.URL.EscapedPath], a raw path that does not decode to path counts for
// nothing: then somebody has changed path alone.
func markSlashes(path, raw string) string {
	var marked []byte
	n := 0 // bytes of path compared so far
	for i := 0; i < len(raw); i++ {
		c, escaped := raw[i], raw[i] == '%'
		if escaped {
			if i+2 >= len(raw) {
				return path
			}
			decoded, err := strconv.ParseUint(raw[i+1:i+3], 16, 8)
			if err != nil {
				return path
			}
			c = byte(decoded)
			i += 2
		}
		if n == len(path) || path[n] != c {
			return path
		}
		if escaped && c == '/' {
			if marked == nil {
				marked = []byte(path)
			}
			marked[n] = slashMark
		}
		n++
	}
	if marked == nil || n != len(path) {
		return path
	}
	return string(marked)
}

// arePlain reports whether all values are ASCII without NUL, marks and empty
// segments, as nearly all are.
func arePlain(values httprouter.Params) bool {
	for _, value := range values {
		var previous, bits byte
		for _, c := range []byte(value.Value) {
			if c == '/' && previous == '/' {
				return false
			}
			bits |= c | (c - 1) // its highest bit tells NUL and what is not ASCII
			previous = c
		}
		if bits >= utf8.RuneSelf || value.Value == "" {
			return false
		}
	}
	return true
}

// The kinds of segments in a shape. Their order is the order of precedence.
const (
	shapeStatic   = "S"
	shapeVariable = "V"
	shapeRest     = "X"
)

// pattern is the path of an endpoint behind its version.
type pattern struct {
	shape     string   // one letter per segment
	path      string   // canonical; variables as httprouter writes them, without their names
	variables []string // their names, in order
	escaped   bool     // path has marks for ":" or "*"
}

// newPattern reads the segments of an endpoint. Plain segments are decoded text.
func newPattern(segments []string) pattern {
	var p pattern
	var shape, path strings.Builder
	for _, segment := range segments {
		name, rest, variable := api.Variable(segment)
		switch {
		case rest:
			shape.WriteString(shapeRest)
			path.WriteString("/*rest")
		case variable:
			shape.WriteString(shapeVariable)
			path.WriteString("/:variable")
		default:
			shape.WriteString(shapeStatic)
			path.WriteString("/" + escapeWildcards.Replace(segment))
		}
		if variable {
			p.variables = append(p.variables, name)
		} else if strings.ContainsAny(segment, ":*") {
			p.escaped = true
		}
	}
	p.shape, p.path = shape.String(), path.String()
	return p
}
