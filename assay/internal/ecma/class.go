package ecma

import (
	"slices"
	"unicode"
)

// span is a range of code points, both ends included.
type span struct{ lo, hi rune }

// set is a set of code points: spans in ascending order that neither overlap
// nor touch, without surrogates (no text holds one).
type set []span

// item is one member of a class: a span, or a property where prop is not nil.
type item struct {
	span
	prop *property
	not  bool // \P{…}
}

// class is a character class as it was written.
type class struct {
	items   []item
	negated bool
	known   bool // set holds its code points (property.go says when not)
	set     set
}

// The sets behind the escapes and the dot (ECMA-262 sections 22.2.2.7 and
// 22.2.2.9; WhiteSpace and LineTerminator in 12.2 and 12.3).
var (
	digits = set{{'0', '9'}}
	words  = set{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}
	spaces = set{{'\t', '\r'}, {' ', ' '}, {0xA0, 0xA0}, {0x1680, 0x1680}, {0x2000, 0x200A},
		{0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}}
	lineEnds = set{{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}
)

// items returns the spans of s, or of its complement, as members of a class.
func (s set) items(complement bool) []item {
	if complement {
		s = s.complement()
	}
	out := make([]item, len(s))
	for i, sp := range s {
		out[i].span = sp
	}
	return out
}

func (s set) complement() set {
	out := make(set, 0, len(s)+1)
	next := rune(0)
	for _, sp := range s {
		if next < sp.lo {
			out = append(out, span{next, sp.lo - 1})
		}
		next = sp.hi + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, span{next, unicode.MaxRune})
	}
	return out.canonical()
}

// canonical sorts and merges spans in any order into a set. It reuses s.
func (s set) canonical() set {
	const first, last = 0xD800, 0xDFFF
	for i := 0; i < len(s); i++ {
		sp := &s[i]
		switch {
		case sp.hi < first || sp.lo > last:
		case sp.lo < first && sp.hi > last:
			s = append(s, span{last + 1, s[i].hi})
			s[i].hi = first - 1
		case sp.lo < first:
			sp.hi = first - 1
		case sp.hi > last:
			sp.lo = last + 1
		default:
			sp.lo, sp.hi = 1, 0 // nothing is left
		}
	}
	s = slices.DeleteFunc(s, func(sp span) bool { return sp.lo > sp.hi })
	slices.SortFunc(s, func(a, b span) int { return int(a.lo - b.lo) })
	out := s[:0]
	for _, sp := range s {
		if n := len(out); n > 0 && sp.lo <= out[n-1].hi+1 {
			out[n-1].hi = max(out[n-1].hi, sp.hi)
			continue
		}
		out = append(out, sp)
	}
	return out
}

func (s set) contains(r rune) bool {
	lo, hi := 0, len(s)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		switch {
		case r < s[mid].lo:
			hi = mid
		case r > s[mid].hi:
			lo = mid + 1
		default:
			return true
		}
	}
	return false
}

// overlaps reports whether some code point is in both sets.
func (s set) overlaps(t set) bool {
	for i, j := 0, 0; i < len(s) && j < len(t); {
		switch {
		case s[i].hi < t[j].lo:
			i++
		case t[j].hi < s[i].lo:
			j++
		default:
			return true
		}
	}
	return false
}

// resolve finds the code points that c matches.
func (c *class) resolve() {
	var s set
	for _, it := range c.items {
		if it.prop == nil {
			s = append(s, it.span)
			continue
		}
		p, ok := it.prop.set()
		if !ok {
			return
		}
		if it.not {
			p = p.complement()
		}
		s = append(s, p...)
	}
	s = s.canonical()
	if c.negated {
		s = s.complement()
	}
	c.set, c.known = s, true
}
