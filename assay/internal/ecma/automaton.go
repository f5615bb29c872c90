package ecma

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"
)

// Bounds of an automaton. A pattern that needs more runs elsewhere.
const (
	maxInsts = 3_000   // instructions of the nondeterministic program
	maxTable = 1 << 14 // transitions: states times byte classes
	maxWork  = 100_000 // instructions looked at while building, some milliseconds
)

// automaton is a deterministic automaton over the bytes of UTF-8. It says
// whether a text holds a match anywhere at one table look-up a byte, whatever
// the pattern, and allocates nothing.
//
// A state is an offset into table, where its row of transitions starts. Row 0
// is the state "matched", the next one "can no longer match".
type automaton struct {
	start   uint16
	dead    uint16
	width   int        // byte classes, the length of a row
	class   [256]uint8 // of each byte
	table   []uint16
	accepts []bool // by row: a text that ends here holds a match
}

func (a *automaton) match(s string) bool {
	state := a.start
	for i := 0; i < len(s); i++ {
		if state <= a.dead {
			return state == 0
		}
		state = a.table[int(state)+int(a.class[s[i]])]
	}
	return a.accepts[int(state)/a.width]
}

// inst is an instruction of the nondeterministic program.
type inst struct {
	op     op // opChar: a byte from lo to hi; opAlternate: any of outs; an assertion; opEmpty: matched
	lo, hi byte
	outs   []int32 // what comes next: one, but for opAlternate
}

// program is the nondeterministic program of a pattern, and what building the
// automaton from it needs.
type program struct {
	insts []inst
	words bool // has \b or \B
	work  int
	stack []int32 // of follow
	seen  []int   // by instruction: the last call of follow that met it
	calls int
}

const matched = 0 // the instruction that ends a match

// compileAutomaton builds the automaton of n, which has no backreferences,
// lookarounds or properties that are not known here; nil if it would be too
// large. Work is what it took, in the unit of [Set].
func compileAutomaton(n *node) (a *automaton, work int) {
	p := &program{insts: []inst{{op: opEmpty}}}
	start := p.compile(n, matched)
	work = workPerInst * len(p.insts)
	if len(p.insts) > maxInsts {
		return nil, work
	}
	p.seen = make([]int, len(p.insts))
	a = p.determine(start)
	return a, work + p.work
}

func (p *program) add(i inst) int32 {
	p.insts = append(p.insts, i)
	return int32(len(p.insts) - 1)
}

// compile adds the instructions of n before next, and returns the first.
func (p *program) compile(n *node, next int32) int32 {
	if len(p.insts) > maxInsts {
		return next
	}
	switch n.op {
	case opChar:
		return p.class(set{{n.char, n.char}}.canonical(), next)
	case opClass:
		return p.class(n.class.set, next)
	case opBegin, opEnd, opWord, opNotWord:
		p.words = p.words || n.op == opWord || n.op == opNotWord
		return p.add(inst{op: n.op, outs: []int32{next}})
	case opConcat:
		for _, sub := range slices.Backward(n.subs) {
			next = p.compile(sub, next)
		}
	case opAlternate:
		outs := make([]int32, len(n.subs))
		for i, sub := range n.subs {
			outs[i] = p.compile(sub, next)
		}
		return p.add(inst{op: opAlternate, outs: outs})
	case opGroup:
		return p.compile(n.subs[0], next)
	case opRepeat:
		after := next
		if n.max == unlimited {
			loop := p.add(inst{op: opAlternate})
			body := p.compile(n.subs[0], loop)
			p.insts[loop].outs = []int32{body, after}
			next = loop
		} else {
			for range n.max - n.min {
				next = p.add(inst{op: opAlternate, outs: []int32{p.compile(n.subs[0], next), after}})
			}
		}
		for range n.min {
			next = p.compile(n.subs[0], next)
		}
	}
	return next
}

