package sequence

// The constraints of violations that are not named like their rule's type.
const (
	// ArgumentsUnknown: the rule holds or not depending on arguments that were
	// not given, so it counts as violated.
	ArgumentsUnknown = "arguments_unknown"
	// RuleMissing: what a [Require] rule asks for is not in the trace.
	RuleMissing = "sequence_rule"
	// OrderBroken and StrictOrderBroken: a [Sequence] rule is violated.
	OrderBroken       = "sequence_order"
	StrictOrderBroken = "sequence_strict"
	// ExactMatch: the trace is not the list of [CompileExact].
	ExactMatch = "sequence_exact_match"
)

// Violation says which rule is violated and by which calls. It shares nothing
// with the checker. No text in it holds an argument value or a name that only
// the trace has.
type Violation struct {
	RuleID     string // empty for an exact list
	RuleType   string // empty for an exact list
	Constraint string
	Message    string // one sentence: what is wrong
	Suggestion string // one sentence: what the agent could do next

	// Tool is the operand that the violation is about: Then of [Before] and
	// [After], Forbidden of [NeverAfter], Tool of the others; the name alone of
	// a selector with Args. It is empty for [Sequence] and [Blocklist].
	Tool string

	// Spanned holds the indices of the calls that decide the rule; each kind
	// says which. With [ArgumentsUnknown] they are the calls whose match with
	// one of the rule's selectors is unknown. A [Monitor] keeps the first and
	// the last 16. It is empty, never nil, where no call decides, and nil for
	// an exact list.
	Spanned []int
	// EventIndex is the last of Spanned, nil when that is empty.
	EventIndex *int

	// Context holds max and actual of a violated [MaxCalls], else nil.
	Context map[string]int
}

// Failure says that there is no verdict. Every failure has to deny.
type Failure uint8

const (
	// OK means that there is no failure.
	OK Failure = iota
	// Limit: the check exceeded its [Budget] or was stopped, its unknown
	// arguments led to more readings than are followed, or a monitor has too
	// many calls pending.
	Limit
	// NoChecker: the checker or monitor is nil or zero.
	NoChecker
)

// Result is the answer of one check. The zero value denies.
type Result struct {
	// Allowed: every rule is kept, and there is a verdict.
	Allowed bool
	// Violations are in rule order; every rule is looked at.
	Violations []Violation
	// Truncated says that there were more than Options.MaxViolations.
	Truncated bool
	// Failure, if not OK, says why there is no verdict. There are no violations then.
	Failure Failure
}
