package sequence

import (
	"sync"

	"example.com/assay/assay/internal/nametable"
)

// Checker is a compiled list of rules, or a compiled exact list of names. It is
// immutable and safe for concurrent use. A nil or zero Checker allows nothing.
type Checker struct {
	opts   Options
	rules  []rule
	names  nametable.Table
	events []event  // by number of the name: what it means, if no blocklist matches it
	tools  []string // the names that rules mention, ascending

	blocks []int32 // the rules that look at every name
	strict []int32 // the rules that look at every call while they are under way
	timed  []int32 // the rules with deadlines

	// scans are the rules once more, if all of them can be decided by a scan
	// of plain names and are few.
	scans []before

	isExact bool
	exact   []int32 // the numbers of the names in the list
}

// Trace is the calls of a run in order; of a check, the last one is the call
// that is proposed.
type Trace struct {
	// Names holds the tool of each call. Names are compared byte for byte.
	Names []string
	// Arguments returns the JSON text of the arguments of call i, nil where
	// they are not known. It is asked at most twice for a call, and only where
	// a rule looks at the arguments of its tool. A nil func knows none.
	Arguments func(i int) []byte
}

func (t *Trace) arguments(i int) []byte {
	if t.Arguments == nil {
		return nil
	}
	return t.Arguments(i)
}

// usable reports whether c was made by Compile or CompileExact.
func (c *Checker) usable() bool { return c != nil && c.events != nil }

// Tools returns the names that rules mention, ascending, aliases replaced by
// their members.
func (c *Checker) Tools() []string {
	if c == nil {
		return nil
	}
	return append([]string(nil), c.tools...)
}

// machines keeps the space of machines between checks.
var machines = sync.Pool{New: func() any { return new(machine) }}

func (m *machine) release() {
	if cap(m.states) > 1<<12 || cap(m.truths) > 1<<12 {
		return
	}
	m.args.reset()
	clear(m.states)
	m.c, m.event = nil, event{}
	machines.Put(m)
}

// Check answers whether the last call of the trace may run after the others:
// whether the trace, as a [Prefix], keeps every rule. A nil budget is one of
// Options.MaxSteps steps. An allow does not allocate unless it has to follow
// several readings of unknown arguments.
func (c *Checker) Check(t Trace, b *Budget) Result {
	if !c.usable() {
		return Result{Failure: NoChecker}
	}
	if b == nil {
		b = NewBudget(c.opts.MaxSteps, 0, nil)
	}
	// Work that is done again, because its answer was not enough, does not count.
	if n := len(t.Names); n <= b.steps && !b.stopped() && c.Scan(n, func(i int) string { return t.Names[i] }) {
		b.spend(n)
		return Result{Allowed: true}
	}
	return c.follow(&t, b)
}

// follow is Check by a machine. (A deferred call would cost a scan its speed.)
func (c *Checker) follow(t *Trace, b *Budget) Result {
	m := machines.Get().(*machine)
	defer m.release()
	return m.check(c, t, b)
}

// check is Check by the machine m.
func (m *machine) check(c *Checker, t *Trace, b *Budget) Result {
	steps := b.steps
	m.start(c, false, false)
	verdict := m.verdict(t, b)
	if verdict == denied {
		b.steps = steps
		m.start(c, true, false)
		if m.run(t, b) {
			r := m.result(false)
			r.Allowed = false
			return r
		}
		verdict = undecided
	}
	return Result{Allowed: verdict == allowed, Failure: verdict.failure()}
}

// maxScans is how many rules are scanned for one after the other before it is
// cheaper to look each name up once.
const maxScans = 4

// Scan reports that calls of these names, the proposed one last, keep all rules,
// where one look at each name for each of a few rules tells: where every rule is
// a [Before] of plain names. False decides nothing, and [Checker.Check] is to be
// asked. It allocates nothing, and name need not be a []string of the caller's.
func (c *Checker) Scan(n int, name func(i int) string) bool {
	if c == nil || len(c.scans) == 0 {
		return false
	}
	for i := range c.scans {
		if !c.scans[i].scan(n, name) {
			return false
		}
	}
	return true
}

// answer is what a machine without lists finds.
type answer uint8

const (
	undecided answer = iota
	allowed
	denied
)

func (a answer) failure() Failure {
	if a == undecided {
		return Limit
	}
	return OK
}

// run records the whole trace. It returns false when the budget is used up.
func (m *machine) run(t *Trace, b *Budget) bool {
	for j, name := range t.Names {
		ev, ok := m.resolve(name, m.c.names.Lookup(name), b)
		if ok && len(ev.atoms) > 0 {
			ev, ok = m.judge(ev, t.arguments(j), b)
		}
		if !ok || j&63 == 0 && b.stopped() || !b.spend(m.record(ev)) || m.failed() {
			return false
		}
	}
	return true
}

// verdict is run for a prefix, without the details: it stops as soon as the
// answer is certain, and passes by the calls that mean nothing.
func (m *machine) verdict(t *Trace, b *Budget) answer {
	c, n := m.c, len(t.Names)
	if !b.spend(n) || b.stopped() {
		return undecided
	}
	if c.isExact && n != len(c.exact) {
		return denied
	}
	for j, name := range t.Names {
		number := c.names.Lookup(name)
		if number == 0 && len(c.blocks) == 0 && !c.isExact {
			if m.between > 0 {
				return denied // a strict sequence is interrupted
			}
			continue
		}
		ev, ok := m.resolve(name, number, b)
		if ok && len(ev.atoms) > 0 {
			ev, ok = m.judge(ev, t.arguments(j), b)
		}
		if !ok || j&63 == 0 && b.stopped() {
			return undecided
		}
		m.n = j
		switch ok := b.spend(m.record(ev)); {
		case m.broken || !m.matching:
			return denied
		case !ok || m.failed():
			return undecided
		case m.open == 0 && !c.isExact:
			return allowed
		}
	}
	m.n = n
	// Nothing is broken, so only what is open can be violated: a debt that no
	// further call has to come for, or a deadline.
	if m.debts > m.between {
		return denied
	}
	if n > m.deadline {
		for _, i := range c.timed {
			if c.rules[i].some(&m.states[i], n, Prefix) {
				return denied
			}
		}
	}
	return allowed
}

// mismatch is the one violation of an exact list.
func (c *Checker) mismatch() Violation {
	return Violation{
		Constraint: ExactMatch,
		Message:    "the calls are not exactly those of the list",
		Suggestion: "make the calls of the list, in its order and no others",
	}
}
