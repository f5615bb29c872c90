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
}

// machine is what runs a pattern: the first of these that can.
type machine struct {
	shape   *shape          // the loop, where the pattern is so plain
	auto    *automaton      // or the automaton, where it is small enough
	re2     *regexp.Regexp  // Go's regexp
	program int             // its size
	engine  *regexp2.Regexp // nil where the pattern is linear
	failed  bool            // there is none
	size    int
}

// Compile reads pattern as the package comment says. The error is a
// [*SyntaxError]. Its time and memory are bounded by those of the pattern, which
// are (MaxBytes, MaxDepth, MaxSpans), and small: only the syntax is looked at.
func Compile(pattern string) (*Regexp, error) { return NewSet(0).Compile(pattern) }

// build makes the machine of a pattern that Compile accepted.
func build(pattern string) *machine {
	n, err := parse(pattern)
	if err != nil {
		return &machine{failed: true}
	}
	m := &machine{shape: shapeOf(n), size: 512}
	if m.shape != nil {
		m.size += m.shape.size()
		return m
	}
	if m.auto = compileAutomaton(n); m.auto != nil {
		m.size += 2*len(m.auto.table) + len(m.auto.accepts)
		return m
	}
	if re2, size, ok := compileRE2(n); ok {
		m.re2, m.program = re2, size
		m.size += 160*size + len(re2.String()) + 24*n.spans()
		if size <= maxLinear {
			return m
		}
	}
	if m.engine, err = compileBacktrack(n); err != nil {
		return &machine{failed: true}
	}
	m.size += 1024 + 64*len(pattern)
	return m
}

// machine returns the pattern's machine, which it builds if there is none.
func (re *Regexp) machine() *machine {
	if m := re.built.Load(); m != nil {
		return m
	}
	re.mu.Lock()
	defer re.mu.Unlock()
	if m := re.built.Load(); m != nil {
		return m
	}
	m := build(re.pattern)
	re.built.Store(m)
	re.set.admit(re, m.size)
	return m
}

// String returns the pattern as it was written.
func (re *Regexp) String() string { return re.pattern }

// Linear reports whether every match takes time linear in the text, at most as
// maxLinear says, so that no bound applies. It builds the machine.
func (re *Regexp) Linear() bool { return re.machine().linear() }

func (m *machine) linear() bool { return m.engine == nil && !m.failed }

// MatchString reports whether s holds a match anywhere. A linear pattern never
// errs and does not allocate once its machine is built; another charges the time
// it takes to b (nil: a fresh bound of [DefaultBound]) and answers [ErrBound]
// when that runs out.
func (re *Regexp) MatchString(s string, b *Bound) (bool, error) {
	m := re.machine()
	switch {
	case m.shape != nil:
		return m.shape.match(s), nil
	case m.auto != nil:
		return m.auto.match(s), nil
	case m.failed:
		return false, ErrBound
	case m.engine == nil:
		return m.re2.MatchString(s), nil
	}
	if b == nil {
		b = NewBound(DefaultBound)
	}
	if b.left <= 0 {
		return false, ErrBound
	}
	if m.re2 != nil && m.program <= maxSteps/max(len(s), 1) {
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
