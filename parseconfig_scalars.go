package sallyport

import (
	"iter"
	"slices"
	"strconv"
)

func (r *fileReader) text(v value) string {
	switch {
	case !v.isText():
		r.fault(v, "%s: write a text", v)
		return ""
	case v.Value == "":
		r.fault(v, "the text is empty")
	}
	return v.Value
}

// texts are those of a list; one text alone is a list, too.
func (r *fileReader) texts(v value) iter.Seq[value] {
	items := r.items(v)
	if !v.isList() {
		items = slices.Values([]value{v})
	}
	return func(yield func(value) bool) {
		for item := range items {
			if r.text(item) != "" && !yield(item) {
				return
			}
		}
	}
}

func (r *fileReader) boolean(v value) bool {
	if !v.isBoolean() {
		r.fault(v, "%s: write true or false", v)
	}
	return v.isBoolean() && !v.isFalse()
}

// wholeNumber reads a number that is written with decimal digits alone, so that
// nobody takes 010 for eight.
func (r *fileReader) wholeNumber(v value, least, most int64, want string) int64 {
	n, err := strconv.ParseInt(v.Value, 10, 64)
	if v.Tag != "!!int" || err != nil || strconv.FormatInt(n, 10) != v.Value || n < least || n > most {
		r.fault(v, "%s: %s", v, want)
		return 0
	}
	return n
}

// unknown reports a name that is none of those that are known.
func (r *fileReader) unknown(v value, what, name string, known []string) {
	if v.secret {
		r.fault(v, "there is no such %s; %s", what, suggest(name, known))
		return
	}
	r.report(v, unknownName(what, name, known))
}

// choice finds what the text names.
func choice[T any](r *fileReader, v value, what string, known map[string]T) (chosen T) {
	name := r.text(v)
	chosen, ok := known[name]
	if !ok && name != "" {
		r.unknown(v, what, name, sortedKeys(known))
	}
	return chosen
}
