package sfv

import (
	"fmt"
	"strings"
)

// maxParams is how many parameters one Item or Inner List may have. The RFC
// demands no more, and to look for a repeated key takes a walk over all of them.
const maxParams = 256

// SyntaxError tells why a field is no structured field, and where.
type SyntaxError struct {
	Offset int // bytes, in the lines of the field joined by ", "
	Reason string
}

// Error is the reason with its place.
func (e *SyntaxError) Error() string { return fmt.Sprintf("sfv: offset %d: %s", e.Offset, e.Reason) }

// ParseList reads a List from all lines of a field (section 4.2.1). No line, or
// one empty line, is the empty List. The error is a [*SyntaxError], and nothing
// of the field counts then.
func ParseList(lines []string) (List, error) {
	p := newParser(lines)
	p.skipSpaces()
	var list List
	for !p.done() {
		member, err := p.member()
		if err != nil {
			return nil, err
		}
		list = append(list, member)
		p.skipWhitespace()
		if p.done() {
			break
		}
		if !p.accept(',') {
			return nil, p.fail("expected a comma")
		}
		p.skipWhitespace()
		if p.done() {
			return nil, p.fail("nothing follows the last comma")
		}
	}
	return list, nil
}

// ParseItem reads an Item from all lines of a field (section 4.2.3). The error
// is a [*SyntaxError].
func ParseItem(lines []string) (Item, error) {
	p := newParser(lines)
	p.skipSpaces()
	item, err := p.item()
	if err != nil {
		return Item{}, err
	}
	p.skipSpaces()
	if !p.done() {
		return Item{}, p.fail("expected the end of the field")
	}
	return item, nil
}

// parser is a position in a field.
type parser struct {
	input string
	pos   int
}

func newParser(lines []string) *parser {
	return &parser{input: strings.Join(lines, ", ")}
}

func (p *parser) done() bool { return p.pos == len(p.input) }

// peek is the next byte, or 0 at the end: a NUL stands nowhere in a structured
// field, so the two need not be told apart.
func (p *parser) peek() byte {
	if p.done() {
		return 0
	}
	return p.input[p.pos]
}

// next is peek and moves on.
func (p *parser) next() byte {
	c := p.peek()
	if !p.done() {
		p.pos++
	}
	return c
}

// accept moves on when c is the next byte.
func (p *parser) accept(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.pos++
	return true
}

// takeWhile moves over the bytes for which in holds and returns them.
func (p *parser) takeWhile(in func(byte) bool) string {
	start := p.pos
	for !p.done() && in(p.input[p.pos]) {
		p.pos++
	}
	return p.input[start:p.pos]
}

func (p *parser) skipSpaces()     { p.takeWhile(func(c byte) bool { return c == ' ' }) }
func (p *parser) skipWhitespace() { p.takeWhile(func(c byte) bool { return c == ' ' || c == '\t' }) }

func (p *parser) fail(reason string) error { return &SyntaxError{p.pos, reason} }

func (p *parser) member() (Member, error) {
	if p.peek() == '(' {
		return p.innerList()
	}
	return p.item()
}

func (p *parser) innerList() (Member, error) {
	p.pos++ // the parenthesis
	var items []Item
	for {
		p.skipSpaces()
		if p.accept(')') {
			params, err := p.params()
			if err != nil {
				return nil, err
			}
			return InnerList{items, params}, nil
		}
		item, err := p.item()
		if err != nil {
			return nil, err
		}
		items = append(items, item)
		if c := p.peek(); c != ' ' && c != ')' {
			return nil, p.fail("expected a space or the end of the inner list")
		}
	}
}

func (p *parser) item() (Item, error) {
	value, err := p.value()
	if err != nil {
		return Item{}, err
	}
	params, err := p.params()
	if err != nil {
		return Item{}, err
	}
	return Item{value, params}, nil
}

func (p *parser) params() (Params, error) {
	var params Params
	for p.accept(';') {
		p.skipSpaces()
		if !startsKey(p.peek()) {
			return nil, p.fail("expected the key of a parameter")
		}
		key, value := p.takeWhile(inKey), Value(Boolean(true))
		if p.accept('=') {
			var err error
			if value, err = p.value(); err != nil {
				return nil, err
			}
		}
		if params = params.set(key, value); len(params) > maxParams {
			return nil, p.fail("too many parameters")
		}
	}
	return params, nil
}
