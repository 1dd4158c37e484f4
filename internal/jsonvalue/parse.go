package jsonvalue

import (
	"bytes"
	"math"
	"strconv"
)

// Parse reads one value with nothing but white space around it. A fault of the
// syntax or of the depth is told alone; names that occur twice in an object are all
// told, each at its place, up to a hundred. The document is nil when there is a
// fault; it keeps data, which must not change any more.
func Parse(data []byte, l Limits) (*Document, []Fault) {
	if l.Depth <= 0 {
		l.Depth = defaultDepth
	}
	p := parser{data: data, depth: l.Depth}
	p.nodes = make([]node, 0, estimate(data))
	p.faults.path = p.buffer[:0]
	p.faults.d = &Document{data: data}
	p.space()
	if uint64(len(data)) > math.MaxUint32 || !p.value() || !p.atEnd() {
		if p.tooDeep {
			return nil, []Fault{{
				Pointer: p.faults.pointer(p.nodes, nil),
				Code:    "depth",
				Message: "must not be nested deeper than " + strconv.Itoa(l.Depth) + " levels",
			}}
		}
		return nil, []Fault{{Code: "syntax", Message: "Syntax error"}}
	}
	if p.faults.list != nil {
		return nil, p.faults.list
	}
	p.faults.d.nodes = p.nodes
	return p.faults.d, nil
}

// estimate is about how many nodes the text has, if it is short. It is bounded,
// since a string may be full of commas.
func estimate(data []byte) int {
	n := 1
	data = data[:min(len(data), 4096)]
	for _, mark := range []byte{',', ':', '[', '{'} {
		n += bytes.Count(data, []byte{mark})
	}
	return min(n, 512)
}

// parser reads by recursive descent. Its methods return false at a fault.
type parser struct {
	data    []byte
	pos     int
	depth   int // how much deeper it may go
	nodes   []node
	tooDeep bool
	faults  faults
	buffer  [8]step // of the path
}

func (p *parser) space() {
	for p.pos < len(p.data) {
		switch p.data[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

func (p *parser) atEnd() bool {
	p.space()
	return p.pos == len(p.data)
}

// peek is the next byte, 0 at the end: no token begins with it.
func (p *parser) peek() byte {
	if p.pos < len(p.data) {
		return p.data[p.pos]
	}
	return 0
}

// accept goes over the byte if it is the next.
func (p *parser) accept(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.pos++
	return true
}

func (p *parser) value() bool {
	switch c := p.peek(); c {
	case '{':
		return p.container(kindObject)
	case '[':
		return p.container(kindArray)
	case '"':
		return p.str()
	case 't':
		return p.word("true", kindTrue)
	case 'f':
		return p.word("false", kindFalse)
	case 'n':
		return p.word("null", kindNull)
	default:
		return p.number()
	}
}

// add appends a node that ends here and has nothing inside.
func (p *parser) add(k kind, start, end int, escaped bool) {
	p.nodes = append(p.nodes, node{
		start: uint32(start), end: uint32(end), next: uint32(len(p.nodes) + 1), kind: k, escaped: escaped,
	})
}

func (p *parser) word(w string, k kind) bool {
	end := p.pos + len(w)
	if end > len(p.data) || string(p.data[p.pos:end]) != w {
		return false
	}
	p.add(k, p.pos, end, false)
	p.pos = end
	return true
}

// number follows the grammar: no sign but "-", no leading zero, digits on both
// sides of the point and behind the exponent.
func (p *parser) number() bool {
	start := p.pos
	p.accept('-')
	if !p.accept('0') && !p.digits() {
		return false
	}
	if p.accept('.') && !p.digits() {
		return false
	}
	if p.accept('e') || p.accept('E') {
		if !p.accept('+') {
			p.accept('-')
		}
		if !p.digits() {
			return false
		}
	}
	p.add(kindNumber, start, p.pos, false)
	return true
}

// digits goes over one or more.
func (p *parser) digits() bool {
	start := p.pos
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		p.pos++
	}
	return p.pos > start
}

// container reads an array or an object.
func (p *parser) container(k kind) bool {
	if p.depth == 0 {
		p.tooDeep = true
		return false
	}
	p.depth--
	self, closing := len(p.nodes), byte(']')
	if k == kindObject {
		closing = '}'
	}
	p.add(k, p.pos, 0, false)
	p.pos++
	size := uint32(0)
	for p.space(); size > 0 || p.peek() != closing; size++ {
		if k == kindArray {
			p.faults.enter(step{index: size})
			if !p.value() {
				return false
			}
		} else if !p.member() {
			return false
		}
		p.faults.leave()
		p.space()
		if !p.accept(',') {
			size++
			break
		}
		p.space()
	}
	if !p.accept(closing) {
		return false
	}
	p.depth++
	n := &p.nodes[self]
	n.end, n.next, n.size = uint32(p.pos), uint32(len(p.nodes)), size
	if k == kindObject {
		p.duplicates(uint32(self))
	}
	return true
}

// member reads a name and its value.
func (p *parser) member() bool {
	name := len(p.nodes)
	if !p.str() {
		return false
	}
	p.space()
	if !p.accept(':') {
		return false
	}
	p.space()
	p.faults.enter(step{name: uint32(name)})
	if !p.value() {
		return false
	}
	p.nodes[name].next = uint32(len(p.nodes))
	return true
}
