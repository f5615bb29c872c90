package lint

import (
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/assay/assay/internal/policydoc"
	"example.com/assay/internal/jsonpointer"
)

// place is a value in a policy. Its line and column are those of its key, of
// the item itself in a list, and of the document at the root.
type place struct {
	node         *policydoc.Node // never nil
	line, column int
	in           *place // nil at the root
	key          string // in a mapping
	index        int    // in a list, else -1
	path         string // where it is known only by its pointer, else ""
}

func rootPlace(n *policydoc.Node) place {
	return place{node: n, line: n.Line, column: n.Column, index: -1}
}

// members are those of a mapping, in the order of the text; anything else has none.
func (p place) members() iter.Seq[place] {
	return func(yield func(place) bool) {
		for _, m := range p.node.Members {
			if !yield(place{m.Value, m.Line, m.Column, &p, m.Key, -1, ""}) {
				return
			}
		}
	}
}

// items are those of a list; anything else has none.
func (p place) items() iter.Seq[place] {
	return func(yield func(place) bool) {
		for i, n := range p.node.Items {
			if !yield(place{n, n.Line, n.Column, &p, "", i, ""}) {
				return
			}
		}
	}
}

// at returns the place of the keys, one below the other; ok is false where one
// of them is absent.
func (p place) at(keys ...string) (found place, ok bool) {
	for _, key := range keys {
		in := p
		ok = false
		for _, m := range in.node.Members {
			if m.Key == key {
				p, ok = place{m.Value, m.Line, m.Column, &in, key, -1, ""}, true
				break
			}
		}
		if !ok {
			return place{}, false
		}
	}
	return p, true
}

// text is the value where it is text, else "".
func (p place) text() string {
	if p.node.Kind == policydoc.String {
		return p.node.Text
	}
	return ""
}

// pointer is the place as a JSON Pointer (RFC 6901) with keys of at most 128 bytes.
func (p place) pointer() string {
	if p.path != "" {
		return p.path
	}
	var b strings.Builder
	p.write(&b)
	return b.String()
}

func (p place) write(b *strings.Builder) {
	if p.in == nil {
		return
	}
	p.in.write(b)
	b.WriteByte('/')
	if p.index >= 0 {
		b.WriteString(strconv.Itoa(p.index))
		return
	}
	b.WriteString(jsonpointer.Escape(cut(p.key, 128)))
}

// cut shortens text to at most most bytes, on a character boundary.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

// quote shows text of the policy, short and on one line.
func quote(text string) string { return strconv.Quote(cut(text, 64)) }