// class adds the instructions that read one character of s.
func (p *program) class(s set, next int32) int32 {
	// Equal ends of two encodings are written once.
	known := make(map[tail]int32)
	var outs []int32
	for _, sp := range s {
		encodings(sp, func(lo, hi []byte) {
			at := next
			for i := len(lo) - 1; i >= 0; i-- {
				key := tail{lo[i], hi[i], at}
				pc, ok := known[key]
				if !ok {
					pc = p.add(inst{op: opChar, lo: lo[i], hi: hi[i], outs: []int32{at}})
					known[key] = pc
				}
				at = pc
			}
			outs = append(outs, at)
		})
		if len(p.insts) > maxInsts {
			break
		}
	}
	if len(outs) == 1 {
		return outs[0]
	}
	return p.add(inst{op: opAlternate, outs: outs})
}

// tail is a byte of an encoding and what comes after it.
type tail struct {
	lo, hi byte
	next   int32
}

// encodings splits a span into pieces whose UTF-8 encodings are, byte by byte,
// all combinations of the bytes between those of its first and last character.
func encodings(sp span, emit func(lo, hi []byte)) {
	split := func(last rune) bool {
		if sp.lo > last || sp.hi <= last {
			return false
		}
		encodings(span{sp.lo, last}, emit)
		encodings(span{last + 1, sp.hi}, emit)
		return true
	}
	// All of one length first; then, for 6 bits a byte from the end, either the
	// bits before are the same in both or those after are all there.
	if split(0x7F) || split(0x7FF) || split(0xFFFF) {
		return
	}
	if sp.hi > 0x7F {
		for mask := rune(0x3F); mask < 0x3FFFF+1; mask = mask<<6 | 0x3F {
			if sp.lo&^mask == sp.hi&^mask {
				continue
			}
			if sp.lo&mask != 0 && split(sp.lo|mask) || sp.hi&mask != mask && split(sp.hi&^mask-1) {
				return
			}
		}
	}
	emit(utf8.AppendRune(nil, sp.lo), utf8.AppendRune(nil, sp.hi))
}

// place is a position between two characters, as far as it is known.
type place struct {
	begin    bool // the text's begin
	known    bool // what follows is known:
	end      bool // the end
	boundary bool // a word boundary
}

// follow returns the instructions that wait for a byte, or for what is not yet
// known of the place, behind pcs; done means that a match ends here.
func (p *program) follow(pcs []int32, at place) (waiting []int32, done bool) {
	p.calls++
	stack := append(p.stack[:0], pcs...)
	defer func() { p.stack = stack }()
	for len(stack) > 0 {
		pc := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if p.seen[pc] == p.calls {
			continue
		}
		p.seen[pc] = p.calls
		p.work++
		in := &p.insts[pc]
		pass := true
		switch in.op {
		case opEmpty:
			return nil, true
		case opChar:
			waiting = append(waiting, pc)
			continue
		case opBegin:
			pass = at.begin
		case opEnd, opWord, opNotWord:
			if !at.known {
				waiting = append(waiting, pc)
				continue
			}
			pass = in.op == opEnd && at.end || in.op == opWord && at.boundary || in.op == opNotWord && !at.boundary
		}
		if pass {
			stack = append(stack, in.outs...)
		}
	}
	slices.Sort(waiting)
	return waiting, false
}

// state is a state of the automaton: what waits, and what is known of the place
// before the next byte.
type state struct {
	waiting []int32
	begin   bool
	word    bool // the character before is a word character
}

// builder turns a program into an automaton.
//
// A search starts anew at each character. What waits there is the same each
// time (restart), so states leave it out; it is joined before a byte that
// starts a character, and at the end.
type builder struct {
	*program
	*automaton
	restart []int32
	states  []state           // by row
	rows    map[string]uint16 // of states
	arrived map[string]uint16 // the rows that instructions lead to
	key     []byte
}

// determine builds the automaton; nil if it would be too large.
func (p *program) determine(start int32) *automaton {
	b := &builder{
		program: p, automaton: &automaton{},
		states: make([]state, 2), rows: make(map[string]uint16), arrived: make(map[string]uint16),
	}
	firsts := p.classes(b.automaton)
	b.width = len(firsts)
	b.dead = uint16(b.width)
	b.table = make([]uint16, 2*b.width)
	for i := range b.width {
		b.table[b.width+i] = b.dead
	}
	b.accepts = []bool{true, false}
	b.restart, _ = p.follow([]int32{start}, place{})
	waiting, done := p.follow([]int32{start}, place{begin: true})
	if done {
		return b.automaton // in its start, row 0, it has matched
	}
	ok := true
	if b.start, ok = b.row(state{waiting: waiting, begin: true}); !ok {
		return nil
	}
	for i := 2; i < len(b.states); i++ {
		if !b.fill(i, firsts) {
			return nil
		}
	}
	return b.automaton
}

