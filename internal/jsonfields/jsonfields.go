// Package jsonfields finds the members that encoding/json writes for a struct.
package jsonfields

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// Field is one that encoding/json writes as a member.
type Field struct {
	Name                string // of the member
	Index               []int  // for reflect.Value.FieldByIndex
	Type                reflect.Type
	Tag                 reflect.StructTag
	OmitEmpty, OmitZero bool
	Quoted              bool // it is written inside of a string
	Embedded            bool // it lies in a struct that is embedded by its pointer, which may be nil

	named bool // by the tag
}

// embeddedStruct is one whose fields may be those of the outer struct.
type embeddedStruct struct {
	t       reflect.Type
	index   []int
	pointer bool
}

// Of finds the members of a struct as encoding/json does, in its order: level
// by level through the embedded structs, where a name that is less deep hides the
// others, then one with a tag does, and equal ones hide each other.
func Of(t reflect.Type) []Field {
	var all []Field
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
				one, inner, ok := fieldOf(f, s)
				switch {
				case !ok:
				case inner != nil:
					if deeperCount[inner]++; deeperCount[inner] == 1 {
						deeper = append(deeper, embeddedStruct{inner, one.Index, one.Embedded || f.Type.Kind() == reflect.Pointer})
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
func fieldOf(f reflect.StructField, outer embeddedStruct) (one Field, inner reflect.Type, ok bool) {
	t := f.Type
	if t.Kind() == reflect.Pointer && t.Name() == "" {
		t = t.Elem()
	}
	tag := f.Tag.Get("json")
	embeds := f.Anonymous && t.Kind() == reflect.Struct
	if tag == "-" || !f.IsExported() && !embeds {
		return Field{}, nil, false
	}
	name, options, _ := strings.Cut(tag, ",")
	if strings.ContainsFunc(name, badInName) {
		name = ""
	}
	has := func(option string) bool { return slices.Contains(strings.Split(options, ","), option) }
	one = Field{
		Name: name, Index: append(slices.Clone(outer.index), f.Index...), Type: f.Type, Tag: f.Tag,
		OmitEmpty: has("omitempty"), OmitZero: has("omitzero"), Embedded: outer.pointer,
		Quoted: has("string") && (t.Kind() >= reflect.Bool && t.Kind() <= reflect.Float64 || t.Kind() == reflect.String),
		named:  name != "",
	}
	if name == "" {
		if embeds {
			return one, t, true
		}
		one.Name = f.Name
	}
	return one, nil, true
}

// badInName tells the characters that make encoding/json ignore a name.
func badInName(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r)
}

// visible leaves out the fields that are hidden.
func visible(all []Field) (fields []Field) {
	slices.SortStableFunc(all, func(a, b Field) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(len(a.Index), len(b.Index)), -cmp.Compare(number(a.named), number(b.named)))
	})
	for len(all) > 0 {
		first, same := all[0], 1
		for same < len(all) && all[same].Name == first.Name {
			same++
		}
		if same == 1 || len(all[1].Index) > len(first.Index) || all[1].named != first.named {
			fields = append(fields, first)
		}
		all = all[same:]
	}
	slices.SortFunc(fields, func(a, b Field) int { return slices.Compare(a.Index, b.Index) })
	return fields
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}
