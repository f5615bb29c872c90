package ecma

import (
	"regexp"
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
type Regexp struct {
	pattern string
	shape   *shape          // the loop, where the pattern is so plain
	auto    *automaton      // or the automaton, where it is small enough
	re2     *regexp.Regexp  // Go's regexp
	program int             // its size
	engine  *regexp2.Regexp // nil where the pattern is linear
	size    int
}

// Compile reads pattern as the package comment says. The error is a
// [*SyntaxError]. Its time and memory are bounded by those of the pattern, which
// are (MaxBytes, MaxDepth, MaxSpans).
func Compile(pattern string) (*Regexp, error) {
	n, err := parse(pattern)
	if err != nil {
		return nil, err
	}
	re := &Regexp{pattern: pattern, shape: shapeOf(n), size: 512 + len(pattern)}
	if re.shape != nil {
		re.size += re.shape.size()
		return re, nil
	}
	if re.auto = compileAutomaton(n); re.auto != nil {
		re.size += 2*len(re.auto.table) + len(re.auto.accepts)
		return re, nil
	}
	if re2, size, ok := compileRE2(n); ok {
		re.re2, re.program = re2, size
		re.size += 32*size + len(re2.String()) + 24*n.spans()
		if size <= maxLinear {
			return re, nil
		}
	}
	if re.engine, err = compileBacktrack(n); err != nil {
		return nil, &SyntaxError{0, "the backtracking engine cannot run this pattern"}
	}
	re.size += 1024 + 64*len(pattern)
	return re, nil
}

// String returns the pattern as it was written.
func (re *Regexp) String() string { return re.pattern }

// Linear reports whether every match takes time linear in the text, at most as
// maxLinear says, so that no bound applies.
func (re *Regexp) Linear() bool { return re.engine == nil }

// Size returns about how many bytes of memory the compiled pattern takes, apart
// from what a match in progress does.
func (re *Regexp) Size() int { return re.size }

// MatchString reports whether s holds a match anywhere. A linear pattern never
// errs and does not allocate; another charges the time it takes to b (nil: a
// fresh bound of [DefaultBound]) and answers [ErrBound] when that runs out.
func (re *Regexp) MatchString(s string, b *Bound) (bool, error) {
	switch {
	case re.shape != nil:
		return re.shape.match(s), nil
	case re.auto != nil:
		return re.auto.match(s), nil
	case re.engine == nil:
		return re.re2.MatchString(s), nil
	}
	if b == nil {
		b = NewBound(DefaultBound)
	}
	if b.left <= 0 {
		return false, ErrBound
	}
	if re.re2 != nil && re.program <= maxSteps/max(len(s), 1) {
		start := time.Now()
		matched := re.re2.MatchString(s)
		b.left -= time.Since(start)
		return matched, nil
	}
	return b.match(re.engine, s)
}

// Match is MatchString for bytes, which it neither keeps nor changes.
func (re *Regexp) Match(s []byte, b *Bound) (bool, error) {
	if re.engine != nil {
		return re.MatchString(string(s), b)
	}
	// A string of the same bytes saves a copy; the engines only read it.
	return re.MatchString(unsafe.String(unsafe.SliceData(s), len(s)), b)
}
