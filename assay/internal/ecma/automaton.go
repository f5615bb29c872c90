package ecma

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"
)

// Bounds of an automaton. A pattern that needs more runs elsewhere.
const (
	maxInsts = 20_000  // instructions of the nondeterministic program
	maxTable = 1 << 16 // transitions: states times byte classes
	maxWork  = 200_000 // instructions looked at while building, some milliseconds
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
	op     op      // opChar: a byte from lo to hi; opAlternate: any of outs; an assertion; opEmpty: matched
	lo, hi byte    //
	outs   []int32 // what comes next: one, but for opAlternate
}

// program is the nondeterministic program of a pattern, and what building the
// automaton from it needs.
type program struct {
	insts []inst
	words bool // has \b or \B
	work  int
	seen  []int // by instruction: the last call of follow that met it
	calls int
}

const matched = 0 // the instruction that ends a match

// compileAutomaton builds the automaton of n; nil where n has backreferences or
// lookarounds, names properties that are not known here, or is too large.
func compileAutomaton(n *node) *automaton {
	if size, ok := n.program(); !ok || size > maxProgram {
		return nil
	}
	p := &program{insts: []inst{{op: opEmpty}}}
	start := p.compile(n, matched)
	if len(p.insts) > maxInsts {
		return nil
	}
	p.seen = make([]int, len(p.insts))
	return p.determine(start)
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
	known := make(map[inst3]int32)
	var outs []int32
	for _, sp := range s {
		encodings(sp, func(lo, hi []byte) {
			at := next
			for i := len(lo) - 1; i >= 0; i-- {
				key := inst3{lo[i], hi[i], at}
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
	return p.add(inst{op: opAlternate, outs: outs})
}

type inst3 struct {
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
	stack := slices.Clone(pcs)
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

// determine builds the automaton; nil if it would be too large.
//
// A search starts anew at each character. What waits there is the same each
// time (restart), so states leave it out; it is joined before a byte that
// starts a character, and at the end.
func (p *program) determine(start int32) *automaton {
	a := &automaton{}
	firsts := p.classes(a)
	a.width = len(firsts)
	a.dead = uint16(a.width)
	a.table = make([]uint16, 2*a.width)
	for i := range a.width {
		a.table[a.width+i] = a.dead
	}
	a.accepts = []bool{true, false}

	restart, _ := p.follow([]int32{start}, place{})
	waiting, done := p.follow([]int32{start}, place{begin: true})
	if done {
		return a // start is 0: matched
	}

	states := []state{{}, {}} // by row
	rows := make(map[string]uint16)
	ok := true
	row := func(s state) uint16 {
		if len(s.waiting) == 0 && len(restart) == 0 {
			return a.dead
		}
		key := s.key()
		if at, known := rows[key]; known {
			return at
		}
		if len(a.table)+a.width > maxTable {
			ok = false
			return a.dead
		}
		at := uint16(len(a.table))
		rows[key] = at
		states = append(states, s)
		a.table = append(a.table, make([]uint16, a.width)...)
		return at
	}
	a.start = row(state{waiting: waiting, begin: true})

	for i := 2; i < len(states); i++ {
		s := states[i]
		at := place{begin: s.begin, known: true}
		all := append(slices.Clone(s.waiting), restart...)
		// What waits for a byte depends only on these two things about it.
		type kind struct{ start, boundary bool }
		ready := make(map[kind][]int32)
		over := make(map[kind]bool)
		for class, b := range firsts {
			k := kind{utf8.RuneStart(b), p.words && s.word != word(b)}
			waiting, met := ready[k]
			if !met {
				from := all
				if !k.start {
					from = s.waiting
				}
				at.boundary = k.boundary
				waiting, over[k] = p.follow(from, at)
				ready[k] = waiting
			}
			p.work += len(waiting)
			done := over[k]
			var after []int32
			for _, pc := range waiting {
				if in := &p.insts[pc]; in.lo <= b && b <= in.hi {
					after = append(after, in.outs...)
				}
			}
			if !done {
				waiting, done = p.follow(after, place{})
			}
			if !done { // else the row of "matched", which is 0
				a.table[i*a.width+class] = row(state{waiting: waiting, word: p.words && word(b)})
			}
			if !ok || p.work > maxWork {
				return nil
			}
		}
		at.end, at.boundary = true, p.words && s.word
		_, done := p.follow(all, at)
		a.accepts = append(a.accepts, done)
	}
	return a
}

func word(b byte) bool { return words.contains(rune(b)) }

func (s state) key() string {
	key := make([]byte, 0, 4*len(s.waiting)+2)
	for _, pc := range s.waiting {
		key = binary.LittleEndian.AppendUint32(key, uint32(pc))
	}
	flag := func(b bool) {
		if b {
			key = append(key, 1)
		} else {
			key = append(key, 0)
		}
	}
	flag(s.begin)
	flag(s.word)
	return string(key)
}

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
