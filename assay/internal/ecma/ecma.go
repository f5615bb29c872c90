package ecma

import (
	"regexp"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/dlclark/regexp2/v2"
)

// maxLinear is the largest program (node.program) that runs on Go's regexp
// whatever the text; maxSteps is the product of program and text, in bytes, up
// to which a larger one does before the backtracking engine, which can be
// stopped, takes over. At some 7 ns a step at worst, that is 90 ms for the
// largest linear program on 64,000 bytes, and 15 ms for maxSteps.
const (
	maxLinear = 200
	maxSteps  = 2_000_000
)

// Regexp is a compiled pattern. It is safe for concurrent use.
//
// Its machine, which is what takes time to make and memory to keep, is built at
// the first match. One that cannot be built answers no match: it is ErrBound.
type Regexp struct {
	pattern string
	set     *Set
	built   atomic.Pointer[machine]
	mu      sync.Mutex // held while building, so that it is done once
	kind    kind       // of the machine; decided once, under mu
}

// kind says what runs a pattern.
type kind uint8

const (
	undecided   kind = iota
	byShape          // the loop, where the pattern is so plain
	byAutomaton      // or the automaton, where it is small enough
	byRE2            // or Go's regexp, whatever the text
	bySize           // Go's regexp or the backtracking engine, as the text's size says
	byBacktrack      // the backtracking engine
	byNothing        // there is no machine
)

// machine is what runs a pattern.
type machine struct {
	kind    kind
	shape   *shape
	auto    *automaton
	re2     *regexp.Regexp
	program int // its size
	engine  *regexp2.Regexp
	size    int // about how many bytes it takes
}

// Compile reads pattern as the package comment says. The error is a
// [*SyntaxError]. Its time and memory are bounded by those of the pattern, which
// are (MaxBytes, MaxDepth, MaxSpans), and small: only the syntax is looked at.
func Compile(pattern string) (*Regexp, error) { return NewSet(0).Compile(pattern) }

// build makes the machine of the pattern, by its kind, which it decides at the
// first call: the first kind that can run the pattern and that the set still has
// work or room for. The work it took is in the unit of the set.
func (re *Regexp) build() (m *machine, work int) {
	work = workPerByte*len(re.pattern) + workOfBuild
	n, err := parse(re.pattern)
	if err != nil {
		re.kind = byNothing
		return &machine{kind: byNothing}, work
	}
	spans := n.spans()
	work += workPerSpan * spans
	m = &machine{size: 512}
	if re.kind == undecided || re.kind == byShape {
		if m.shape = shapeOf(n); m.shape != nil && (re.kind == byShape || re.set.takeRoom(m.shape.size())) {
			re.kind = byShape
		}
	}
	program, regular := n.program()
	regular = regular && program <= maxProgram
	if regular && (re.kind == undecided && re.set.hasWork() || re.kind == byAutomaton) {
		var took int
		m.auto, took = compileAutomaton(n)
		re.set.takeWork(took)
		work += took
		if m.auto != nil {
			re.kind = byAutomaton
		}
	}
	if re.kind == undecided {
		switch {
		case !regular || !re.set.takeRoom(sizeOfRE2(program, spans)):
			re.kind = byBacktrack
		case program <= maxLinear:
			re.kind = byRE2
		default:
			re.kind = bySize
		}
	}
	m.kind = re.kind
	switch m.kind {
	case byShape:
		m.size += m.shape.size()
		return m, work
	case byAutomaton:
		m.size += 2*len(m.auto.table) + len(m.auto.accepts)
		return m, work
	case byRE2, bySize:
		work += workOfRE2 * (program + spans)
		var ok bool
		if m.re2, m.program, ok = compileRE2(n); ok {
			m.size += sizeOfRE2(program, spans)
		} else {
			m.kind = byBacktrack
		}
	}
	if m.kind != byRE2 {
		work += workOfBacktrack * (len(re.pattern) + 32)
		if m.engine, err = compileBacktrack(n); err != nil {
			m.kind = byNothing
		}
		m.size += 1024 + 64*len(re.pattern)
	}
	re.kind = m.kind
	return m, work
}

// sizeOfRE2 is about how many bytes Go's regexp takes.
func sizeOfRE2(program, spans int) int { return 160*program + 24*spans }

// machine returns the pattern's machine, which it builds if there is none, and
// the work that took.
func (re *Regexp) machine() (*machine, int) {
	if m := re.built.Load(); m != nil {
		return m, 0
	}
	re.mu.Lock()
	defer re.mu.Unlock()
	if m := re.built.Load(); m != nil {
		return m, 0
	}
	m, work := re.build()
	re.built.Store(m)
	re.set.admit(re, m.size)
	return m, work
}

// Prepare builds the machine if there is none, and returns how many steps that
// took: about a microsecond each, the same number for the same pattern and kind
// of machine, at most some ten thousand. It is 0 where the machine is there.
func (re *Regexp) Prepare() int {
	_, work := re.machine()
	return (work + workPerStep - 1) / workPerStep
}

// String returns the pattern as it was written.
func (re *Regexp) String() string { return re.pattern }

// Linear reports whether every match takes time linear in the text, at most as
// maxLinear says, so that no bound applies. It builds the machine.
func (re *Regexp) Linear() bool {
	m, _ := re.machine()
	return m.linear()
}

func (m *machine) linear() bool {
	return m.kind == byShape || m.kind == byAutomaton || m.kind == byRE2
}

// MatchString reports whether s holds a match anywhere. A linear pattern never
// errs and does not allocate once its machine is built; another charges the time
// it takes to b (nil: a fresh bound of [DefaultBound]) and answers [ErrBound]
// when that runs out.
func (re *Regexp) MatchString(s string, b *Bound) (bool, error) {
	m, _ := re.machine()
	switch m.kind {
	case byShape:
		return m.shape.match(s), nil
	case byAutomaton:
		return m.auto.match(s), nil
	case byRE2:
		return m.re2.MatchString(s), nil
	case byNothing:
		return false, ErrBound
	}
	if b == nil {
		b = NewBound(DefaultBound)
	}
	if b.left <= 0 {
		return false, ErrBound
	}
	if m.kind == bySize && m.program <= maxSteps/max(len(s), 1) {
		start := time.Now()
		matched := m.re2.MatchString(s)
		b.left -= time.Since(start)
		return matched, nil
	}
	return b.match(m.engine, s)
}

// Match is MatchString for bytes, which it neither keeps nor changes.
func (re *Regexp) Match(s []byte, b *Bound) (bool, error) {
	if !re.Linear() {
		return re.MatchString(string(s), b)
	}
	// A string of the same bytes saves a copy; the engines only read it.
	return re.MatchString(unsafe.String(unsafe.SliceData(s), len(s)), b)
}
