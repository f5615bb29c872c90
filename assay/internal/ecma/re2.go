package ecma

import (
	"fmt"
	"regexp"
	"strings"
)

// Bounds of what runs on Go's regexp. Its time is at most proportional to the
// program times the text, so the program is kept small.
const (
	maxProgram = 10_000  // instructions, by node.program's reckoning
	maxSource  = 1 << 20 // bytes of the translated pattern
)

// program returns about how many instructions n takes in Go's regexp, or more
// than maxProgram; ok is false where n has what regexp cannot say.
func (n *node) program() (size int, ok bool) {
	switch n.op {
	case opBackref, opLook:
		return 0, false
	case opClass:
		if !n.class.known {
			return 0, false
		}
	}
	size = 1
	for _, sub := range n.subs {
		s, ok := sub.program()
		if !ok {
			return 0, false
		}
		size += s
	}
	if n.op == opRepeat {
		copies := n.max
		if n.max == unlimited {
			copies = n.min + 1
		}
		size = times(min(size, maxProgram+1), max(copies, 1))
	}
	return min(size, maxProgram+1), true
}

// compileRE2 translates n to Go's regexp; ok is false where regexp cannot say
// the same or the program would be too large.
//
// Why the meaning is the same: a yes or no depends on the language alone, which
// ECMA-262 and RE2 define alike for alternatives, sequences, repetitions (an
// iteration that takes no text adds nothing to the language) and `^`, `$`, `\b`
// without flags; each class is written out as the code points it has here.
// Captures and laziness are left out, since only backreferences and lookarounds
// can see them.
func compileRE2(n *node) (re *regexp.Regexp, size int, ok bool) {
	size, ok = n.program()
	if !ok || size > maxProgram {
		return nil, 0, false
	}
	var w re2Writer
	w.node(n)
	if w.Len() > maxSource {
		return nil, 0, false
	}
	re, err := regexp.Compile(w.String())
	return re, size, err == nil
}

type re2Writer struct{ strings.Builder }

// node writes n so that it can stand before a quantifier.
func (w *re2Writer) node(n *node) {
	if w.Len() > maxSource {
		return
	}
	switch n.op {
	case opEmpty:
		w.WriteString(`(?:)`)
	case opChar:
		w.set(set{{n.char, n.char}}.canonical())
	case opClass:
		w.set(n.class.set)
	case opBegin:
		w.WriteString(`\A`)
	case opEnd:
		w.WriteString(`\z`)
	case opWord:
		w.WriteString(`\b`)
	case opNotWord:
		w.WriteString(`\B`)
	case opGroup:
		w.node(n.subs[0])
	case opConcat, opAlternate:
		w.WriteString(`(?:`)
		for i, sub := range n.subs {
			if i > 0 && n.op == opAlternate {
				w.WriteByte('|')
			}
			w.node(sub)
		}
		w.WriteByte(')')
	case opRepeat:
		w.repeat(n)
	}
}

// repeat writes a repetition. Go's regexp takes counts up to 1,000, multiplied
// over nested ones; x{m,n} is the same as x{a,b}x{m-a,n-b}.
func (w *re2Writer) repeat(n *node) {
	var sub re2Writer
	sub.node(n.subs[0])
	if sub.Len() > maxSource {
		w.WriteString(sub.String())
		return
	}
	most := max(1000/n.subs[0].repeats(), 1)
	w.WriteString(`(?:`)
	write := func(count int, format string) {
		for ; count > 0 && w.Len() <= maxSource; count -= most {
			w.WriteString(sub.String())
			fmt.Fprintf(w, format, min(count, most))
		}
	}
	write(n.min, `{%d}`)
	if n.max == unlimited {
		w.WriteString(sub.String())
		w.WriteByte('*')
	} else {
		write(n.max-n.min, `{0,%d}`)
	}
	w.WriteByte(')')
}

// repeats returns the product of the counts of nested repetitions in n.
func (n *node) repeats() int {
	product := 1
	for _, sub := range n.subs {
		product = max(product, sub.repeats())
	}
	if n.op == opRepeat {
		if n.max != unlimited {
			product *= min(max(n.max, 1), 1000)
		} else {
			product *= min(max(n.min, 1), 1000)
		}
	}
	return min(product, 1000)
}

func (w *re2Writer) set(s set) {
	if len(s) == 0 {
		w.WriteString(`[^\x{0}-\x{10FFFF}]`)
		return
	}
	w.WriteByte('[')
	for _, sp := range s {
		fmt.Fprintf(w, `\x{%X}`, sp.lo)
		if sp.hi > sp.lo {
			fmt.Fprintf(w, `-\x{%X}`, sp.hi)
		}
	}
	w.WriteByte(']')
}
