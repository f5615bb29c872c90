package policydoc

import (
	"unicode/utf8"

	"example.com/assay/assay/internal/strictjson"
)

// parseJSON builds the tree of a text that strictjson.Check accepts and whose
// root is an object or array; nothing is checked again.
func parseJSON(text []byte) *Node {
	r := jsonReader{text: text, line: 1, column: 1}
	n, _ := r.value(strictjson.SkipSpace(text, 0))
	return n
}

type jsonReader struct {
	text    []byte
	scratch []byte
	nodes   nodes
	// items and members are those of the lists and mappings that are open, the
	// innermost last: how many one holds is known when it ends.
	items   []*Node
	members []Member
	// at is an offset, line and column its position.
	at, line, column int
}

// position moves on to offset i, never back, and returns where that is.
func (r *jsonReader) position(i int) (line, column int) {
	for ; r.at < i; r.at++ {
		switch b := r.text[r.at]; {
		case b == '\n', b == '\r' && r.text[r.at+1] != '\n': // a value follows, so there is a next byte
			r.line++
			r.column = 1
		case b != '\r' && utf8.RuneStart(b):
			r.column++
		}
	}
	return r.line, r.column
}

// value reads the value at i and returns it with the offset behind it.
func (r *jsonReader) value(i int) (*Node, int) {
	n := r.nodes.next()
	n.Line, n.Column = r.position(i)
	switch r.text[i] {
	case '{':
		n.Kind = Map
		i = r.object(n, i)
	case '[':
		n.Kind = List
		i = r.array(n, i)
	case '"':
		n.Kind = String
		n.Text, i = r.string(i)
	case 't':
		n.Kind, n.Bool = Bool, true
		i += len("true")
	case 'f':
		n.Kind = Bool
		i += len("false")
	case 'n':
		i += len("null")
	default:
		n.Kind = Number
		end, _ := strictjson.ScanNumber(r.text, i)
		n.Text = string(r.text[i:end])
		i = end
	}
	return n, i
}

func (r *jsonReader) array(n *Node, i int) int {
	first := len(r.items)
	for r.text[i] != ']' {
		// At the bracket or a comma.
		if i = strictjson.SkipSpace(r.text, i+1); r.text[i] == ']' {
			break // only in an empty one
		}
		var item *Node
		item, i = r.value(i)
		r.items = append(r.items, item)
		i = strictjson.SkipSpace(r.text, i)
	}
	n.Items = r.nodes.list(len(r.items) - first)
	copy(n.Items, r.items[first:])
	r.items = r.items[:first]
	return i + 1
}

func (r *jsonReader) object(n *Node, i int) int {
	first := len(r.members)
	for r.text[i] != '}' {
		// At the brace or a comma.
		if i = strictjson.SkipSpace(r.text, i+1); r.text[i] == '}' {
			break // only in an empty one
		}
		var m Member
		m.Line, m.Column = r.position(i)
		m.Key, i = r.string(i)
		i = strictjson.SkipSpace(r.text, i) // the colon
		m.Value, i = r.value(strictjson.SkipSpace(r.text, i+1))
		r.members = append(r.members, m)
		i = strictjson.SkipSpace(r.text, i)
	}
	n.Members = r.nodes.members(len(r.members) - first)
	copy(n.Members, r.members[first:])
	r.members = r.members[:first]
	return i + 1
}

func (r *jsonReader) string(i int) (string, int) {
	end, plain, _ := strictjson.ScanString(r.text, i)
	if plain {
		return string(r.text[i+1 : end-1]), end
	}
	r.scratch = strictjson.AppendUnquoted(r.scratch[:0], r.text[i:end])
	return string(r.scratch), end
}

// nodes hands out nodes, and what they hold, from blocks.
type nodes struct {
	free        []Node
	freeItems   []*Node
	freeMembers []Member
}

func (s *nodes) next() *Node { return &take(&s.free, 1)[0] }

// list returns the Items of a list of n.
func (s *nodes) list(n int) []*Node { return take(&s.freeItems, n) }

// members returns the Members of a mapping of n.
func (s *nodes) members(n int) []Member { return take(&s.freeMembers, n) }

// take cuts n zero values off the free ones.
func take[T any](free *[]T, n int) []T {
	const block = 100
	if n > len(*free) {
		if n > block/4 {
			return make([]T, n)
		}
		*free = make([]T, block)
	}
	taken := (*free)[:n:n]
	*free = (*free)[n:]
	return taken
}