// fill computes the transitions of the i-th state; false if there is no room.
func (b *builder) fill(i int, firsts []byte) bool {
	s := b.states[i]
	all := append(slices.Clone(s.waiting), b.restart...)
	at := place{begin: s.begin, known: true}
	// What waits for a byte depends only on these two things about it.
	type kind struct{ start, boundary bool }
	type ready struct {
		waiting []int32
		done    bool
	}
	known := make(map[kind]ready, 4)
	var after []int32
	for class, first := range firsts {
		k := kind{utf8.RuneStart(first), b.words && s.word != word(first)}
		r, met := known[k]
		if !met {
			from := all
			if !k.start {
				from = s.waiting
			}
			at.boundary = k.boundary
			r.waiting, r.done = b.follow(from, at)
			known[k] = r
		}
		if r.done {
			continue // the row of "matched" is 0
		}
		b.work += len(r.waiting)
		after = after[:0]
		for _, pc := range r.waiting {
			if in := &b.insts[pc]; in.lo <= first && first <= in.hi {
				after = append(after, in.outs...)
			}
		}
		row, ok := b.arrive(after, b.words && word(first))
		if !ok || b.work > maxWork {
			return false
		}
		b.table[i*b.width+class] = row
	}
	at.end, at.boundary = true, b.words && s.word
	_, done := b.follow(all, at)
	b.accepts = append(b.accepts, done)
	return true
}

// arrive returns the row of the state in which the instructions come next.
func (b *builder) arrive(after []int32, word bool) (row uint16, ok bool) {
	b.key = appendKey(b.key[:0], after, false, word)
	if row, met := b.arrived[string(b.key)]; met {
		return row, true
	}
	key := string(b.key)
	waiting, done := b.follow(after, place{})
	if done {
		b.arrived[key] = 0
		return 0, true
	}
	row, ok = b.row(state{waiting: waiting, word: word})
	b.arrived[key] = row
	return row, ok
}

// row returns the row of s, which it adds if it is new and there is room.
func (b *builder) row(s state) (row uint16, ok bool) {
	if len(s.waiting) == 0 && len(b.restart) == 0 {
		return b.dead, true
	}
	b.key = appendKey(b.key[:0], s.waiting, s.begin, s.word)
	if row, met := b.rows[string(b.key)]; met {
		return row, true
	}
	if len(b.table)+b.width > maxTable {
		return 0, false
	}
	row = uint16(len(b.table))
	b.rows[string(b.key)] = row
	b.states = append(b.states, s)
	b.table = append(b.table, make([]uint16, b.width)...)
	return row, true
}

func appendKey(key []byte, pcs []int32, begin, word bool) []byte {
	flags := byte(0)
	if begin {
		flags |= 1
	}
	if word {
		flags |= 2
	}
	key = append(key, flags)
	for _, pc := range pcs {
		key = binary.LittleEndian.AppendUint32(key, uint32(pc))
	}
	return key
}

func word(b byte) bool { return words.contains(rune(b)) }

// classes fills in which bytes the program cannot tell apart, and returns the
// first of each class.
func (p *program) classes(a *automaton) (firsts []byte) {
	var starts [257]bool
	mark := func(lo, hi byte) { starts[lo], starts[int(hi)+1] = true, true }
	mark(0x80, 0xBF) // bytes that start no character
	if p.words {
		for _, sp := range words {
			mark(byte(sp.lo), byte(sp.hi))
		}
	}
	for _, in := range p.insts {
		if in.op == opChar {
			mark(in.lo, in.hi)
		}
	}
	starts[0] = true
	for b := range 256 {
		if starts[b] {
			firsts = append(firsts, byte(b))
		}
		a.class[b] = uint8(len(firsts) - 1)
	}
	return firsts
}
