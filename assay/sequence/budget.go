package sequence

import (
	"sync/atomic"
	"time"

	"example.com/assay/assay/internal/ecma"
)

// The defaults of a [Budget].
const (
	DefaultMaxSteps    = 1_000_000
	DefaultPatternTime = 100 * time.Millisecond
)

// Budget bounds the work of one check: a number of steps, the time that
// patterns may spend backtracking, and a flag that somebody else may raise to
// stop the work. A check that exceeds its steps or is stopped fails with
// [Limit]; a pattern that exceeds its time makes its match unknown.
//
// A step is one call of the trace, one use of it by a rule, one reading of
// unknown arguments that is followed, up to 64 bytes of arguments or of a name
// looked at, or about a microsecond of making a pattern ready at its first match. A Budget is for one check and one goroutine.
type Budget struct {
	steps    int
	stop     *atomic.Bool
	patterns time.Duration
	bound    *ecma.Bound // made when the first pattern needs it
}

// NewBudget returns a budget of maxSteps steps and patternTime of backtracking,
// that also ends when stop, which may be nil, becomes true. Zero or less means
// the default.
func NewBudget(maxSteps int, patternTime time.Duration, stop *atomic.Bool) *Budget {
	if maxSteps <= 0 {
		maxSteps = DefaultMaxSteps
	}
	if patternTime <= 0 {
		patternTime = DefaultPatternTime
	}
	return &Budget{steps: maxSteps, patterns: patternTime, stop: stop}
}

// spend takes n steps and reports whether any are left.
func (b *Budget) spend(n int) bool {
	b.steps -= n
	return b.steps >= 0
}

// stopped reports whether somebody raised the stop flag.
func (b *Budget) stopped() bool { return b.stop != nil && b.stop.Load() }

// matches is re's match of text, which is unknown when its time is up.
func (b *Budget) matches(re *ecma.Regexp, text []byte) truth {
	if !re.Linear() && b.bound == nil {
		b.bound = ecma.NewBound(b.patterns)
	}
	switch ok, err := re.Match(text, b.bound); {
	case err != nil:
		return unknown
	case ok:
		return yes
	}
	return no
}
