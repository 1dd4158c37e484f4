package jsonlists

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// field is one that encoding/json writes as a member.
type field struct {
	name                        string
	index                       []int
	t                           reflect.Type
	tagged                      bool
	omitEmpty, omitZero, quoted bool
}

// embeddedStruct is one whose fields may be those of the outer struct.
type embeddedStruct struct {
	t     reflect.Type
	index []int
}

// fieldsOf finds the members of a struct as encoding/json does, in its order: level
// by level through the embedded structs, where a name that is less deep hides the
// others, then one with a tag does, and equal ones hide each other.
func fieldsOf(t reflect.Type) []field {
	var all []field
	level := []embeddedStruct{{t: t}}
	count, visited := map[reflect.Type]int{}, map[reflect.Type]bool{}
	for len(level) > 0 {
		var deeper []embeddedStruct
		deeperCount := map[reflect.Type]int{}
		for _, s := range level {
			if visited[s.t] {
				continue
			}
			visited[s.t] = true
			for f := range s.t.Fields() {
				one, inner, ok := fieldOf(f, s.index)
				switch {
				case !ok:
				case inner != nil:
					if deeperCount[inner]++; deeperCount[inner] == 1 {
						deeper = append(deeper, embeddedStruct{inner, one.index})
					}
				default:
					all = append(all, one)
					if count[s.t] > 1 { // another time at this depth: they hide each other
						all = append(all, one)
					}
				}
			}
		}
		level, count = deeper, deeperCount
	}
	return visible(all)
}

// fieldOf reads one field; inner is the struct whose fields stand in its place.
func fieldOf(f reflect.StructField, outer []int) (one field, inner reflect.Type, ok bool) {
	t := f.Type
	if t.Kind() == reflect.Pointer && t.Name() == "" {
		t = t.Elem()
	}
	tag := f.Tag.Get("json")
	embeds := f.Anonymous && t.Kind() == reflect.Struct
	if tag == "-" || !f.IsExported() && !embeds {
		return field{}, nil, false
	}
	name, options, _ := strings.Cut(tag, ",")
	if strings.ContainsFunc(name, badInName) {
		name = ""
	}
	has := func(option string) bool { return slices.Contains(strings.Split(options, ","), option) }
	one = field{
		name: name, index: append(slices.Clone(outer), f.Index...), t: f.Type, tagged: name != "",
		omitEmpty: has("omitempty"), omitZero: has("omitzero"),
		quoted: has("string") && (t.Kind() >= reflect.Bool && t.Kind() <= reflect.Float64 || t.Kind() == reflect.String),
	}
	if name == "" {
		if embeds {
			return one, t, true
		}
		one.name = f.Name
	}
	return one, nil, true
}

// badInName tells the characters that make encoding/json ignore a name.
func badInName(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r)
}

// visible leaves out the fields that are hidden.
func visible(all []field) (fields []field) {
	slices.SortStableFunc(all, func(a, b field) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(len(a.index), len(b.index)), -cmp.Compare(number(a.tagged), number(b.tagged)))
	})
	for len(all) > 0 {
		first, same := all[0], 1
		for same < len(all) && all[same].name == first.name {
			same++
		}
		if same == 1 || len(all[1].index) > len(first.index) || all[1].tagged != first.tagged {
			fields = append(fields, first)
		}
		all = all[same:]
	}
	slices.SortFunc(fields, func(a, b field) int { return slices.Compare(a.index, b.index) })
	return fields
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}
