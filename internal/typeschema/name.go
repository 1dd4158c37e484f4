package typeschema

import (
	"cmp"
	"path"
	"reflect"
	"strconv"
	"strings"
	"unicode"
)

// giveNames names the definitions: by the type, with "Input" where it is read
// otherwise than it is written, with the package in front where two types have one
// name, and with a number where even that is taken.
func (s *Set) giveNames() {
	byName := map[string]int{}
	for _, d := range s.order {
		byName[s.plainName(d)]++
	}
	for _, d := range s.order {
		name := s.plainName(d)
		if byName[name] > 1 || s.taken[name] {
			name = exported(path.Base(d.t.PkgPath())) + name
		}
		d.name = name
		for n := 2; s.taken[d.name]; n++ {
			d.name = name + strconv.Itoa(n)
		}
		s.taken[d.name] = true
	}
}

func (s *Set) plainName(d *definition) string {
	name := cmp.Or(typeName(d.t), fallbackName)
	if _, both := s.definitions[key{d.t, Written}]; both && d.d == Read {
		name += "Input"
	}
	return name
}

// fallbackName is that of a type whose own has nothing that a component can have.
const fallbackName = "Type"

// typeName is the name without what a component cannot have: Page[books.Book] is
// PageBook.
func typeName(t reflect.Type) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(t.Name(), func(r rune) bool { return strings.ContainsRune("[],* ()", r) }) {
		word = word[strings.LastIndexByte(word, '/')+1:] // the path of a package
		if _, name, ok := strings.Cut(word, "."); ok {
			word = name
		}
		b.WriteString(exported(word))
	}
	return b.String()
}

// exported is the word with a first letter in upper case, and without what is
// neither a letter nor a digit of ASCII.
func exported(word string) string {
	word = strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return r
	}, word)
	if word == "" {
		return ""
	}
	return strings.ToUpper(word[:1]) + word[1:]
}
