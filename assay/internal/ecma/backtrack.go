package ecma

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dlclark/regexp2/v2"
)

// DefaultBound is how long the patterns of one check may backtrack together.
const DefaultBound = 100 * time.Millisecond

// maxStack bounds the memory of one backtracking match, in words. Patterns such
// as `^(?:(?!x).)*$` take four to eight for each character.
const maxStack = 1 << 20

// ErrBound reports a match that was given up: its time or its stack ran out, or
// the engine failed. It says nothing of the pattern or the text, and is never a
// no: whoever asked has no answer.
var ErrBound = errors.New("assay: a pattern exceeded its bound")

// Bound is the backtracking time left to one check. It is not safe for
// concurrent use. Time is what a clock on the wall shows; an engine stops up to
// two ticks (10 ms) after it. The zero Bound has no time left.
type Bound struct {
	left time.Duration
	// A copy of the engine to set the time left in, which is a field of the
	// engine and not an argument. The copy shares its pools.
	engine regexp2.Regexp
}

// NewBound returns a bound of d; zero or less is exceeded from the start.
func NewBound(d time.Duration) *Bound { return &Bound{left: d} }

// tick is how often regexp2 looks at the time. Its clock is one goroutine of the
// process, which runs while a bounded match does and about a second after. Its
// own default of 100 ms would let a bound of 100 ms last 300.
const tick = 5 * time.Millisecond

func init() { regexp2.SetTimeoutCheckPeriod(tick) }

// match runs engine over s in the time that is left.
func (b *Bound) match(engine *regexp2.Regexp, s string) (matched bool, err error) {
	defer func() {
		if recover() != nil {
			matched, err = false, ErrBound
		}
	}()
	for b.left > 0 {
		b.engine = *engine
		b.engine.MatchTimeout = b.left
		start := time.Now()
		matched, err = b.engine.MatchString(s)
		b.left -= time.Since(start)
		if err == nil {
			return matched, nil
		}
		if errors.Is(err, regexp2.ErrBacktrackingStackLimit) {
			break
		}
		// Out of time, by a clock that may have been late when the match began;
		// if so there is time left, and the match begins anew.
	}
	return false, ErrBound // and not err, which quotes s
}

// compileBacktrack translates n to regexp2.
func compileBacktrack(n *node) (engine *regexp2.Regexp, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("the engine failed")
		}
	}()
	w := backtrackWriter{numbers: make(map[int]int)}
	n.referenced(w.numbers)
	w.number(n, new(int))
	w.node(n)
	return regexp2.Compile(w.String(), regexp2.ECMAScript, regexp2.Unicode, regexp2.OptionMaxBacktrackingStackSize(maxStack))
}

// backtrackWriter writes a tree in the part of regexp2's syntax that means what
// ECMA-262 means. Groups that no backreference names are not captured.
type backtrackWriter struct {
	strings.Builder
	numbers map[int]int // of the groups that are, old to new
}

// referenced collects the groups that backreferences in n name.
func (n *node) referenced(groups map[int]int) {
	if n.op == opBackref {
		groups[n.index] = 0
	}
	for _, sub := range n.subs {
		sub.referenced(groups)
	}
}

// number gives the captured groups of n their new numbers, in order.
func (w *backtrackWriter) number(n *node, last *int) {
	if _, captured := w.numbers[n.index]; captured && n.op == opGroup {
		*last++
		w.numbers[n.index] = *last
	}
	for _, sub := range n.subs {
		w.number(sub, last)
	}
}

// node writes n so that it can stand in a sequence.
func (w *backtrackWriter) node(n *node) {
	switch n.op {
	case opEmpty:
		w.WriteString(`(?:)`)
	case opChar:
		w.set(set{{n.char, n.char}}.canonical())
	case opClass:
		w.class(n.class)
	case opBegin:
		w.WriteString(`^`)
	case opEnd:
		w.WriteString(`$`)
	case opWord:
		w.WriteString(`\b`)
	case opNotWord:
		w.WriteString(`\B`)
	case opConcat, opAlternate:
		w.WriteString(`(?:`)
		for i, sub := range n.subs {
			if i > 0 && n.op == opAlternate {
				w.WriteByte('|')
			}
			w.node(sub)
		}
		w.WriteByte(')')
	case opGroup:
		if w.numbers[n.index] == 0 {
			w.node(n.subs[0])
			return
		}
		w.WriteByte('(')
		w.node(n.subs[0])
		w.WriteByte(')')
	case opBackref:
		fmt.Fprintf(w, `(?:\%d)`, w.numbers[n.index])
	case opLook:
		switch {
		case n.behind && n.negated:
			w.WriteString(`(?<!`)
		case n.behind:
			w.WriteString(`(?<=`)
		case n.negated:
			w.WriteString(`(?!`)
		default:
			w.WriteString(`(?=`)
		}
		w.node(n.subs[0])
		w.WriteByte(')')
	case opRepeat:
		// The inner group lets an assertion be repeated.
		w.WriteString(`(?:(?:`)
		w.node(n.subs[0])
		w.WriteByte(')')
		if n.max == unlimited {
			fmt.Fprintf(w, `{%d,}`, n.min)
		} else {
			fmt.Fprintf(w, `{%d,%d}`, n.min, n.max)
		}
		if n.lazy {
			w.WriteByte('?')
		}
		w.WriteByte(')')
	}
}

// class writes c as the code points it has, or by the names of its properties
// where those are many or are not known here.
func (w *backtrackWriter) class(c *class) {
	const short = 64
	if c.known && len(c.set) <= short {
		w.set(c.set)
		return
	}
	w.WriteByte('[')
	if c.negated {
		w.WriteByte('^')
	}
	var plain set
	for _, it := range c.items {
		switch {
		case it.prop == nil:
			plain = append(plain, it.span)
		case it.not:
			fmt.Fprintf(w, `\P{%s}`, it.prop.name)
		default:
			fmt.Fprintf(w, `\p{%s}`, it.prop.name)
		}
	}
	w.spans(plain.canonical())
	w.WriteByte(']')
}

func (w *backtrackWriter) set(s set) {
	if len(s) == 0 {
		w.WriteString(`(?!)`)
		return
	}
	w.WriteByte('[')
	w.spans(s)
	w.WriteByte(']')
}

func (w *backtrackWriter) spans(s set) {
	for _, sp := range s {
		fmt.Fprintf(w, `\u{%X}`, sp.lo)
		if sp.hi > sp.lo {
			fmt.Fprintf(w, `-\u{%X}`, sp.hi)
		}
	}
}
