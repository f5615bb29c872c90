package schema

import (
	"sync/atomic"
	"time"

	"example.com/assay/assay/internal/ecma"
)

// patternTime is how long backtracking patterns may take in one check.
const patternTime = 100 * time.Millisecond

// Budget is the work that one check may still do (docs/policy.md, "Arguments"):
// steps, time for backtracking patterns, and a flag that another goroutine sets
// to stop it. All schemas of a check share one Budget. It is for one goroutine
// at a time.
type Budget struct {
	steps int
	stop  *atomic.Bool
	bound *ecma.Bound
}

// NewBudget returns a budget of maxSteps steps; stop may be nil.
func NewBudget(maxSteps int, stop *atomic.Bool) *Budget {
	b := MakeBudget(maxSteps, stop)
	return &b
}

// MakeBudget is NewBudget for who keeps the budget.
func MakeBudget(maxSteps int, stop *atomic.Bool) Budget { return Budget{steps: maxSteps, stop: stop} }

// Steps returns how many steps are left, 0 when the budget is exhausted.
func (b *Budget) Steps() int { return b.steps }

// spend takes n steps and reports whether they were there. Once it has said no
// it says no for good.
func (b *Budget) spend(n int) bool {
	if n > b.steps || b.stop != nil && b.stop.Load() {
		b.steps = 0
		return false
	}
	b.steps -= n
	return true
}

// patterns returns the time that backtracking patterns may still take.
func (b *Budget) patterns() *ecma.Bound {
	if b.bound == nil {
		b.bound = ecma.NewBound(patternTime)
	}
	return b.bound
}
