package sequence

import "math"

// Extent says whether a trace is still going on.
type Extent uint8

const (
	// Prefix: more calls may follow, so what is still open is not violated.
	Prefix Extent = iota
	// Complete: the run is over, so what is still open never came.
	Complete
)

// automaton is how a rule with at most two operands is decided: a start, and a
// step for each call that matches an operand. It reads one reading of the
// trace, in which every match is known.
//
// The runs of an automaton are ordered by rank, and step keeps the order: from
// a run of higher rank, the same calls lead to a rank at least as high, and a
// run that is violated ranks no higher than one that is not. That is why the
// two extreme runs stand for all readings (see state.split).
type automaton interface {
	// start is the run before the first call.
	start() run
	// step is the run after the call at index j, which matches the operands in.
	step(r run, j int, in operands) run
	rank(r run) int
	// violated reports whether a trace of n calls, which led to r, violates the rule.
	violated(r run, n int, extent Extent) bool
	// limit is the greatest length of a trace that keeps the rule, if it goes on
	// from r with calls that match no operand and a last one that matches the
	// operands in: never, if any length does, and below 0 if none does. It says
	// of one more call at once what step and violated say in two.
	limit(r run, in operands) int
	// settled reports that no further call changes the verdict, or what spans
	// a violation.
	settled(r run) bool
	// exercised reports whether the rule's antecedent fired.
	exercised(r run) bool
	// lists says whether the spanned indices are collected call by call, and
	// spans whether the call that led from one run to the next is among them.
	lists() bool
	spans(from, to run, in operands) bool
	// spanned is the indices that decide a violated run of n calls, for an
	// automaton that does not list them.
	spanned(r run, n int, cut bool) []int
	// valid reports whether r can be the run of n calls.
	valid(r run, n int) bool
	// advice says in one sentence each what is wrong with a violated run and
	// what the agent could do.
	advice(r run, n int, extent Extent) (message, suggestion string)
}

// run is the registers of an automaton. What x and y hold is the kind's own;
// bad says that the rule is violated whatever follows.
type run struct {
	x, y int
	bad  bool
}

// operands is the set of a rule's operands that a call matches.
type operands uint8

const (
	first  operands = 1 << iota // the first operand of a rule, in the order of its fields
	second                      // the second
)

// The limits that are no length.
const (
	never = math.MaxInt // no length violates the rule
	none  = -1          // every length does
)

// plain is what most automata have in common: no list, and a violation is the end.
type plain struct{}

func (plain) lists() bool                     { return false }
func (plain) spans(_, _ run, _ operands) bool { return false }
func (plain) spanned(run, int, bool) []int    { return []int{} }
func (plain) exercised(run) bool              { return true }
func (plain) settled(r run) bool              { return r.bad }

// validCount is valid for a run that counts matches in x, keeps the last one in
// y, and is never behind.
func validCount(r run, n int) bool {
	if r.x == 0 {
		return r.y == -1
	}
	return 0 < r.x && r.x-1 <= r.y && r.y < n
}
