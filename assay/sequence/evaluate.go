package sequence

// Status is what became of one rule.
type Status uint8

const (
	// NotExercised: the rule is not violated, and what it is about did not
	// happen: a [Before] without a Then, an [After] or [NeverAfter] without a
	// trigger, an [After] of which no trigger has been answered yet, an
	// [Eventually] that may still come, a [Sequence] of which nothing appeared.
	NotExercised Status = iota
	// Held: the rule is not violated.
	Held
	// Violated: the rule is violated, or depends on arguments that are unknown.
	Violated
)

// String returns "not_exercised", "held" or "violated".
func (s Status) String() string {
	switch s {
	case Held:
		return "held"
	case Violated:
		return "violated"
	}
	return "not_exercised"
}

// Outcome is what became of one rule.
type Outcome struct {
	RuleID   string
	RuleType string
	Status   Status
	// Violation is nil unless the rule is violated.
	Violation *Violation
}

// Report is what became of every rule.
type Report struct {
	// Outcomes are in rule order. An exact list is one outcome without RuleID
	// and RuleType.
	Outcomes []Outcome
	// Failure, if not OK, says why there is no report. There are no outcomes then.
	Failure Failure
}

// Evaluate says of every rule what became of it in the trace, which may be a
// [Prefix] of a run or a [Complete] one, and may be empty. A nil budget is one
// of Options.MaxSteps steps.
//
// Where arguments are unknown, a rule that no reading violates is held or not
// exercised as in the reading where no unknown matches.
func Evaluate(c *Checker, t Trace, extent Extent, b *Budget) Report {
	if !c.usable() {
		return Report{Failure: NoChecker}
	}
	if b == nil {
		b = NewBudget(c.opts.MaxSteps, 0, nil)
	}
	m := machine{all: true}
	m.start(c, true, false)
	if !m.run(&t, b) {
		return Report{Failure: Limit}
	}
	if c.isExact {
		if m.matching && m.n == len(c.exact) {
			return Report{Outcomes: []Outcome{{Status: Held}}}
		}
		v := c.mismatch()
		return Report{Outcomes: []Outcome{{Status: Violated, Violation: &v}}}
	}
	out := make([]Outcome, 0, len(c.rules))
	for i := range c.rules {
		r, s := &c.rules[i], &m.states[i]
		o := Outcome{RuleID: r.id, RuleType: r.kind}
		switch {
		case r.some(s, m.n, extent):
			v := r.violation(s, m.n, extent, false)
			o.Status, o.Violation = Violated, &v
		case r.exercised(s):
			o.Status = Held
		}
		out = append(out, o)
	}
	return Report{Outcomes: out}
}
