package rules

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Compile reads the tag of a field of type t. The result is nil when it says
// nothing. An error is a mistake of the program: an unknown rule, one that does
// not fit the type, one that makes the presence of a field depend on others, or one
// that looks at the files or the network of the server. It joins all of them.
func Compile(t reflect.Type, tag string) (*Rules, error) {
	if tag == "" || tag == "-" {
		return nil, nil
	}
	r := &Rules{}
	err := r.compile(t, strings.Split(tag, ","), true)
	if err != nil {
		return nil, err
	}
	return r.orNil(), nil
}

// orNil is nil instead of rules that say nothing.
func (r *Rules) orNil() *Rules {
	if !r.required && r.checks == nil && r.fields == nil && r.elem == nil && r.keys == nil {
		return nil
	}
	return r
}

// compile reads the rules of one level; a field has presence, an element has not.
func (r *Rules) compile(t reflect.Type, parts []string, field bool) (err error) {
	for n := 0; t.Kind() == reflect.Pointer && n < 10; n++ { // "type P *P" has no end
		t = t.Elem()
	}
	for i, part := range parts {
		name, param, _ := strings.Cut(part, "=")
		switch {
		case part == "required" && field:
			r.required = true
		case part == "required":
			err = errors.Join(err, errors.New(`rule "required": an element or a key is always there: use "min=1" for a text or list that must not be empty`))
		case part == "omitempty" || part == "omitzero":
			r.checks = append(r.checks, check{omit: true})
		case part == "omitnil": // a nil pointer breaks nothing
		case part == "dive":
			return errors.Join(err, r.dive(t, parts[i+1:]))
		case crossField[name]:
			err = errors.Join(err, r.addField(t, name, param, field))
		default:
			err = errors.Join(err, r.add(t, part))
		}
	}
	return err
}

// dive reads what stands behind "dive".
func (r *Rules) dive(t reflect.Type, parts []string) (err error) {
	switch t.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
	default:
		return fmt.Errorf(`rule "dive": %v has no elements`, t)
	}
	if len(parts) > 0 && parts[0] == "keys" {
		end := indexOf(parts, "endkeys")
		if t.Kind() != reflect.Map || end < 0 {
			return fmt.Errorf(`rule "keys": %v has no keys, or "endkeys" is missing`, t)
		}
		keys := &Rules{}
		err = keys.compile(t.Key(), parts[1:end], false)
		r.keys, parts = keys.orNil(), parts[end+1:]
	}
	elem := &Rules{}
	err = errors.Join(err, elem.compile(t.Elem(), parts, false))
	r.elem = elem.orNil()
	return err
}

func indexOf(parts []string, part string) int {
	for i, p := range parts {
		if p == part {
			return i
		}
	}
	return -1
}

// add reads one rule of a value, or several joined by "|" of which one must hold.
func (r *Rules) add(t reflect.Type, part string) error {
	var codes, messages []string
	for one := range strings.SplitSeq(part, "|") {
		name, param, _ := strings.Cut(one, "=")
		param = strings.NewReplacer("0x2C", ",", "0x7C", "|").Replace(param)
		if why := refusal(name); why != "" {
			return fmt.Errorf("rule %q: %s", name, why)
		}
		if !fits(name, t) {
			return doesNotFit(name, t)
		}
		if name == "unique" && classOf(t) == list {
			if err := uniqueFits(t, param); err != nil {
				return err
			}
		}
		codes = append(codes, name)
		messages = append(messages, message(t, name, param))
	}
	if err := tryRule(t, part); err != nil {
		return err
	}
	c := check{tag: part, code: strings.Join(codes, "|"), message: strings.Join(messages, " or ")}
	if len(codes) == 1 {
		c.bound = newBound(t, part)
	}
	r.checks = append(r.checks, c)
	return nil
}

// refusal says why a rule of validator has no place in a tag; "" for the others.
func refusal(name string) string {
	switch name {
	case "":
		return "it has no name"
	case "required", "omitempty", "omitzero", "omitnil", "dive":
		return `it does not stand beside "|" or "="`
	case "keys", "endkeys":
		return `it stands behind "dive" alone`
	case "structonly", "nostructlevel", "validateFn", "skip_unless":
		return "check it in a method Validate() error of the struct"
	case "file", "dir", "filepath", "dirpath", "image", "uds_exists",
		"tcp_addr", "tcp4_addr", "tcp6_addr", "udp_addr", "udp4_addr", "udp6_addr",
		"ip_addr", "ip4_addr", "ip6_addr", "unix_addr":
		return "it looks at the files or the network of the server, which no client may direct"
	}
	switch {
	case strings.HasPrefix(name, "required_"), strings.HasPrefix(name, "excluded_"):
		return "what depends on the presence of other fields is checked in a method Validate() error of the struct"
	case strings.HasSuffix(name, "csfield"), strings.HasSuffix(name, "_field"):
		return "fields of other structs are compared in a method Validate() error of the struct"
	case crossField[name]:
		return `a rule about another field does not stand beside "|"`
	}
	return ""
}

func doesNotFit(name string, t reflect.Type) error {
	return fmt.Errorf("rule %q does not fit the type %v", name, t)
}
