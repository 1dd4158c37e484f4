package sallyport

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/sallyport-go/sallyport/internal/part"
)

// position is a place in a file. The zero value is none.
type position struct {
	line, column int // from 1; column 0: not known
}

func positionOf(n *yaml.Node) position { return position{n.Line, n.Column} }

func (p position) String() string {
	if p.column == 0 {
		return "line " + strconv.Itoa(p.line)
	}
	return fmt.Sprintf("line %d, column %d", p.line, p.column)
}

// fault is a mistake in a file.
type fault struct {
	path string   // of the field, such as rateLimits.perIp.limit; "": the file
	at   position // zero: the whole file, or the program
	err  error
}

// Error is "sallyport: config: path: line 4, column 33: what is wrong".
func (f *fault) Error() string {
	text := "sallyport: config: "
	if f.path != "" {
		text += f.path + ": "
	}
	if f.at != (position{}) {
		text += f.at.String() + ": "
	}
	return text + printable(part.Text(f.err))
}

// printable escapes what would change a log or a terminal: the errors of a
// program are not all made for one.
func printable(text string) string {
	if strings.IndexFunc(text, isUnprintable) < 0 {
		return text
	}
	var b strings.Builder
	for _, c := range text {
		if isUnprintable(c) {
			quoted := strconv.QuoteRune(c)
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}

func isUnprintable(c rune) bool { return !strconv.IsPrint(c) }

// Unwrap is what is wrong, such as the error of a storage.
func (f *fault) Unwrap() error { return f.err }

// maxFaults is how many mistakes are told. A file that is no configuration at
// all has one in every line.
const maxFaults = 100

type faultList struct {
	list  []*fault
	count int // of all that were found
}

func (l *faultList) add(f *fault) {
	l.count++
	if !l.full() {
		l.list = append(l.list, f)
	}
}

// full tells that nothing more needs to be looked for.
func (l *faultList) full() bool { return len(l.list) > maxFaults }

// join sorts the mistakes by their places; nil: there are none.
func (l *faultList) join() error {
	slices.SortStableFunc(l.list, func(a, b *fault) int {
		return cmp.Or(cmp.Compare(a.at.line, b.at.line), cmp.Compare(a.at.column, b.at.column))
	})
	var errs []error
	for _, f := range l.list[:min(len(l.list), maxFaults)] {
		errs = append(errs, f)
	}
	if l.full() {
		errs = append(errs, errors.New("sallyport: config: there are more mistakes, which are not told"))
	}
	return errors.Join(errs...)
}

// joinPath adds a name to a path. A name that is not plain is quoted.
func joinPath(path, name string) string {
	if !isPlain(name) || len(name) > maxQuoted {
		name = quote(name)
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

func isPlain(name string) bool {
	return name != "" && strings.IndexFunc(name, func(c rune) bool {
		return (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && !strings.ContainsRune("_-.", c)
	}) < 0
}

// maxQuoted is how many characters of a text a mistake repeats.
const maxQuoted = 60

// quote makes a text safe for a log.
func quote(text string) string {
	if runes := []rune(text); len(runes) > maxQuoted {
		text = string(runes[:maxQuoted]) + "…"
	}
	return strconv.Quote(text)
}
