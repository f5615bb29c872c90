package policydoc

import (
	"strings"

	"example.com/assay/internal/jsonpointer"
)

// Places finds the lines and columns of a document's values, many in time
// linear in the document and the pointers. It is for one goroutine at a time.
type Places struct {
	root    *Node
	indices map[*Node]map[string]int // of the members of mappings that are large
}

// NewPlaces returns the places of the document root.
func NewPlaces(root *Node) *Places {
	return &Places{root: root}
}

// Of returns where a JSON Pointer (RFC 6901) leads: to the key of a mapping's
// member, to the item of a list, to the start of the root. Where it leads to
// nothing, that is the place of the last thing on its way.
func (p *Places) Of(pointer string) (line, column int) {
	n := p.root
	line, column = n.Line, n.Column
	for pointer != "" {
		var token string
		token, pointer = cutToken(pointer)
		switch n.Kind {
		case Map:
			m := p.member(n, token)
			if m == nil {
				return line, column
			}
			n, line, column = m.Value, m.Line, m.Column
		case List:
			item := n.item(token)
			if item == nil {
				return line, column
			}
			n, line, column = item, item.Line, item.Column
		default:
			return line, column
		}
	}
	return line, column
}

// cutToken splits a pointer behind its first token.
func cutToken(pointer string) (token, rest string) {
	pointer = pointer[1:]
	if i := strings.IndexByte(pointer, '/'); i >= 0 {
		return pointer[:i], pointer[i:]
	}
	return pointer, ""
}

// member returns the member of n that a token names, or nil.
func (p *Places) member(n *Node, token string) *Member {
	const few = 16
	key, ok := jsonpointer.Unescape(token)
	if !ok {
		return nil
	}
	if len(n.Members) <= few {
		for i := range n.Members {
			if n.Members[i].Key == key {
				return &n.Members[i]
			}
		}
		return nil
	}
	index := p.indices[n]
	if index == nil {
		index = make(map[string]int, len(n.Members))
		for i := range n.Members {
			index[n.Members[i].Key] = i
		}
		if p.indices == nil {
			p.indices = map[*Node]map[string]int{}
		}
		p.indices[n] = index
	}
	i, ok := index[key]
	if !ok {
		return nil
	}
	return &n.Members[i]
}
