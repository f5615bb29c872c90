package ecma

import (
	"strings"
	"unicode/utf8"
	"unsafe"
)

// shape is a pattern that is a plain sequence from the text's begin: `^`, then
// characters and repeated classes, then perhaps `$`, such that taking as much as
// possible at each step is always right. A loop matches it: in time linear in
// the text, whatever the counts, without allocating.
type shape struct {
	steps []step
	end   bool // nothing may follow
}

// step is a literal, or a class repeated min to max times.
type step struct {
	literal  string
	ascii    [2]uint64 // the class below 0x80, a bit each
	wide     set       // and from there on
	min, max int
}

func (sh *shape) match(s string) bool {
	for i := range sh.steps {
		st := &sh.steps[i]
		if st.literal != "" {
			if !strings.HasPrefix(s, st.literal) {
				return false
			}
			s = s[len(st.literal):]
			continue
		}
		at := st.take(s)
		if at < 0 {
			return false
		}
		s = s[at:]
	}
	return !sh.end || s == ""
}

// take returns how many bytes of s the step takes, or -1.
func (st *step) take(s string) int {
	count, i := 0, 0
	for count < st.max && i < len(s) {
		if c := s[i]; c < utf8.RuneSelf {
			if st.ascii[c>>6]&(1<<(c&63)) == 0 {
				break
			}
			i++
		} else {
			r, size := utf8.DecodeRuneInString(s[i:])
			if !st.wide.contains(r) {
				break
			}
			i += size
		}
		count++
	}
	if count < st.min {
		return -1
	}
	return i
}

// maxOptional is how many parts in a row a shape may have that can be absent.
const maxOptional = 16

// size returns the bytes of memory of sh.
func (sh *shape) size() int {
	bytes := 0
	for _, st := range sh.steps {
		bytes += int(unsafe.Sizeof(st)) + len(st.literal) + len(st.wide)*int(unsafe.Sizeof(span{}))
	}
	return bytes
}

// part is a repeated class of a sequence that may become a shape.
type part struct {
	set      set
	min, max int
}

// shapeOf returns the shape of n, or nil if it has none.
func shapeOf(n *node) *shape {
	terms, ok := flatten(n, nil)
	if !ok || len(terms) == 0 || terms[0].op != opBegin {
		return nil
	}
	terms = terms[1:]
	sh := &shape{}
	if last := len(terms) - 1; last >= 0 && terms[last].op == opEnd {
		sh.end = true
		terms = terms[:last]
	}
	var parts []part
	for _, term := range terms {
		p := part{min: 1, max: 1}
		if term.op == opRepeat {
			p.min, p.max = term.min, term.max
			term = term.subs[0]
			for term.op == opGroup {
				term = term.subs[0]
			}
		}
		switch term.op {
		case opChar:
			p.set = set{{term.char, term.char}}.canonical()
		case opClass:
			if !term.class.known {
				return nil
			}
			p.set = term.class.set
		default:
			return nil
		}
		if p.max > 0 {
			parts = append(parts, p)
		}
	}
	for i := range parts {
		if !greedy(parts[i:]) {
			return nil
		}
	}
	sh.steps = steps(parts)
	return sh
}

// flatten appends the terms of n, a sequence of sequences, to terms.
func flatten(n *node, terms []*node) ([]*node, bool) {
	switch n.op {
	case opEmpty:
		return terms, true
	case opGroup:
		return flatten(n.subs[0], terms)
	case opConcat:
		ok := true
		for _, sub := range n.subs {
			if terms, ok = flatten(sub, terms); !ok {
				return nil, false
			}
		}
		return terms, true
	case opAlternate, opBackref, opLook:
		return nil, false
	}
	return append(terms, n), true
}

// greedy reports whether the first part may take all it can: either it takes a
// fixed number, or no character it takes could be the next part's instead.
func greedy(parts []part) bool {
	first := parts[0]
	if first.min == first.max {
		return true
	}
	for i, p := range parts[1:] {
		if i == maxOptional {
			return false
		}
		if first.set.overlaps(p.set) {
			return false
		}
		if p.min > 0 {
			break
		}
	}
	return true
}

func steps(parts []part) []step {
	var out []step
	var literal []byte
	flush := func() {
		if len(literal) > 0 {
			out = append(out, step{literal: string(literal)})
			literal = literal[:0]
		}
	}
	for _, p := range parts {
		if p.min == 1 && p.max == 1 && len(p.set) == 1 && p.set[0].lo == p.set[0].hi {
			literal = utf8.AppendRune(literal, p.set[0].lo)
			continue
		}
		flush()
		st := step{min: p.min, max: p.max}
		for _, sp := range p.set {
			for r := sp.lo; r <= min(sp.hi, utf8.RuneSelf-1); r++ {
				st.ascii[r>>6] |= 1 << (r & 63)
			}
			if sp.hi >= utf8.RuneSelf {
				st.wide = append(st.wide, span{max(sp.lo, utf8.RuneSelf), sp.hi})
			}
		}
		out = append(out, st)
	}
	flush()
	return out
}
